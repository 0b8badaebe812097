"""Samples as they lie on disk, for the frameworks' own loaders."""

import numpy as np


class Source(object):
    """One part of a data set, memory-mapped: its samples one by one, or a batch of them.

    What a sample needs before a model can take it is done here, when it is asked for, and so by whoever loads it: a
    process or a thread of the loader. Here that is arranging; `rosetta_worker.pictures` decodes, too.

    Parameters
    ----------
    inputs, labels : str
        The .npy files, (samples, …) and (samples,) or (samples, labels).
    arranged : callable
        Brings (n, …) inputs into the layout that the model wants.

    """

    def __init__(self, inputs, labels, arranged):
        self.inputs = mapped(inputs)
        self.labels = mapped(labels)
        self.arranged = arranged

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, number):
        """Return (inputs, label) of one sample; the label is Python's own number where it is one."""
        label = self.labels[number]
        return self.arranged(self.inputs[number : number + 1])[0], label if label.ndim else label.item()

    def batch(self, ids):
        """Return (inputs, labels) of the samples `ids`."""
        return self.arranged(self.inputs[ids]), self.labels[ids]

    def plain(self, samples):
        """Return a row of the first so many samples."""
        return np.arange(samples)

    def settings(self):
        """Return what is in force, by the keys of docs/explanation/fairness.md."""
        return {}


def mapped(path):
    """Return the array in a .npy file without reading it: what is asked of it is read when it is asked for.

    Written to, it changes in memory only: frameworks warn of arrays that they could not write to.
    """
    return np.asarray(np.load(path, mmap_mode="c"))
