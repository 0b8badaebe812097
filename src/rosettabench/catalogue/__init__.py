"""What there is: workloads, frameworks, contenders and suites, read from data and never from code that runs."""
