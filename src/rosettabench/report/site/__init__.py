"""The static site of a store: one page for each workload, framework, machine, finding and run."""
