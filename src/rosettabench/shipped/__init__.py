"""Library against library: timed trainings by estimators as they are shipped, never ranked as equal work."""
