# cifar-vgg in Keras 2 from R.

Model <- function() {
  # Images (n, 32, 32, 3) to logits (n, 10).
  keras$models$Sequential(list(
    layers$Conv2D(50L, 3L, padding = "same", activation = "relu", input_shape = c(32L, 32L, 3L), name = "conv1"),
    layers$Conv2D(50L, 3L, padding = "same", name = "conv2"),
    layers$MaxPooling2D(),
    layers$Activation("relu"),
    layers$Dropout(0.25),
    layers$Conv2D(100L, 3L, padding = "same", activation = "relu", name = "conv3"),
    layers$Conv2D(100L, 3L, padding = "same", name = "conv4"),
    layers$MaxPooling2D(),
    layers$Activation("relu"),
    layers$Dropout(0.25),
    layers$Flatten(),
    layers$Dense(512L, activation = "relu", name = "hidden"),
    layers$Dropout(0.5),
    layers$Dense(10L, name = "output")
  ))
}

loss <- function(logits, labels) {
  K$sparse_categorical_crossentropy(labels, logits, from_logits = TRUE) # of each sample: Keras itself takes the mean
}

optimizer <- function(model, hyper) {
  # v holds the rate: equal while it is constant
  optimizers$SGD(hyper$learning_rate, momentum = hyper$momentum)
}

TENSORS <- list(
  Tie("conv1.kernel", "conv1.kernel", CHANNELS_LAST),
  Tie("conv1.bias", "conv1.bias"),
  Tie("conv2.kernel", "conv2.kernel", CHANNELS_LAST),
  Tie("conv2.bias", "conv2.bias"),
  Tie("conv3.kernel", "conv3.kernel", CHANNELS_LAST),
  Tie("conv3.bias", "conv3.bias"),
  Tie("conv4.kernel", "conv4.kernel", CHANNELS_LAST),
  Tie("conv4.bias", "conv4.bias"),
  Tie("hidden.kernel", "hidden.kernel", flatten_last(100L, 8L, 8L), TRANSPOSE),
  Tie("hidden.bias", "hidden.bias"),
  Tie("output.kernel", "output.kernel", TRANSPOSE),
  Tie("output.bias", "output.bias")
)

arrange <- function(images) np$transpose(images, c(0L, 2L, 3L, 1L))
