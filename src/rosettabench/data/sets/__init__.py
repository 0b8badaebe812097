"""The data sets, one module for each: where its originals are found and how they are read."""
