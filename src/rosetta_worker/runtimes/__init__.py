"""What lies below a framework's API: its device, threads, waiting and profiler, where several APIs stand on one.

`tensorflow`, `jax` and `pytorch` have the same four functions: `start(setting)`, `synchronize()`, `settings(tensor)`
with what is in force for a parameter, and `profile(work, folder)` as in `rosetta_worker.framework`. `keras` holds what
Keras does on each of the three; `mxnet` what is said of both APIs of MXNet.
"""
