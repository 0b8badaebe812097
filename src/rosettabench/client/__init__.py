"""The controller's side of the worker protocol: processes, sessions, batches, and the policy by which workers start."""
