"""The catalogue: workloads, frameworks, contenders and suites. Files are read as data; no code in them is run."""
