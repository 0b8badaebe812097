"""Time series in GluonTS's form: a list of objects with `start`, `target` and `item_id`.

pandas and GluonTS are imported late, since this file is also read in environments without them.
"""

import os

import numpy as np

BEGINNING = "1970-01-01"
"""The start of a series without a known one, as in GluonTS's own loader of the Monash archive."""


def read_tsf(path, frequency):
    """Return all series of a .tsf file, from GluonTS's own reader. `frequency` is pandas' name."""
    from gluonts.dataset.repository._tsf_reader import TSFReader

    _, rows = TSFReader(path).read()
    return [
        entry(row.get("start_timestamp", BEGINNING), row["target"], row.get("series_name", number), frequency)
        for number, row in enumerate(rows)
    ]


def read_arrays(folder, frequency):
    """Return all series in a folder of the laboratory: values, offsets and starts (docs/guide/data.md)."""
    values, offsets, starts = (
        np.load(os.path.join(folder, name + ".npy"), mmap_mode="r") for name in ("values", "offsets", "starts")
    )
    days = starts.view("datetime64[s]")
    return [
        entry(BEGINNING if np.isnat(day) else str(day), np.array(values[first:last]), number, frequency)
        for number, (first, last, day) in enumerate(zip(offsets, offsets[1:], days))
    ]


def entry(start, target, name, frequency):
    """Return one series in GluonTS's form."""
    import pandas

    return {"start": pandas.Period(start, freq=frequency), "target": target, "item_id": str(name)}


def training_parts(series, horizon):
    """Return the series without their last `horizon` observations. Series that are no longer than that are left out."""
    return [dict(one, target=one["target"][:-horizon]) for one in series if len(one["target"]) > horizon]
