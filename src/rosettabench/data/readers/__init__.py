"""The formats of files."""
