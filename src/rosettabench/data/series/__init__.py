"""Time series: the archive, windows of them, and what a model is shown."""
