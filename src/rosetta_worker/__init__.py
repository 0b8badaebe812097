"""The worker, which runs inside a framework's environment: Python 3.6 or newer, the standard library and NumPy only.

The controller starts ``rosetta_worker/__main__.py`` with the interpreter of the environment, and they exchange messages
of the worker protocol (docs/reference/protocol.md) over two pipes. The worker does not import the controller.
"""

PROTOCOL = 1
"""The version of the worker protocol. A controller refuses a worker of another version."""
