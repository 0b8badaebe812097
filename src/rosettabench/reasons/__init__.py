"""The reasons for a difference: the parts of a step, of a start and of memory, each with its interval."""
