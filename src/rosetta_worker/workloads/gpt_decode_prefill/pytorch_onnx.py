"""gpt-decode:prefill as it is exported from PyTorch: the first step, with caches that are empty."""

from rosetta_worker.layers.gpt.pytorch_onnx import CACHES, EMPTY, TENSORS, Model  # noqa: F401

TOKENS = 1
