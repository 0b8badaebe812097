"""A worker that trains a library's own estimator from beginning to end, as shipped.

docs/reference/protocol.md, "Trainings", describes its requests.
"""

import os
import tempfile
from time import perf_counter

import numpy as np

from rosetta_worker.account import Account
from rosetta_worker.clock import Stopwatch
from rosetta_worker.series import read_arrays, read_tsf, training_parts
from rosetta_worker.service import Service, load_file, packages
from rosetta_worker.surroundings import surroundings


class Trainings(Service):
    """Serves the requests about complete trainings."""

    def __init__(self):
        self.library = None
        self.frequency = None
        self.horizon = None
        self.series = None
        self.predictor = None
        self.samples = None

    def do_open(self, library, setting):
        tempfile.tempdir = os.getcwd()  # the controller deletes checkpoints there, even after a worker was killed
        start = perf_counter()
        self.library = load_file("rosetta_library", library).Library(setting)
        return {"import_s": perf_counter() - start, "packages": packages()}

    def do_parse(self, frequency, horizon, path=None, folder=None):
        with Stopwatch(self.library.synchronize) as watch:
            whole = read_arrays(folder, frequency) if path is None else read_tsf(path, frequency)
            self.series = training_parts(whole, horizon)
        self.frequency, self.horizon = frequency, horizon
        return {
            "elapsed_s": watch.elapsed,
            "cpu_s": watch.cpu,
            "series": len(self.series),
            "values": sum(len(one["target"]) for one in self.series),
            "total": float(sum(np.nansum(one["target"]) for one in self.series)),
        }

    def do_train(self, context, epochs, samples, seed):
        self.library.seed(seed)
        with Stopwatch(self.library.synchronize) as watch:
            account = Account()
            estimator = self.library.estimator(self.frequency, self.horizon, context, epochs, samples)
            self.predictor = self.library.train(estimator, self.series, account)
            self.library.synchronize()
            parts = account.close()
        self.samples = samples
        return {"elapsed_s": watch.elapsed, "cpu_s": watch.cpu, "parts": parts}

    def do_predict(self, folder):
        if not os.path.isdir(folder):
            os.makedirs(folder)
        path = os.path.join(folder, "paths.npy")
        shape = (len(self.series), self.samples, self.horizon)
        paths = np.lib.format.open_memmap(path, "w+", "float32", shape)
        with Stopwatch(self.library.synchronize) as watch:
            for place, forecast in enumerate(self.predictor.predict(self.series)):
                paths[place] = forecast.samples
        if place + 1 != len(self.series):
            raise ValueError("%d forecasts were made of %d series" % (place + 1, len(self.series)))
        paths.flush()
        return {"elapsed_s": watch.elapsed, "cpu_s": watch.cpu, "files": {"paths": path}}

    def do_facts(self):
        return {"facts": self.library.facts()}

    def do_settings(self):
        return {"settings": dict(surroundings(), **self.library.settings())}
