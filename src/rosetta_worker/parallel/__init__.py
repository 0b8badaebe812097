"""Data-parallel training: several processes, each a device with its own cores, train one model together.

The controller starts one program, the *group*, which speaks the worker protocol like any worker. The group starts one
ordinary worker for each device, passes every request to all of them, and merges their replies. `<framework>.py` extends
the framework's adapter by its own means of averaging gradients. docs/explanation/devices.md explains the design.
"""
