# imdb-gru in Keras 2 from R.

Model <- function() {
  # Token ids (n, 150) to logits (n, 2).
  keras$models$Sequential(list(
    layers$Embedding(30000L, 125L, input_length = 150L, name = "embedding"),
    layers$GRU(100L, reset_after = TRUE, recurrent_activation = "sigmoid", name = "gru"), # by default a hard sigmoid
    layers$Dense(2L, name = "output")
  ))
}

loss <- function(logits, labels) {
  K$sparse_categorical_crossentropy(labels, logits, from_logits = TRUE) # of each sample: Keras itself takes the mean
}

optimizer <- function(model, hyper) {
  optimizers$Adam(hyper$learning_rate, beta_1 = hyper$beta1, beta_2 = hyper$beta2, epsilon = hyper$epsilon)
}

GATES <- gates("r z n", "z r n") # Keras: update, reset, new

TENSORS <- list(
  Tie("embedding", "embedding.embeddings"),
  Tie("gru.kernel", "gru.cell.kernel", GATES, TRANSPOSE),
  Tie("gru.recurrent_kernel", "gru.cell.recurrent_kernel", GATES, TRANSPOSE),
  Tie("gru.bias gru.recurrent_bias", "gru.cell.bias", GATES, stack()),
  Tie("output.kernel", "output.kernel", TRANSPOSE),
  Tie("output.bias", "output.bias")
)
