"""``python -m rosettabench.cli``: the same as ``rosetta``."""

import sys

from rosettabench.cli import main

sys.exit(main())
