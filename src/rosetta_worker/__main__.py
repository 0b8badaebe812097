"""Start a worker: ``python __main__.py REQUESTS REPLIES PARENT [SERVICE]``.

The arguments are two inherited file descriptors, the process id of the controller, and the service: ``model``, the
default, or ``training``.
"""

import importlib.util
import os
import signal
import sys


def load_package():
    """Make ``rosetta_worker`` importable without putting its parent folder on the path.

    That folder would offer the framework everything else in it: in an installed laboratory, the controller's own
    site-packages with another NumPy.
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != folder]
    spec = importlib.util.spec_from_file_location(
        "rosetta_worker", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules["rosetta_worker"] = package
    spec.loader.exec_module(package)


def main():
    requests, replies, parent = (int(word) for word in sys.argv[1:4])
    served = sys.argv[4] if len(sys.argv) > 4 else "model"
    load_package()
    from rosetta_worker.children import die_with_parent

    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the controller handles Ctrl-C
    from rosetta_worker.protocol import Channel

    service(served).serve(Channel(requests, replies))


def service(name):
    """Return the service of a name: one model of a workload, or complete trainings by a library's own estimator."""
    if name == "training":
        from rosetta_worker.training import Trainings

        return Trainings()
    from rosetta_worker.loop import Worker

    return Worker()


if __name__ == "__main__":
    main()
