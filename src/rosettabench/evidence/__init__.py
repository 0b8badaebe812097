"""External evidence: a run as one file that another machine can check and repeat."""
