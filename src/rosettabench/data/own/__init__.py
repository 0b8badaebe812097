"""Data of the user's own: arrays in files, arrays that a function returns, arrays that are drawn."""
