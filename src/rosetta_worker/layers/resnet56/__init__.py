"""ResNet-56 without its last pool and output layer, and how it is trained: one file per framework."""
