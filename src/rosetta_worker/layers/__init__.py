"""Layers that a framework computes with fewer digits than others, put right in the open: one file per framework."""
