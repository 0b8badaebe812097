"""The contract of a framework, fulfilled once for all workloads: one subclass of `Framework` in one file.

The file ``frameworks/<name>.py`` holds two things: the literal ``DESCRIPTION``, which the laboratory reads without
running the file, and the class ``Adapter``. docs/guide/adding-a-framework.md walks through one.

An implementation, ``workloads/<workload>/<name>.py``, holds the model and nothing else, always in this order:

    Model       the network: inputs -> logits
    sample      optional: draws forecasts of time series, from the model's distribution of the next step
    loss        (logits, labels) -> mean loss over the batch
    penalty     optional: model -> the addition to the loss for the size of its kernels
    optimizer   makes the optimiser from the workload's hyperparameters
    TENSORS     the ties between canonical tensors and the framework's own
    STATE       optional: the same for tensors that are kept and not trained, such as running means
    arrange     optional: inputs in the layout of the model (NumPy to NumPy, once, before anything is timed)

If a workload only infers, there is no loss, penalty or optimiser.
"""

import functools

import numpy as np

from rosetta_worker.schedule import Calendar, factor


class Setting(object):
    """The values that a trial fixes, as attributes.

    mode, device, precision, threads, batch_size, seed, backend, embedding_gradient, input, workers; `optimizer`, a
    Setting with the workload's hyperparameters, or None without training; and `schedule`, None or a Setting for
    `rosetta_worker.schedule.factor`.
    """

    embedding_gradient = "dense"
    input = "memory"
    """The source of the batches: arrays in `memory`; or the framework's own loader, with `workers` workers, over arrays
    on disk (`loader`) or over picture files (`files`)."""
    lazy = ()
    optimizer = None
    precision = "float32"
    schedule = None
    workers = 0

    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, Setting(**value) if isinstance(value, dict) else value)


class Framework(object):
    """A framework running one implementation in one setting.

    The loop calls `build` once and `load` once for each part of the data, then `train`, `gradients`, `evaluate` and
    `parameters` in any order. For a workload that only infers, it calls `build`, then `infer` and `parameters`. A
    subclass implements these methods, without knowing any workload.
    """

    model = None
    """The framework's model; None until `build` has made one, and when it must be made again."""
    dropout = True
    """Whether training applies the model's dropout. A proof switches it off: then the model that `build` makes drops
    nothing."""
    calendar = Calendar()
    """The epoch of each step."""
    tally = None
    """The counter of a block's batches while it is timed: a `rosetta_worker.tally.Tally`."""
    lacks = {
        "embedding_gradient": "this framework's adapter knows no sparse gradients",
        "precision": "this framework's adapter computes in float32 alone",
        "schedule": "this framework's adapter knows no schedule: its learning rate stays as it is",
    }
    """{axis: why only the default of Setting is supported}, for axes without support of other values.

    A key may also be a single value, ``precision=tf32``, which takes precedence.
    """
    rate_within_momentum = False
    """Whether the framework's momentum sums up rate · gradient, so that past steps keep their own rate."""

    def __init__(self, implementation, setting):
        self.implementation = implementation
        self.setting = setting
        self.penalty = getattr(implementation, "penalty", None)

    @property
    def loads(self):
        """Whether the framework's own loader feeds the training."""
        return self.setting.input != "memory"

    @property
    def trains(self):
        """Whether the workload trains. Otherwise it has no loss and no optimiser, and only `infer` is called."""
        return self.setting.optimizer is not None

    @property
    def clip_norm(self):
        """The norm to which all gradients together are clipped before each update; None without clipping."""
        return getattr(self.setting.optimizer, "clip_norm", None)

    def refuse(self):
        """Raise NotImplementedError, with a sentence, if the framework does not support the setting."""
        for axis in sorted({name.partition("=")[0] for name in self.lacks}):
            value = getattr(self.setting, axis)
            why = self.lacks.get("%s=%s" % (axis, value)) or self.lacks.get(axis)
            if why and value != getattr(Setting, axis):
                raise NotImplementedError(why)
        if self.loads and type(self).loader is Framework.loader:
            self.loader(None)
        with_momentum = hasattr(self.setting.optimizer, "momentum")
        if self.setting.schedule is not None and with_momentum and self.rate_within_momentum:
            raise NotImplementedError(
                "its momentum sums up rate times gradient, which is another optimiser as soon as the rate changes: "
                "docs/findings.md"
            )

    # -- the state ---------------------------------------------------------------------------------------------

    def build(self, weights):
        """Make model, loss and optimiser, with the canonical `weights`, {canonical name: float32 array}.

        Another call starts afresh from the weights, with a new state of the optimiser.
        """
        raise NotImplementedError

    def get(self, own):
        """Return the framework's tensor `own` as an array."""
        raise NotImplementedError

    def set(self, own, array):
        """Overwrite the framework's tensor `own`."""
        raise NotImplementedError

    def parameters(self):
        """Return {canonical name: array}: the present values of all tensors in both tables."""
        return dict(self.canonical(self.get), **self.state())

    def set_parameters(self, weights):
        """Write {canonical name: array} into the framework, with both tables."""
        self.write(self.implementation.TENSORS, weights)
        self.set_state(weights)

    def canonical(self, read):
        """Return {canonical name: array} of the trained tensors. `read` returns the array for a framework's name."""
        tensors = {}
        for tie in self.implementation.TENSORS:
            tensors.update(tie.to_canonical({own: np.asarray(read(own)) for own in tie.own}))
        return tensors

    def state(self):
        """Return {canonical name: array} of the kept tensors, as copies that later passes do not change."""
        tensors = {}
        for tie in getattr(self.implementation, "STATE", ()):
            tensors.update(tie.to_canonical({own: np.array(self.get(own)) for own in tie.own}))
        return tensors

    def set_state(self, state):
        """Write back the result of `state`; `state` may contain other tensors, too."""
        self.write(getattr(self.implementation, "STATE", ()), state)

    def write(self, table, tensors):
        """Write {canonical name: array} into the framework, with a table of ties."""
        for tie in table:
            for own, array in tie.to_own(tensors).items():
                self.set(own, np.ascontiguousarray(array))

    def loss(self, model, logits, labels):
        """Return the value to differentiate: the implementation's loss, and its penalty if it has one."""
        loss = self.implementation.loss(logits, labels)
        return loss if self.penalty is None else loss + self.penalty(model)

    # -- the work ----------------------------------------------------------------------------------------------

    def load(self, inputs, labels):
        """Store (n, …) inputs and labels where training reads them. Return the data set for `batch`.

        Labels are (n,) whole numbers, one class for each sample; or (n, classes) float32, 0 or 1, if a sample may have
        several. `labels_as` distinguishes the two.
        """
        raise NotImplementedError

    def batch(self, dataset, ids):
        """Return the framework's (inputs, labels) of the samples `ids`, cut out of a data set from `load`."""
        raise NotImplementedError

    def loader(self, source):
        """Return the framework's own loader over `source`; see `rosetta_worker.loaders`."""
        raise NotImplementedError("this framework's adapter trains from memory only (--set input=memory)")

    def feed(self, dataset, batches):
        """Return an iterator over the (inputs, labels) of each row of `batches`: the batches for `train`.

        If the input is not memory, the data set is the result of `loader`.
        """
        feed = dataset.read(batches) if self.loads else (self.batch(dataset, ids) for ids in batches)
        return self.counted(feed, self.labels_of)

    def counted(self, feed, labels):
        """Return an iterator over `feed` that counts the batches while a block is timed.

        ``labels(batch)`` returns a function that reads the labels of a batch after the clock has stopped.
        """
        return feed if self.tally is None else self.tally.count(feed, labels)

    def labels_of(self, batch):
        """Return a function that reads the labels of an (inputs, labels) batch into a host array."""
        _, labels = batch
        return lambda: self.array(labels)

    def labels_at(self, dataset, ids):
        """Return the same function for a step that cuts its own batch, the samples `ids`, out of a data set."""
        return lambda: self.array(self.batch(dataset, ids)[1])

    def train(self, dataset, batches):
        """Take one optimiser step for each row of `batches`, sample ids of shape (steps, batch size).

        Return the mean loss over the steps as the framework's own scalar, which `number` reads. This must not wait for
        the device.
        """
        raise NotImplementedError

    def begin_epoch(self, epoch):
        """Set the learning rate to the value of the setting's schedule in `epoch`, counted from 0."""
        if self.setting.schedule is not None:
            self.set_learning_rate(self.setting.optimizer.learning_rate * factor(self.setting.schedule, epoch))

    def set_learning_rate(self, rate):
        """Set the learning rate of the next steps, in the way that the framework's guides change it between epochs."""
        raise NotImplementedError(self.lacks["schedule"])

    def gradients(self, dataset, ids):
        """Return (logits, loss, {canonical name: gradient}) of one batch in training mode, without an update."""
        raise NotImplementedError

    def margins(self, dataset, ids, least):
        """Return the distance of each sample of a batch to the nearest edge of the gradient, (samples,); in references.

        If a sample is nearer than `least` in some layer, later layers need not be computed.
        """
        raise NotImplementedError("this framework's adapter does not tell how near a unit is to its edge")

    def evaluate(self, dataset, batches):
        """Return the logits, (n, classes), of the samples of all `batches`, the last of which may be short."""
        raise NotImplementedError

    def infer(self, batches):
        """Return the outputs for all `batches`, as one host array.

        Each batch is a host array, too, (n, …) in the layout of the model; the last may be short. The transfers in both
        directions are part of the work. The model is in evaluation mode and does not change.
        """
        raise NotImplementedError("this framework's adapter does not infer")

    def forecast(self, batches, lags, horizon, paths, seed):
        """Return sample paths of the future of each series, (series, paths, horizon), as one host array.

        Each batch is a host array, (n, steps, channels), of the known values of some series; their last `horizon` steps
        are in the future. `lags` are the lags of the values in the first channels; future values there are 0 until they
        are drawn. The implementation's ``sample`` draws them, in evaluation mode, with the framework's own generator,
        seeded with `seed` before the first batch.
        """
        raise NotImplementedError("this framework's adapter draws no sample paths")

    # -- what the clock and the proof need -----------------------------------------------------------------------

    def synchronize(self):
        """Return when the device has finished all work."""
        raise NotImplementedError

    def linger(self, size, repeats):
        """Start `repeats` dependent (size, size) matrix products, and return the result without waiting for it.

        This keeps the device busy for a known time, to prove that `synchronize` waits.
        """
        raise NotImplementedError

    def number(self, scalar):
        """Return the framework's scalar as a float."""
        return float(scalar)

    def array(self, tensor):
        """Return the framework's tensor as a NumPy array."""
        return np.asarray(tensor)

    def learning_rate(self):
        """Return the rate of the next step, read back from the optimiser; None if that is impossible."""
        raise NotImplementedError

    def updates(self):
        """Return the number of updates that the optimiser has counted by itself; None if it does not count them."""
        return

    def settings(self):
        """Return the settings in force, read back from the framework: threads, precision flags, mode."""
        raise NotImplementedError

    def arranged(self, inputs):
        """Return `inputs` in the layout of the implementation; bytes become float32 from 0 to 1."""
        arrange = getattr(self.implementation, "arrange", None)
        inputs = np.ascontiguousarray(arrange(inputs) if arrange else inputs)
        return np.divide(inputs, np.float32(255), dtype="float32") if inputs.dtype == np.uint8 else inputs

    # -- the parts of a step, for explanations; a framework that cannot separate one raises a sentence that says so
    # -------

    def fetch(self, dataset, ids):
        """Return (inputs, labels) of the samples `ids`, ready for the model, in the form of `train_fetched`."""
        return self.batch(dataset, ids)

    def train_fetched(self, fetched, steps):
        """Take `steps` optimiser steps on the batches of the list `fetched`, in turn. Return the mean loss, as `train`.

        This is `train` without the input pipeline.
        """
        raise NotImplementedError("this framework's adapter cannot train without its input pipeline")

    def backpropagate(self, fetched, steps):
        """Do `steps` forward and backward passes on the batches of `fetched`, in turn, without an update.

        Return a value for `synchronize` to wait for, if it needs one.
        """
        raise NotImplementedError("this framework's adapter cannot leave the optimiser out")

    def keep_gradients(self, inputs, labels):
        """Compute the gradients of one fetched batch and keep them for `apply_gradients`."""
        raise NotImplementedError("this framework's adapter cannot run the optimiser by itself")

    def apply_gradients(self, steps):
        """Let the optimiser apply the kept gradients `steps` times."""
        raise NotImplementedError("this framework's adapter cannot run the optimiser by itself")

    def profile(self, work, folder):
        """Run ``work()`` with the framework's own profiler, which may write into `folder`.

        Return (wall seconds, operations); see `rosetta_worker.traces.attribute`.
        """
        raise NotImplementedError("this framework's adapter knows no profiler")

    # -- ceilings of the machine, for `rosetta peak`; a framework that lacks an operation raises a sentence
    # --------------

    def product(self, matrix, precision):
        """Return a function of a number: it starts a chain of that many products with `matrix` and returns the last.

        `matrix` is (n, n) and float32. The chain is ``matrix @ matrix @ …``, computed in `precision`: float32,
        bfloat16, float64, or tf32. It must not wait for the device.
        """
        raise NotImplementedError("this framework's adapter multiplies no matrices by themselves")

    def copies(self, array):
        """Return {way: function of a number}: each copies `array` that many times and returns the last copy.

        Ways: ``memory``, within the device's memory; on a device other than the host also ``to_device`` and
        ``from_device``. `array` is (n,) and float32.
        """
        raise NotImplementedError("this framework's adapter copies nothing by itself")


def labels_as(labels, kind):
    """Return classes as whole numbers of the dtype `kind`, for the framework's losses; other labels unchanged."""
    return labels if labels.dtype.kind == "f" else labels.astype(kind)


def resolve(thing, path):
    """Follow a dotted path of attributes and indices: ``resolve(model, "gru.0.w1")``."""
    return functools.reduce(step, path.split("."), thing)


def step(thing, name):
    """Take one step of a dotted path."""
    return thing[int(name)] if name.isdigit() else getattr(thing, name)
