"""Corrected optimisers, for frameworks whose own differ slightly from the formula.

One file per framework that needs it. They are separate from the adapters because implementations import them, and an
adapter is loaded from its file's path: importing it by name would load it a second time.
"""
