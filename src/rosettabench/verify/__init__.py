"""Check whether an installation is as fast as it should be, and if not, find the usual causes in its settings."""
