"""Time series in the form in which GluonTS takes them: a list of objects with `start`, `target` and `item_id`.

pandas and GluonTS are imported where they are used: this file is read in environments that do not have them, too.
"""

import os

import numpy as np

BEGINNING = "1970-01-01"
"""When a series begins of which nobody says it; GluonTS's own loader of the Monash archive takes the same day."""


def read_tsf(path, frequency):
    """Return all series of a .tsf file, read by GluonTS's own reader; `frequency` is pandas' name of it."""
    from gluonts.dataset.repository._tsf_reader import TSFReader

    _, rows = TSFReader(path).read()
    return [
        entry(row.get("start_timestamp", BEGINNING), row["target"], row.get("series_name", number), frequency)
        for number, row in enumerate(rows)
    ]


def read_arrays(folder, frequency):
    """Return all series of a folder of the laboratory's own: values, offsets and starts (docs/guide/data.md)."""
    values, offsets, starts = (
        np.load(os.path.join(folder, name + ".npy"), mmap_mode="r") for name in ("values", "offsets", "starts")
    )
    days = starts.view("datetime64[s]")
    return [
        entry(BEGINNING if np.isnat(day) else str(day), np.array(values[first:last]), number, frequency)
        for number, (first, last, day) in enumerate(zip(offsets, offsets[1:], days))
    ]


def entry(start, target, name, frequency):
    """Return one series as GluonTS takes it."""
    import pandas

    return {"start": pandas.Period(start, freq=frequency), "target": target, "item_id": str(name)}


def training_parts(series, horizon):
    """Return the series without their last `horizon` observations; those that are no longer leave nothing to train."""
    return [dict(one, target=one["target"][:-horizon]) for one in series if len(one["target"]) > horizon]
