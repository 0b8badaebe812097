"""The studies that are run again: their published results, and their claims with the findings of this laboratory."""
