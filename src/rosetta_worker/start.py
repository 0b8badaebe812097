"""The start of programs beside the worker: they run as ``python PROGRAM.py``, with this folder first on the path."""

import importlib.util
import os

HERE = os.path.dirname(os.path.abspath(__file__))


def load_package():
    """Make ``rosetta_worker`` importable as a worker does."""
    spec = importlib.util.spec_from_file_location("rosetta_start", os.path.join(HERE, "__main__.py"))
    worker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(worker)
    worker.load_package()
