"""The data sets, one module each: how the originals are found and read."""
