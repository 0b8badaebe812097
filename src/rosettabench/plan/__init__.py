"""The plan of a run: the contests of a request, and how they fit into time and memory."""
