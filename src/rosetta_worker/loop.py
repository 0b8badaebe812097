"""A worker that holds one model of one workload: the same code for every framework and workload."""

import multiprocessing
import os
from itertools import islice
from time import perf_counter

import numpy as np

from rosetta_worker.clock import Stopwatch
from rosetta_worker.framework import Setting
from rosetta_worker.pictures import Pictures
from rosetta_worker.schedule import Calendar
from rosetta_worker.service import Service, load_file, packages
from rosetta_worker.source import Source
from rosetta_worker.surroundings import surroundings
from rosetta_worker.tally import Tally

POOL = 8
"""Batches that `reuse` and similar requests fetch beforehand. They are few enough to stay in the caches, as a newly
fetched batch does; but more than one, since a model has soon nothing left to learn from a single batch."""

SEED = 0
"""The seed of the numbers to multiply. They are random, because the power draw of a chip, and so its speed, depends on
them. Their variance is 1/n, so that a chain of products neither grows nor vanishes."""

CHECKED = 4
"""Rows of a product that are compared with the same product in float64."""


class Worker(Service):
    """Serves the requests about a model: docs/reference/protocol.md, "Requests"."""

    def __init__(self):
        self.framework = None
        self.datasets = {}
        self.source = None
        self.labels = {}
        self.batches = None
        self.children = []
        self.work = None

    # -- one method per request ------------------------------------------------------------------------------------

    def do_open(self, framework, implementation, setting):
        start = perf_counter()
        adapter = load_file("rosetta_framework", framework).Adapter
        model = load_file("rosetta_implementation", implementation) if implementation else None
        self.framework = adapter(model, Setting(**setting))
        self.framework.refuse()
        return {"import_s": perf_counter() - start, "packages": packages()}

    def do_build(self, weights, dropout=True, steps_per_epoch=None, epochs_apart=1):
        self.framework.calendar = Calendar(steps_per_epoch, epochs_apart)
        if dropout != self.framework.dropout:
            self.framework.dropout = dropout
            self.framework.model = None  # the model was made, and perhaps compiled, for the other case
        arrays = {name: np.load(path) for name, path in weights.items()}
        with Stopwatch(lambda: None) as watch:
            self.framework.build(arrays)
            self.framework.synchronize()
        return {"build_s": watch.elapsed, "parameters": int(sum(array.size for array in arrays.values()))}

    def do_place(self, weights):
        self.framework.set_parameters({name: np.load(path) for name, path in weights.items()})
        return {}

    def do_data(self, part, labels, inputs=None, pictures=None):
        with Stopwatch(lambda: None) as watch:
            self.labels[part] = np.array(np.load(labels, mmap_mode="r"))
            if part == "train" and self.loads:
                kind, files = (Source, inputs) if pictures is None else (Pictures, pictures)
                self.source = kind(files, labels, self.framework.arranged)
                self.datasets[part] = self.open_loader(self.source)
            else:
                images = self.framework.arranged(np.load(inputs, mmap_mode="r"))
                loaded = self.framework.load(images, self.labels[part]) if self.framework.trains else images
                self.datasets[part] = loaded
        return {"load_s": watch.elapsed, "samples": len(self.labels[part])}

    @property
    def loads(self):
        """Whether the framework's own loader feeds the training."""
        return self.framework is not None and self.framework.loads

    def open_loader(self, source):
        """Return the framework's loader over a source, started: it has loaded as many batches as it has workers."""
        loader = self.framework.loader(source)
        setting = self.framework.setting
        rows = [source.plain(min(setting.batch_size, len(source)))] * max(2, setting.workers)  # Keras needs two
        for _ in islice(loader.read(rows), len(rows)):
            pass
        self.children = [child.pid for child in multiprocessing.active_children()]
        return loader

    def do_batches(self, path):
        self.batches = np.load(path, mmap_mode="r")
        return {"steps": len(self.batches)}

    def do_train(self, first, steps):
        batches = self.rows(first, steps)
        dataset, parts = self.datasets["train"], self.framework.calendar.parts(first, batches)
        self.framework.begin_epoch(parts[0][0])
        rate, before = self.framework.learning_rate(), self.framework.updates()
        tally = self.framework.tally = Tally(steps)
        with Stopwatch(self.framework.synchronize, self.children) as watch:
            losses = [self.framework.train(dataset, parts[0][1])]
            for epoch, rows in parts[1:]:
                self.framework.begin_epoch(epoch)
                losses.append(self.framework.train(dataset, rows))
        self.framework.tally = None
        after = self.framework.updates()
        total = sum(self.framework.number(loss) * len(rows) for loss, (_, rows) in zip(losses, parts))
        reply = {
            "elapsed_s": watch.elapsed,
            "cpu_s": watch.cpu,
            "loss": total / steps,
            "learning_rate": rate,
            "updates": None if None in (before, after) else after - before,
            "samples": samples_of(batches),
        }
        return dict(reply, **tally.report())

    def do_batch(self, step, folder, steps=1):
        read = self.framework.array
        brought = [(read(inputs), read(labels)) for inputs, labels in self.fetching(self.rows(step, steps))]
        if len(brought) != steps:
            raise ValueError("%d batches were brought for the %d rows from %d on" % (len(brought), steps, step))
        inputs, labels = map(np.concatenate, zip(*brought))
        return {"files": save(folder, {"inputs": inputs, "labels": labels})}

    def do_gradients(self, step, folder):
        dataset, ids = self.single(step)
        state = self.framework.state()  # a pass in training mode changes it, for example a running mean
        logits, loss, gradients = self.framework.gradients(dataset, ids)
        self.framework.set_state(state)
        files = save(folder, dict(gradients, logits=self.framework.array(logits)))
        return {"loss": self.framework.number(loss), "files": files}

    def do_margins(self, step, folder, least=0.0):
        margins = self.framework.margins(self.datasets["train"], np.array(self.batches[step]), least)
        return {"files": save(folder, {"margins": self.framework.array(margins)})}

    def single(self, step):
        """Return (data set, ids) for the batch of a row. A batch from a loader becomes its own data set."""
        if not self.loads:
            return self.datasets["train"], np.array(self.batches[step])
        brought = list(self.fetching(self.rows(step, 1)))
        if len(brought) != 1:
            raise ValueError("the loader brought no batch for row %d" % step)
        inputs, labels = map(self.framework.array, brought[0])
        return self.framework.load(inputs, labels), np.arange(len(labels))

    def do_parameters(self, folder):
        return {"files": save(folder, self.framework.parameters())}

    def do_evaluate(self, part, samples, batch_size, folder=None):
        ids = np.arange(samples)
        batches = [ids[start : start + batch_size] for start in range(0, samples, batch_size)]
        with Stopwatch(self.framework.synchronize) as watch:
            logits = self.framework.array(self.framework.evaluate(self.datasets[part], batches))
        reply = {"elapsed_s": watch.elapsed, "cpu_s": watch.cpu, "samples": len(logits)}
        labels = self.labels[part][: len(logits)]
        if labels.ndim == 1:  # with several labels, or none, per sample, no label is the right one
            reply["correct"] = int((logits.argmax(1) == labels).sum())
        if folder is not None:
            reply["files"] = save(folder, {"logits": logits})
        return reply

    def do_infer(self, first, samples, batch_size, folder=None):
        if self.framework.trains:
            raise NotImplementedError("this workload trains: its evaluation mode is asked for by `evaluate`")
        batches = list(self.in_order(first, samples, batch_size))
        with Stopwatch(self.framework.synchronize) as watch:
            outputs = self.framework.infer(batches)
        reply = {"elapsed_s": watch.elapsed, "cpu_s": watch.cpu, "samples": len(outputs)}
        if folder is not None:
            reply["files"] = save(folder, {"outputs": outputs})
        return reply

    def do_forecast(self, inputs, lags, horizon, paths, seed, batch_size, folder):
        if not hasattr(self.framework.implementation, "sample"):
            raise NotImplementedError("this workload forecasts nothing: no model of it is asked for what comes next")
        known = self.framework.arranged(np.load(inputs, mmap_mode="r"))
        batches = (known[start : start + batch_size] for start in range(0, len(known), batch_size))
        with Stopwatch(self.framework.synchronize) as watch:
            samples = self.framework.forecast(batches, lags, horizon, paths, seed)
        return {"elapsed_s": watch.elapsed, "cpu_s": watch.cpu, "files": save(folder, {"samples": samples})}

    def in_order(self, first, samples, batch_size):
        """Yield batches of the training part in its order, from batch `first` on, cyclically; the last may be short.

        They are views: no sample is copied.
        """
        inputs = self.datasets["train"]
        whole = len(inputs) // batch_size
        for number in range(-(-samples // batch_size)):
            start = (first + number) % whole * batch_size
            yield inputs[start : start + min(batch_size, samples - number * batch_size)]

    def do_tick(self, repeats):
        """Measure an empty block with the clock; the median of `repeats`."""
        times = []
        for _ in range(repeats):
            with Stopwatch(self.framework.synchronize) as watch:
                pass
            times.append(watch.elapsed)
        return {"elapsed_s": sorted(times)[repeats // 2]}

    # -- the parts of a step ---------------------------------------------------------------------------------------

    def rows(self, first, steps):
        if not self.framework.trains:
            raise NotImplementedError("this workload only infers: there is no training step, nor a part of one")
        rows = np.array(self.batches[first : first + steps])
        if len(rows) != steps:
            raise ValueError("only %d batches are left from step %d on, not %d" % (len(rows), first, steps))
        return rows

    def fetching(self, rows):
        """Return an iterator over the batches of `rows`, each ready for the model."""
        dataset, fetch = self.datasets["train"], self.framework.fetch
        if self.loads:
            return islice(self.framework.feed(dataset, rows), len(rows))
        return (fetch(dataset, ids) for ids in rows)

    def fetched(self, first, steps):
        return list(self.fetching(self.rows(first, min(steps, POOL))))

    def do_feed(self, first, steps):
        rows = self.rows(first, steps)
        with Stopwatch(self.framework.synchronize, self.children) as watch:
            for last in self.fetching(rows):  # noqa: B007 (see below)
                pass
        del last  # kept until the second reading: some frameworks wait only for arrays that are alive
        return {"elapsed_s": watch.elapsed, "cpu_s": watch.cpu, "samples": samples_of(rows)}

    def do_reuse(self, first, steps):
        fetched = self.fetched(first, steps)
        with Stopwatch(self.framework.synchronize) as watch:
            loss = self.framework.train_fetched(fetched, steps)
        return {"elapsed_s": watch.elapsed, "cpu_s": watch.cpu, "loss": self.framework.number(loss)}

    def do_backpropagate(self, first, steps):
        fetched = self.fetched(first, steps)
        with Stopwatch(self.framework.synchronize) as watch:
            done = self.framework.backpropagate(fetched, steps)
        del done  # as in do_feed
        return {"elapsed_s": watch.elapsed, "cpu_s": watch.cpu}

    def do_update(self, first, steps):
        self.framework.keep_gradients(*self.fetched(first, 1)[0])
        with Stopwatch(self.framework.synchronize) as watch:
            self.framework.apply_gradients(steps)
        return {"elapsed_s": watch.elapsed, "cpu_s": watch.cpu}

    def do_profile(self, first, steps, folder):
        rows, dataset = self.rows(first, steps), self.datasets["train"]
        if not os.path.isdir(folder):
            os.makedirs(folder)

        def work():
            self.framework.synchronize()
            start = perf_counter()
            self.framework.train(dataset, rows)
            self.framework.synchronize()
            return perf_counter() - start

        elapsed, operations = self.framework.profile(work, folder)
        return {"elapsed_s": elapsed, "operations": operations}

    def do_settings(self):
        found = dict(surroundings(), **self.framework.settings())
        if self.loads and "train" in self.datasets:
            found.update(self.source.settings(), **self.datasets["train"].settings())
        return {"settings": found}

    def do_linger(self, size, repeats):
        """Measure when a computation was requested, and when it was done, both from the same start."""
        framework = self.framework
        framework.synchronize()
        start = perf_counter()
        result = framework.linger(size, repeats)
        asked = perf_counter() - start
        framework.synchronize()
        done = perf_counter() - start
        value = framework.array(result)
        read = perf_counter() - start - done
        return {"asked_s": asked, "done_s": done, "read_s": read, "finite": bool(np.isfinite(value).all())}

    # -- ceilings of the machine ------------------------------------------------------------------------------------

    def do_product(self, size, precision):
        if precision == "tf32" and self.framework.setting.device == "cpu":
            raise NotImplementedError("TF32 is a format of NVIDIA's GPUs")
        largest = (3.0 / size) ** 0.5
        matrix = np.random.RandomState(SEED).uniform(-largest, largest, (size, size)).astype("float32")
        self.work = self.framework.product(matrix, precision)
        rows = self.framework.array(self.work(2))[:CHECKED].astype("float64")
        exact = matrix[:CHECKED].astype("float64")
        for _ in range(2):  # a chain, so that a missing product is noticed
            exact = exact @ matrix
        return {"error": float(np.linalg.norm(rows - exact) / np.linalg.norm(exact)), "operations": 2 * size**3}

    def do_copy(self, bytes, way):
        array = np.arange(bytes // 4, dtype="float32")
        ways = self.framework.copies(array)
        if way not in ways:
            raise NotImplementedError("no copy %s: the device is the host" % way.replace("_", " "))
        self.work = ways[way]
        equal = np.array_equal(self.framework.array(self.work(1)), array)
        return {"equal": bool(equal), "bytes": 2 * array.nbytes if way == "memory" else array.nbytes}

    def do_repeat(self, times):
        with Stopwatch(self.framework.synchronize) as watch:
            last = self.work(times)
        del last  # kept until the second reading: some frameworks wait only for arrays that are alive
        return {"elapsed_s": watch.elapsed, "cpu_s": watch.cpu}

    def do_close(self):
        if self.loads and "train" in self.datasets:
            self.datasets["train"].close()
        return {}


def samples_of(rows):
    """Return the number of samples in (steps, batch size) rows, in whatever form each is drawn."""
    return int(rows.shape[0] * rows.shape[1])


def save(folder, arrays):
    """Write {name: array} as .npy files into `folder`; return {name: path}."""
    if not os.path.isdir(folder):
        os.makedirs(folder)
    files = {}
    for name, array in arrays.items():
        files[name] = os.path.join(folder, name + ".npy")
        with open(files[name], "wb") as file:
            np.lib.format.write_array(Plain(file), np.asanyarray(array), allow_pickle=False)
    return files


class Plain(object):
    """A file that offers NumPy only its method `write`.

    To an ordinary file NumPy writes through C, and on a full disk reports only how many numbers did not fit.
    """

    def __init__(self, file):
        self.write = file.write
