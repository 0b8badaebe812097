"""gpt-decode:short as it is exported from PyTorch: the runtime repeats the step."""

from rosetta_worker.layers.gpt.pytorch_onnx import CACHES, EMPTY, TENSORS, Model  # noqa: F401

TOKENS = 32
