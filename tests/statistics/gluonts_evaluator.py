"""Runs in an environment with GluonTS: judges the forecasts in a folder by its Evaluator, and prints what it finds.

Arguments: the folder with values, offsets and starts of series (rosettabench.data.series.series) and paths.npy,
(series, samples, horizon); and the frequency, as pandas abbreviates it.
"""

import json
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")

import pandas as pd  # noqa: E402
from gluonts.evaluation import Evaluator  # noqa: E402
from gluonts.model.forecast import SampleForecast  # noqa: E402
from gluonts.time_feature import get_seasonality  # noqa: E402

folder, frequency = sys.argv[1:]
values, offsets, starts, paths = (np.load(f"{folder}/{name}.npy") for name in ("values", "offsets", "starts", "paths"))
horizon = paths.shape[2]

series, forecasts = [], []
for place, start in enumerate(starts.view("datetime64[s]")):
    own = values[offsets[place] : offsets[place + 1]]
    begin = pd.Period(start if not np.isnat(start) else "1970-01-01", freq=frequency)
    index = pd.period_range(begin, periods=len(own), freq=frequency)
    series.append(pd.Series(own, index=index))
    forecasts.append(SampleForecast(paths[place], start_date=index[-horizon], item_id=str(place)))

together, each = Evaluator(num_workers=0)(series, forecasts)
losses = [f"QuantileLoss[{level / 10}]" for level in range(1, 10)]
print(
    json.dumps(
        {
            "seasonality": get_seasonality(frequency),
            "mase": each["MASE"].tolist(),
            "smape": each["sMAPE"].tolist(),
            "losses": each[losses].to_numpy().tolist(),
            "seasonal_error": each["seasonal_error"].tolist(),
            "together": [together["MASE"], together["sMAPE"], together["mean_wQuantileLoss"]],
        }
    )
)
