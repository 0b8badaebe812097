# resnet50-features in Keras 2 from R.

Model <- function() {
  # Images (n, 224, 224, 3) to features (n, 2048).
  images <- layers$Input(list(NULL, NULL, 3L))
  x <- images |> convolve(64L, 7L, "stem", 2L) |> norm("norm") |> on(layers$Activation("relu"))
  x <- x |> on(layers$ZeroPadding2D(1L)) |> on(layers$MaxPooling2D(3L, 2L)) # behind a ReLU a zero is never the largest
  number <- 0
  for (stage in 1:4) {
    for (place in seq_len(c(3, 4, 6, 3)[stage])) {
      number <- number + 1
      stride <- if (place == 1 && stage > 1) 2L else 1L
      x <- x |> block(as.integer(32 * 2^stage), stride, place == 1, paste0("block", number))
    }
  }
  keras$Model(images, x |> on(layers$GlobalAveragePooling2D()))
}

block <- function(x, channels, stride, first, name) {
  # Three convolutions, the outer ones 1×1, beside a shortcut; a stage's first block has a convolution there, too.
  of <- function(part) paste0(name, "_", part)
  y <- x |> convolve(channels, 1L, of("conv1")) |> norm(of("norm1")) |> on(layers$Activation("relu"))
  y <- y |> convolve(channels, 3L, of("conv2"), stride) |> norm(of("norm2")) |> on(layers$Activation("relu"))
  y <- y |> convolve(4L * channels, 1L, of("conv3")) |> norm(of("norm3"))
  if (first) x <- x |> convolve(4L * channels, 1L, of("shortcut"), stride) |> norm(of("shortcut_norm"))
  layers$add(list(x, y)) |> on(layers$Activation("relu"))
}

convolve <- function(x, channels, size, name, stride = 1L) {
  x <- x |> on(layers$ZeroPadding2D(size %/% 2L)) # "same" would pad another side at stride 2
  x |> on(layers$Conv2D(channels, size, strides = stride, use_bias = FALSE, name = name))
}

norm <- function(x, name) x |> on(layers$BatchNormalization(epsilon = 1e-5, name = name))

TENSORS <- list(
  Tie("stem.kernel", "stem.kernel", CHANNELS_LAST),
  Tie("norm.scale", "norm.gamma"),
  Tie("norm.shift", "norm.beta"),
  Tie("block{1..16}.conv1.kernel", "block{1..16}_conv1.kernel", CHANNELS_LAST),
  Tie("block{1..16}.conv2.kernel", "block{1..16}_conv2.kernel", CHANNELS_LAST),
  Tie("block{1..16}.conv3.kernel", "block{1..16}_conv3.kernel", CHANNELS_LAST),
  Tie("block{1..16}.norm{1..2}.scale", "block{1..16}_norm{1..2}.gamma"),
  Tie("block{1..16}.norm3.scale", "block{1..16}_norm3.gamma"),
  Tie("block{1..16}.norm{1..2}.shift", "block{1..16}_norm{1..2}.beta"),
  Tie("block{1..16}.norm3.shift", "block{1..16}_norm3.beta"),
  Tie("block{1,4,8,14}.shortcut.kernel", "block{1,4,8,14}_shortcut.kernel", CHANNELS_LAST),
  Tie("block{1,4,8,14}.shortcut_norm.scale", "block{1,4,8,14}_shortcut_norm.gamma"),
  Tie("block{1,4,8,14}.shortcut_norm.shift", "block{1,4,8,14}_shortcut_norm.beta")
)

STATE <- list(
  Tie("norm.mean", "norm.moving_mean"),
  Tie("block{1..16}.norm{1..2}.mean", "block{1..16}_norm{1..2}.moving_mean"),
  Tie("block{1..16}.norm3.mean", "block{1..16}_norm3.moving_mean"),
  Tie("block{1,4,8,14}.shortcut_norm.mean", "block{1,4,8,14}_shortcut_norm.moving_mean"),
  Tie("norm.variance", "norm.moving_variance"),
  Tie("block{1..16}.norm{1..2}.variance", "block{1..16}_norm{1..2}.moving_variance"),
  Tie("block{1..16}.norm3.variance", "block{1..16}_norm3.moving_variance"),
  Tie("block{1,4,8,14}.shortcut_norm.variance", "block{1,4,8,14}_shortcut_norm.moving_variance")
)

arrange <- function(images) np$transpose(images, c(0L, 2L, 3L, 1L))
