"""ResNet-56 without its last pool and output layer, with its loss and optimiser: one file per framework."""
