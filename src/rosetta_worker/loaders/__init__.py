"""The frameworks' own loaders, over a `rosetta_worker.source.Source`, for `--set input=loader`.

One file for each loader, with a class `Loader`:

    read(rows)  iterate over the batches of these rows of sample ids, (inputs, labels) as the model takes them;
                the caller has taken all batches of earlier rows before
    settings()  what is in force, read back from the framework's loader, by the keys of docs/explanation/fairness.md
    close()     release everything that waits for rows that will not come

A loader never loads more than was requested: no batch is being loaded when `read` is called, and none is left after its
last batch. Permanent processes and threads start when the loader is made, or with its first rows.
"""

AHEAD = 2
"""Batches that each worker of a loader may prepare in advance: the default of PyTorch and of Gluon, here for all."""
