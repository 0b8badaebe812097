"""How far two passes over one batch differ, beside how far float32 moves the gradients of the reference.

    .venv/bin/python benchmarks/passes.py fashion-cnn cifar-vgg -f pytorch,jax --set device=cuda --python PYTHON

It takes the words of `rosetta prove`, and proves with every gradient asked for three times, as on a GPU
(docs/explanation/proof.md). For each workload it prints the number of gradients, the largest distance of two passes
from the first relative to the gradient, how far the reference moves there, and the largest ratio of the two. Tensors
that have no gradient by mathematics are left out.
"""

import sys
from collections import defaultdict
from threading import Lock
from unittest.mock import patch

import numpy as np

from rosettabench.cli import main
from rosettabench.proof import walk
from rosettabench.proof.comparison import Deviation, norm
from rosettabench.proof.updates import OwnUpdates
from rosettabench.proof.walk import read_array


class Passes:
    """What was seen of each workload: (distance of passes, noise of the reference) of each gradient."""

    def __init__(self) -> None:
        self.seen = defaultdict(list)
        self._lock = Lock()

    def look(self, updates, name, found):
        """Keep how far the passes of one gradient differ, and return its reach, as the proof does."""
        own = read_array(found.gradients, name)
        apart = max(norm(np.subtract(read_array(files, name), own, dtype=np.float64)) for files in found.again)
        noise = updates._noise.noise(Deviation("gradient", found.step, name, 0.0))
        if name not in updates._still and norm(own):
            with self._lock:
                self.seen[updates._work.workload.name].append((apart / norm(own), noise))
        return REACH(updates, name, found)


REACH = OwnUpdates._reach_of


def run(words) -> int:
    """Prove by the words of a command line, and print a line for each workload."""
    passes = Passes()
    look = patch.object(OwnUpdates, "_reach_of", lambda updates, name, found: passes.look(updates, name, found))
    with look, patch.dict(walk.PASSES_AGAIN, {"cpu": walk.PASSES_AGAIN["cuda"]}):
        code = main(["prove", *words])
    for workload, seen in passes.seen.items():
        furthest, there = max(seen)
        ratio = max(apart / noise for apart, noise in seen if noise)
        print(f"{workload:24}{len(seen):7,} gradients  furthest {furthest:.1e} (reference {there:.1e})  {ratio:.2g}")
    return code


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
