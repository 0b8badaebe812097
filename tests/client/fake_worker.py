"""A worker that misbehaves on request: prints, hangs, dies, answers nonsense.

Run as ``python fake_worker.py REQUESTS REPLIES PARENT``; it is what a broken worker in another language looks like.
"""

import json
import os
import signal
import sys
import time

requests = os.fdopen(int(sys.argv[1]))
replies = os.fdopen(int(sys.argv[2]), "w")
for line in requests:
    request = json.loads(line)
    do = request["do"]
    if do == "print":
        print("x" * 100000, flush=True)
        print('{"id": 1, "ok": true}', file=sys.stderr, flush=True)
    elif do == "hang":
        time.sleep(600)
    elif do == "exit":
        sys.exit(3)
    elif do == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif do == "nonsense":
        replies.write("this is no JSON\n")
        replies.flush()
        continue
    elif do == "mute":
        replies.close()
        time.sleep(20)
        sys.exit(3)
    elif do == "trickle":
        while True:
            replies.write(" ")
            replies.flush()
            time.sleep(0.1)
    elif do == "flood":
        while True:
            replies.write("x" * (1 << 16))
    elif do == "wrong id":
        request["id"] += 1
    elif do == "child" and os.fork() == 0:
        time.sleep(600)
    elif do == "orphan":
        child = os.fork()
        if child == 0:
            time.sleep(600)
        print("child", child, flush=True)
        os._exit(3)
    reply = {"id": request["id"], "ok": True, "pid": os.getpid()}
    if do == "long":
        reply["text"] = "x" * 20_000_000
    if do == "fail":
        reply = {
            "id": request["id"],
            "ok": False,
            "error": {"kind": "out_of_memory", "type": "E", "message": "m", "traceback": "t"},
        }
    replies.write(json.dumps(reply) + "\n")
    replies.flush()
    if do == "close":
        break
