"""The tables of a report, independent of its format."""
