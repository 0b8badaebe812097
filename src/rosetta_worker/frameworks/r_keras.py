"""Keras 2 from R: its worker is the R program beside this file, r_keras.R, which speaks the protocol by itself."""

DESCRIPTION = {
    "title": "Keras 2 from R",
    "modes": {"compiled": "a graph that a session of TensorFlow runs, it knows no other mode"},
    "mode": "compiled",
    "packages": ["keras", "tensorflow"],
    "locks": ["r-keras@2.2.4"],
    "program": "Rscript",
}
