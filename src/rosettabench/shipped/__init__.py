"""Library against library: whole trainings by estimators as they are shipped, timed; never ranked as equal work."""
