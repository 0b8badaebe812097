"""Keras 2 from R. Its worker is the R program beside this file, r_keras.R, which implements the protocol itself."""

DESCRIPTION = {
    "title": "Keras 2 from R",
    "modes": {"compiled": "a graph that a session of TensorFlow runs, it knows no other mode"},
    "mode": "compiled",
    "packages": ["keras", "tensorflow"],
    "locks": ["r-keras@2.2.4"],
    "program": "Rscript",
}
