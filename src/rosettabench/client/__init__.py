"""The controller's side of the worker protocol: processes, sessions, batches, and the policy for starting workers."""
