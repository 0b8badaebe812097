"""The user's own data: arrays in files, arrays that a function returns, random arrays."""
