# fashion-mlp in Keras 2 from R.

Model <- function() {
  # Images (n, 784) to logits (n, 10).
  keras$models$Sequential(list(
    layers$Dense(128L, activation = "relu", input_shape = list(784L), name = "hidden"),
    layers$Dense(10L, name = "output")
  ))
}

loss <- function(logits, labels) {
  K$sparse_categorical_crossentropy(labels, logits, from_logits = TRUE) # of each sample: Keras itself takes the mean
}

optimizer <- function(model, hyper) {
  optimizers$Adam(hyper$learning_rate, beta_1 = hyper$beta1, beta_2 = hyper$beta2, epsilon = hyper$epsilon)
}

TENSORS <- list(
  Tie("hidden.kernel", "hidden.kernel", TRANSPOSE),
  Tie("hidden.bias", "hidden.bias"),
  Tie("output.kernel", "output.kernel", TRANSPOSE),
  Tie("output.bias", "output.bias")
)
