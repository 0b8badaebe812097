"""What runs inside a framework's environment: Python 3.6 or newer, the standard library and NumPy only.

The controller starts ``rosetta_worker/__main__.py`` with the interpreter of the environment and speaks the worker
protocol (docs/reference/protocol.md) with it over two pipes. Nothing here knows the controller.
"""

PROTOCOL = 1
"""Version of the worker protocol. A controller refuses a worker of another version."""
