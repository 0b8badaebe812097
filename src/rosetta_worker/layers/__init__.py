"""Layers that a framework computes with fewer digits than others, or otherwise, put right: one file per framework."""
