"""A worker that says what each request tells it to say, and then does what it tells it to do.

Run as ``python saying_worker.py REQUESTS REPLIES PARENT SERVICE``; fuzz_worker.py starts it.
In what it says, 314159265358 stands for the number of the request.
"""

import base64
import json
import os
import sys
import time

requests = os.fdopen(int(sys.argv[1]))
replies = int(sys.argv[2])
for line in requests:
    request = json.loads(line)
    said = base64.b64decode(request.get("said", "")) * request.get("times", 1)
    said = said.replace(b"314159265358", str(request["id"]).encode())
    for piece in (said[: request.get("first", 0)], said[request.get("first", 0) :]):
        while piece:
            piece = piece[os.write(replies, piece) :]
    after = request.get("after")
    if after == "hang" or (after == "child" and os.fork() == 0):
        time.sleep(600)
    elif after == "close":
        os.close(replies)
        time.sleep(600)
    elif after in ("end", "child"):
        os._exit(3)
