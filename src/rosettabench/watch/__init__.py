"""What a contest checks of the work that it times: that everybody does what was proven, and reports it truly.

A proof looks at a few steps before the clock runs. Here are the rules for what is looked at while it runs, all of them
outside of timed blocks: losses, the way of the parameters, outputs, the clock, the settings. Numbers in, who is odd
out; lab/watch.py asks the workers and draws the consequences.
"""
