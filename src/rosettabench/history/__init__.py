"""The history of trials in the store: find a trial in earlier runs, compare runs, follow a trial over time."""
