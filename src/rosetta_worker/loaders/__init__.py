"""The frameworks' own loaders, over a `rosetta_worker.source.Source`: what `--set input=loader` feeds the models with.

One file for each loader, with a class `Loader`:

    read(rows)  the batches of these rows of sample ids, (inputs, labels) as the model takes them, one after the other;
                whoever asks has taken all batches that were asked for before
    settings()  what is in force, read back from the framework's loader, by the keys of docs/explanation/fairness.md
    close()     let go whoever waits for rows that will not come

Nothing is loaded that was not asked for: when `read` is called no batch is under way, and when its last one is taken
none is left. What a loader starts for good, processes and threads, it starts when it is made or with its first rows.
"""

AHEAD = 2
"""Batches that each worker of a loader may have ready: the default of PyTorch and of Gluon, here for everybody."""
