"""Folders of a workload of one's own: a model is described, and what a port of it needs is written down."""
