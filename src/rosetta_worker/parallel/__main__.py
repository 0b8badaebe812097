"""Start a group of devices, or one of its devices: ``python __main__.py REQUESTS REPLIES PARENT SERVICE``.

The arguments are those of a worker. The service of a group is ``model``, that of a device ``device``.
"""

import importlib.util
import os
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def load_package():
    """Make ``rosetta_worker`` importable as a worker does, and remove this folder from the path.

    Its files have the names of the frameworks, and would be imported in their place.
    """
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != HERE]
    path = os.path.join(os.path.dirname(HERE), "__main__.py")
    spec = importlib.util.spec_from_file_location("rosetta_start", path)
    worker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(worker)
    worker.load_package()


def main():
    requests, replies, parent = (int(word) for word in sys.argv[1:4])
    load_package()
    from rosetta_worker.children import die_with_parent

    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the controller handles Ctrl-C
    from rosetta_worker.protocol import Channel

    service(sys.argv[4]).serve(Channel(requests, replies))


def service(name):
    """Return the service of a name: one device, or the group of them."""
    if name == "device":
        from rosetta_worker.parallel.device import DeviceWorker

        return DeviceWorker()
    from rosetta_worker.parallel.group import Group

    return Group()


if __name__ == "__main__":
    main()
