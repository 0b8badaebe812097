"""A group of devices: to the controller one worker, in truth one process for each device."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
from time import time

from rosetta_worker import PROTOCOL
from rosetta_worker.parallel.merge import merge
from rosetta_worker.service import Service, describe

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")

GRACE_S = 5.0
"""Seconds that the other devices have to answer after one has failed: they may wait for it in vain."""

GLANCE_S = 0.5
"""Seconds between two checks that all devices live."""

CHUNK = 1 << 16


class GroupEnded(Exception):
    """A device died, or the others waited in vain for one that had failed. `error` is the cause, as of the protocol."""

    def __init__(self, error):
        super(GroupEnded, self).__init__(error["message"])
        self.error = error


class Group(Service):
    """Passes each request to all devices, and merges their replies. The first request but `hello` must be `open`.

    If a device dies or leaves the others waiting, all of them are ended, and every later request fails with the cause.
    """

    def __init__(self):
        self.devices = []
        self.ended = None

    def answer(self, request):
        if request.get("do") in ("hello", "close"):
            return super(Group, self).answer(request)
        try:
            if self.ended:
                raise GroupEnded(self.ended)
            return self.pass_on(request)
        except GroupEnded as end:
            return {"id": request.get("id"), "ok": False, "error": end.error}
        except Exception as error:  # noqa: BLE001 - as in every worker, an error is a reply
            return {"id": request.get("id"), "ok": False, "error": describe(error)}

    def pass_on(self, request):
        """Return the reply of the group to a request."""
        if request["do"] == "open":
            self.start(request["setting"])
        requests = [dict(request, **self.own(number, request)) for number in range(len(self.devices))]
        replies = self.ask(requests)
        failed = next((number for number, reply in enumerate(replies) if not reply["ok"]), None)
        if failed is not None:
            error = replies[failed]["error"]
            alike = all(not reply["ok"] and reply["error"]["message"] == error["message"] for reply in replies)
            told = error if alike else dict(error, message="device %d: %s" % (failed, error["message"]))
            return {"id": request["id"], "ok": False, "error": told}
        return dict(merge(request["do"], replies, request.get("folder", "")), id=request["id"], ok=True)

    def own(self, number, request):
        """Return the fields of a request that are different for each device."""
        fields = {}
        if request["do"] == "open":
            fields["setting"] = dict(request["setting"], number=number, ports=self.ports)
        if request.get("folder"):
            fields["folder"] = os.path.join(request["folder"], "device-%d" % number)
        return fields

    def start(self, setting):
        """Start the devices, each on its own processors, and greet them."""
        devices, threads = setting["devices"], setting["threads"]
        usable = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
        if usable is not None and len(usable) < devices * threads:
            raise NotImplementedError(
                "%d devices with %d threads each need %d processors, and there are %d"
                % (devices, threads, devices * threads, len(usable))
            )
        self.ports = free_ports(devices + 1)
        for number in range(devices):
            own = None if usable is None else usable[number * threads : (number + 1) * threads]
            self.devices.append(Device(number, own))
        if usable is not None:
            os.sched_setaffinity(0, usable)
        self.ask([{"id": 0, "do": "hello", "protocol": PROTOCOL}] * devices)

    def ask(self, requests):
        """Send each device its request, and return their replies in the order of the devices.

        If one fails and another does not answer within GRACE_S, the group ends.
        """
        for device, request in zip(self.devices, requests):
            device.send(request)
        replies, end = {}, None
        while len(replies) < len(self.devices):
            waiting = [device for device in self.devices if device.number not in replies]
            ready = select.select(waiting, [], [], GLANCE_S)[0]
            for device in ready:
                for reply in device.read():
                    replies[device.number] = reply
            dead = next((one for one in waiting if one.number not in replies and one.dead(one in ready)), None)
            if dead is not None:
                self.end({"kind": "crash", "type": "DeviceDied", "message": dead.death(), "traceback": ""})
            failed = [number for number in sorted(replies) if not replies[number]["ok"]]
            if failed and end is None:
                end = time() + GRACE_S
            if end is not None and time() > end and len(replies) < len(self.devices):
                told = replies[failed[0]]["error"]
                self.end(dict(told, message="device %d: %s; the others were ended" % (failed[0], told["message"])))
        return [replies[device.number] for device in self.devices]

    def end(self, error):
        """End all devices. Raises GroupEnded."""
        self.ended = error
        for device in self.devices:
            device.kill()
        raise GroupEnded(error)

    def do_close(self):
        """Say goodbye to all devices, and end those that do not go."""
        for device in self.devices:
            device.close()
        end = time() + GRACE_S
        for device in self.devices:
            device.wait(max(0.0, end - time()))
        return {}


class Device(object):
    """The process of one device, confined to some processors; None for a system without affinity."""

    def __init__(self, number, processors):
        self.number = number
        requests, self.requests = os.pipe()
        self.replies, replies = os.pipe()
        self.rest = b""
        self.silent = False
        if processors is not None:
            os.sched_setaffinity(0, processors)  # the child inherits it
        command = [sys.executable, PROGRAM, str(requests), str(replies), str(os.getpid()), "device"]
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=(requests, replies))
        finally:
            os.close(requests)
            os.close(replies)

    def fileno(self):
        """Return the descriptor of its replies, for `select`."""
        return self.replies

    def send(self, request):
        """Write one request. A dead device is found while its reply is awaited."""
        try:
            os.write(self.requests, (json.dumps(request) + "\n").encode())
        except OSError:
            pass

    def read(self):
        """Return the replies that are complete now: one or none."""
        piece = os.read(self.replies, CHUNK)
        self.silent = not piece
        lines = (self.rest + piece).split(b"\n")
        self.rest = lines.pop()
        return [json.loads(line.decode()) for line in lines]

    def dead(self, heard):
        """Return whether no reply can come: it closed its pipe, or it ended and was not `heard` just now."""
        return self.silent or (not heard and self.process.poll() is not None)

    def death(self):
        """Return a sentence on how its process ended; one that only closed its pipe is ended now."""
        try:
            code = self.process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            return "device %d closed its pipe without ending; all were ended" % self.number
        how = "was killed by %s" % signal.Signals(-code).name if code < 0 else "ended with exit code %d" % code
        return "device %d %s; the others were ended" % (self.number, how)

    def close(self):
        """Ask it to close, without waiting."""
        self.send({"id": 0, "do": "close"})

    def wait(self, seconds):
        """Wait until it has ended, at most so long; then end it."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self):
        """End it now."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def free_ports(number):
    """Return ports of this machine that nobody listens on now, all different."""
    sockets = []
    try:
        for _ in range(number):
            sockets.append(socket.socket())
            sockets[-1].bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
