"""Samples on disk, for the frameworks' own loaders."""

import numpy as np


class Source(object):
    """One part of a data set, memory-mapped: its samples one by one, or a batch of them.

    A sample is prepared for the model here when it is read, in the process or thread of the loader that reads it. This
    class only changes the layout; `rosetta_worker.pictures` decodes, too.

    Parameters
    ----------
    inputs, labels : str
        The .npy files, (samples, …) and (samples,) or (samples, labels).
    arranged : callable
        Converts (n, …) inputs to the layout of the model.

    """

    def __init__(self, inputs, labels, arranged):
        self.inputs = mapped(inputs)
        self.labels = mapped(labels)
        self.arranged = arranged

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, number):
        """Return (inputs, label) of one sample; a single label is a Python number."""
        label = self.labels[number]
        return self.arranged(self.inputs[number : number + 1])[0], label if label.ndim else label.item()

    def batch(self, ids):
        """Return (inputs, labels) of the samples `ids`."""
        return self.arranged(self.inputs[ids]), self.labels[ids]

    def plain(self, samples):
        """Return a row of the first `samples` samples."""
        return np.arange(samples)

    def settings(self):
        """Return the settings in force, by the keys of docs/explanation/fairness.md."""
        return {}


def mapped(path):
    """Return the array in a .npy file, memory-mapped, so that only used parts are read.

    Writes to it change only memory. It must be writable, because frameworks warn about read-only arrays.
    """
    return np.asarray(np.load(path, mmap_mode="c"))
