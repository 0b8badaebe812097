"""Time series: the Monash archive, windows of its series, and the inputs of a model."""
