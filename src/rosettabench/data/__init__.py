"""Data sets: found or downloaded, checked, and prepared once as memory-mapped .npy files."""
