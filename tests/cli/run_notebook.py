"""Runs the code cells of a notebook in order, without Jupyter, and writes the losses of the last one as JSON.

Arguments: the notebook, and the file to write. It runs on Python 3.6, too.
"""

import json
import linecache
import sys
from pathlib import Path

cells = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["cells"]
shared = {"__name__": "__main__"}
for number, cell in enumerate(cells):
    if cell["cell_type"] == "code":
        source, name = "".join(cell["source"]), f"<cell {number}>"
        linecache.cache[name] = (
            len(source),
            None,
            source.splitlines(True),
            name,
        )  # as in Jupyter: AutoGraph reads it
        exec(compile(source, name, "exec"), shared)  # noqa: S102 (it is what a notebook is for)
Path(sys.argv[2]).write_text(json.dumps(shared["losses"]))
