"""Pure functions: intervals, verdicts, rankings."""
