"""The common part of all workers: receive a request, do it, reply, and live until the controller ends it."""

import importlib.util
import os
import platform
import re
import sys
import traceback

from rosetta_worker import PROTOCOL
from rosetta_worker.pictures import Unreadable


class Service(object):
    """Answers the requests of docs/reference/protocol.md.

    Each method named ``do_<request>`` takes the request's fields as keyword arguments, and returns the fields of the
    reply.
    """

    def serve(self, channel):
        """Answer requests until the controller closes the pipe or says goodbye."""
        while True:
            request = channel.receive()
            if request is None:
                self.do_close()
                return
            channel.send(self.answer(request))
            if request.get("do") == "close":
                return

    def answer(self, request):
        """Do one request. Any exception becomes an error reply, and the worker continues."""
        fields = dict(request)
        number, name = fields.pop("id", None), fields.pop("do", None)
        try:
            act = getattr(self, "do_%s" % name, None)
            if act is None:
                raise ValueError("this worker knows no request %r" % name)
            return dict(act(**fields), id=number, ok=True)
        except BaseException as error:  # noqa: BLE001 - even a framework's SystemExit is a result, not an end
            return {"id": number, "ok": False, "error": describe(error)}

    def do_hello(self, protocol):
        if protocol != PROTOCOL:
            raise ValueError("the controller speaks protocol %s, this worker %s" % (protocol, PROTOCOL))
        return {
            "protocol": PROTOCOL,
            "pid": os.getpid(),
            "language": "Python",
            "interpreter": platform.python_version(),
        }

    def do_close(self):
        return {}


def load_file(name, path):
    """Import the Python file at `path` as the module `name`."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # pickling, and frameworks that look up their own classes, need it here
    spec.loader.exec_module(module)
    return module


def packages():
    """Return {distribution: version} of everything that is installed for this interpreter."""
    try:
        from importlib.metadata import distributions
    except ImportError:  # Python 3.6 and 3.7
        import pkg_resources

        return {entry.project_name.lower(): entry.version for entry in pkg_resources.working_set}
    return {entry.metadata["Name"].lower(): entry.version for entry in distributions() if entry.metadata["Name"]}


def describe(error):
    """Return an exception as the protocol's error: its kind, type, message and traceback."""
    text, name = "%s" % error, type(error).__name__
    unreadable = re.findall(r"\bUnreadable: (.+)", text)
    if unreadable:  # the framework wraps exceptions of a loader's process or thread
        text, name = unreadable[-1], Unreadable.__name__
    if isinstance(error, MemoryError) or "out of memory" in text.lower():
        kind = "out_of_memory"
    elif isinstance(error, ImportError):
        kind = "missing_package"
    elif isinstance(error, NotImplementedError):
        kind = "unsupported"
    else:
        kind = "error"
    return {"kind": kind, "type": name, "message": text, "traceback": traceback.format_exc()}
