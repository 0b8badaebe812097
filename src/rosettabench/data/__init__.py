"""Data sets: found, fetched, checked, and prepared once as memory-mapped .npy files."""
