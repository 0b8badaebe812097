"""Optimisers that a framework gets slightly wrong, or computes in another form, put right in the open.

One file per framework that needs it. They stand apart from the adapters because implementations import them, and an
adapter is loaded by its file's path: importing it by name would load it a second time.
"""
