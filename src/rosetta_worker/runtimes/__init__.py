"""The part below a framework's API, which several APIs share: device, threads, synchronisation and profiler.

`tensorflow`, `jax` and `pytorch` have the same four functions: `start(setting)`, `synchronize()`, `settings(tensor)`
with the settings in force for a parameter, and `profile(work, folder)` as in `rosetta_worker.framework`. `keras` holds
what Keras does differently on each of the three; `mxnet` holds what both APIs of MXNet share.
"""
