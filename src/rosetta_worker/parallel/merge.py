"""Merge the replies of all devices to one request into the reply of their group."""

import os

import numpy as np

from rosetta_worker.loop import save

COUNTED = ("updates", "batches", "looked_at", "labels", "samples", "loss", "learning_rate")
"""What a device reports about a block. The group passes on what each device counted."""


def mean(values):
    """Return the mean; None if one of the values was not finite."""
    return None if None in values else sum(values) / len(values)


def union(values):
    """Return the sorted union of lists."""
    return sorted({one for value in values for one in value})


AS_ONE = {
    "build_s": max,
    "cpu_s": sum,
    "elapsed_s": max,
    "import_s": max,
    "load_s": max,
    "loss": mean,
}
"""{field: how it follows from those of the devices}: a group is done when its last device is."""

SETTINGS = {"processors": union, "process_threads": sum, "child_processes": sum}
"""The same for the settings in force."""


def merge(do, replies, folder):
    """Return the fields of the group's reply to the request `do`, from those of its devices, in their order.

    A field that is not named here is that of the first device. Merged files are written to `folder`.
    """
    merged = combined(replies[0], replies, AS_ONE)
    if do in ("train", "feed"):
        merged["samples"] = sum(reply["samples"] for reply in replies)
    if do == "train":
        counted = [{name: reply[name] for name in COUNTED if name in reply} for reply in replies]
        merged = {name: value for name, value in merged.items() if name not in ("looked_at", "labels")}
        merged["devices"] = counted
    elif do == "settings":
        settings = [reply["settings"] for reply in replies]
        merged["settings"] = dict(combined(settings[0], settings, SETTINGS), devices=len(replies))
    elif do == "batch":
        merged["files"] = joined(replies, ("inputs", "labels"), folder)
    elif do == "gradients":
        merged["files"] = dict(replies[0]["files"], **joined(replies, ("logits",), folder))
        merged["others"] = [without(reply["files"], "logits") for reply in replies[1:]]
    elif do == "parameters":
        merged["others"] = [reply["files"] for reply in replies[1:]]
    return merged


def combined(first, every, ways):
    """Return `first` with the fields of `ways` that it has, combined from all."""
    return dict(first, **{name: way([one[name] for one in every]) for name, way in ways.items() if name in first})


def joined(replies, names, folder):
    """Write the arrays of all devices, one after the other along the batch; return {name: path}."""
    return save(
        os.path.join(folder, "group"),
        {name: np.concatenate([np.load(reply["files"][name], mmap_mode="r") for reply in replies]) for name in names},
    )


def without(files, name):
    """Return files but the one of a name."""
    return {other: path for other, path in files.items() if other != name}
