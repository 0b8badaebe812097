"""NumPy as a framework."""
