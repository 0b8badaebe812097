"""The contract that a framework fulfils once, for every workload: one subclass of `Framework` in one file.

The file ``frameworks/<name>.py`` holds two things: the literal ``DESCRIPTION``, which the laboratory reads without
running the file, and the class ``Adapter``. docs/guide/adding-a-framework.md walks through one.

An implementation, ``workloads/<workload>/<name>.py``, holds the model and nothing else, always in this order:

    Model       the network: inputs -> logits
    sample      optional: draws what follows each time series, from what the model says of the next step
    loss        (logits, labels) -> mean loss over the batch
    penalty     optional: model -> what is added to the loss for the size of its kernels
    optimizer   what updates the parameters, from the workload's hyperparameters
    TENSORS     the ties between canonical tensors and the framework's own
    STATE       optional: the same for tensors that are kept and not trained, such as running means
    arrange     optional: inputs in the layout that the model wants (NumPy to NumPy, once, before anything is timed)

Where a workload only infers, there is no loss, penalty or optimiser.
"""

import functools

import numpy as np

from rosetta_worker.schedule import Calendar, factor


class Setting(object):
    """What a trial fixes, as attributes.

    mode, device, precision, threads, batch_size, seed, backend, embedding_gradient, input, workers; `optimizer`, itself
    a Setting with the workload's hyperparameters, or None where nothing is trained; and `schedule`, None or a Setting
    as `rosetta_worker.schedule.factor` reads it.
    """

    embedding_gradient = "dense"
    input = "memory"
    """What feeds the model: arrays in `memory`, or the framework's own loader, with so many `workers`, over arrays that
    lie on disk (`loader`) or over picture files (`files`)."""
    lazy = ()
    optimizer = None
    precision = "float32"
    schedule = None
    workers = 0

    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, Setting(**value) if isinstance(value, dict) else value)


class Framework(object):
    """A framework at work on one implementation under one setting.

    The loop calls: `build` once, `load` once per part of the data, then `train`, `gradients`, `evaluate` and
    `parameters` in any order; of a workload that only infers `build`, then `infer` and `parameters`. A subclass says
    how; nothing in it knows a workload.
    """

    model = None
    """The framework's model; None until `build` has made one, and where it must make another."""
    dropout = True
    """Whether training drops what the model's dropout layers state. A proof switches it off: then the model that
    `build` makes keeps everything."""
    calendar = Calendar()
    """Which epoch each step is in."""
    tally = None
    """What counts the batches of a block while it is timed: a `rosetta_worker.tally.Tally`."""
    lacks = {
        "embedding_gradient": "this framework's adapter knows no sparse gradients",
        "precision": "this framework's adapter computes in float32 alone",
        "schedule": "this framework's adapter knows no schedule: its learning rate stays as it is",
    }
    """By axis, why no other value can be had than the one that a Setting has by itself; without an axis that can.

    What is said of one value alone, ``precision=tf32``, goes before that.
    """
    rate_within_momentum = False
    """Whether the framework's momentum sums up rate · gradient, so that steps keep the rate that they were made at."""

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
        """Whether the workload trains. If not, there is no loss and no optimiser, and `infer` is all its work."""
        return self.setting.optimizer is not None

    @property
    def clip_norm(self):
        """The norm to which all gradients together are clipped before each update; None where they are not."""
        return getattr(self.setting.optimizer, "clip_norm", None)

    def refuse(self):
        """Raise NotImplementedError, with a sentence, where the framework cannot do what the setting asks for."""
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
        """Make model, loss and optimiser; set the canonical `weights`, {canonical name: float32 array}.

        Called again, it starts afresh from those weights, with the optimiser's state forgotten.
        """
        raise NotImplementedError

    def get(self, own):
        """Return the framework's tensor of the name `own` as an array."""
        raise NotImplementedError

    def set(self, own, array):
        """Overwrite the framework's tensor of the name `own`."""
        raise NotImplementedError

    def parameters(self):
        """Return {canonical name: array}: every tensor of both tables, as it is now."""
        return dict(self.canonical(self.get), **self.state())

    def set_parameters(self, weights):
        """Write {canonical name: array} through both tables into the framework."""
        self.write(self.implementation.TENSORS, weights)
        self.set_state(weights)

    def canonical(self, read):
        """Return {canonical name: array} of what is trained, from `read`: an array for the framework's name."""
        tensors = {}
        for tie in self.implementation.TENSORS:
            tensors.update(tie.to_canonical({own: np.asarray(read(own)) for own in tie.own}))
        return tensors

    def state(self):
        """Return {canonical name: array} of what is kept and not trained: copies, which later passes do not change."""
        tensors = {}
        for tie in getattr(self.implementation, "STATE", ()):
            tensors.update(tie.to_canonical({own: np.array(self.get(own)) for own in tie.own}))
        return tensors

    def set_state(self, state):
        """Write back what `state` returned; other tensors may be among it."""
        self.write(getattr(self.implementation, "STATE", ()), state)

    def write(self, table, tensors):
        """Write {canonical name: array} into the framework, as a table of ties says."""
        for tie in table:
            for own, array in tie.to_own(tensors).items():
                self.set(own, np.ascontiguousarray(array))

    def loss(self, model, logits, labels):
        """Return what is differentiated: the implementation's loss, and its penalty where it has one."""
        loss = self.implementation.loss(logits, labels)
        return loss if self.penalty is None else loss + self.penalty(model)

    # -- the work ----------------------------------------------------------------------------------------------

    def load(self, inputs, labels):
        """Hold (n, …) inputs and labels where training reads them; return the data set for `batch`.

        Labels are (n,) whole numbers, one class for each sample; or (n, classes) float32, 0 or 1, where a sample may
        have several. `labels_as` keeps the two apart.
        """
        raise NotImplementedError

    def batch(self, dataset, ids):
        """Return the framework's (inputs, labels) for the samples `ids`, cut out of what `load` holds."""
        raise NotImplementedError

    def loader(self, source):
        """Return the framework's own loader over `source`: see `rosetta_worker.loaders`."""
        raise NotImplementedError("this framework's adapter trains from memory only (--set input=memory)")

    def feed(self, dataset, batches):
        """Return an iterator over the (inputs, labels) of each row of `batches`: what `train` feeds the model.

        The data set of a trial whose input is not memory is what `loader` returned.
        """
        feed = dataset.read(batches) if self.loads else (self.batch(dataset, ids) for ids in batches)
        return self.counted(feed, self.labels_of)

    def counted(self, feed, labels):
        """Return an iterator over what `feed` yields, which is counted while a block is timed.

        ``labels(batch)`` returns a function that reads the labels of a batch when the clock has stopped.
        """
        return feed if self.tally is None else self.tally.count(feed, labels)

    def labels_of(self, batch):
        """Return a function that reads the labels of an (inputs, labels): an array of the host."""
        _, labels = batch
        return lambda: self.array(labels)

    def labels_at(self, dataset, ids):
        """Return the same of a step that cuts its batch, the samples `ids`, out of a data set by itself."""
        return lambda: self.array(self.batch(dataset, ids)[1])

    def train(self, dataset, batches):
        """Take one optimiser step for each row of `batches`, sample ids of shape (steps, batch size).

        Return the mean loss over the steps as the framework's own scalar, which `number` reads: nothing in here may
        wait for the device.
        """
        raise NotImplementedError

    def begin_epoch(self, epoch):
        """Let the learning rate be what the setting's schedule makes of it in `epoch`, counted from 0."""
        if self.setting.schedule is not None:
            self.set_learning_rate(self.setting.optimizer.learning_rate * factor(self.setting.schedule, epoch))

    def set_learning_rate(self, rate):
        """Let steps have this learning rate from now on, the way the framework's guides change it between epochs."""
        raise NotImplementedError(self.lacks["schedule"])

    def gradients(self, dataset, ids):
        """Return (logits, loss, {canonical name: gradient}) of one batch in training mode; update nothing."""
        raise NotImplementedError

    def margins(self, dataset, ids, least):
        """Return how near each sample of a batch comes to an edge of the gradient, (samples,): of references alone.

        Where one comes nearer than `least`, nothing behind that layer need be looked at.
        """
        raise NotImplementedError("this framework's adapter does not tell how near a unit is to its edge")

    def evaluate(self, dataset, batches):
        """Return the logits, (n, classes), for the samples of all `batches`, the last of which may be short."""
        raise NotImplementedError

    def infer(self, batches):
        """Return what comes out for all `batches`, as one array of the host.

        Each is an array of the host, too, (n, …) in the layout that the model wants, the last perhaps short: the way
        there and back is part of the work. The model is in evaluation mode, and nothing in it changes.
        """
        raise NotImplementedError("this framework's adapter does not infer")

    def forecast(self, batches, lags, horizon, paths, seed):
        """Return sample paths of what follows each series, (series, paths, horizon), as one array of the host.

        Each batch is an array of the host, (n, steps, channels): what is known of some series, their last `horizon`
        steps lying ahead. `lags` says how far back the values lie that the first channels show: those that lie ahead
        are 0, until they are drawn. It is done with the implementation's ``sample``, in evaluation mode, and with the
        framework's own generator, seeded with `seed` before the first batch.
        """
        raise NotImplementedError("this framework's adapter draws no sample paths")

    # -- what the clock and the proof need -----------------------------------------------------------------------

    def synchronize(self):
        """Return when the device has finished everything that was asked of it."""
        raise NotImplementedError

    def linger(self, size, repeats):
        """Start `repeats` dependent (size, size) matrix products and return the result without waiting for it.

        It makes the device busy for a known while: the proof that `synchronize` waits.
        """
        raise NotImplementedError

    def number(self, scalar):
        """Return the framework's scalar as a float."""
        return float(scalar)

    def array(self, tensor):
        """Return the framework's tensor as a NumPy array."""
        return np.asarray(tensor)

    def learning_rate(self):
        """Return the rate that the next step will use, read back from the optimiser; None where that is impossible."""
        raise NotImplementedError

    def updates(self):
        """Return how many updates the optimiser has counted by itself; None where it counts none."""
        return

    def settings(self):
        """Return what is really in force, read back from the framework: threads, precision flags, mode."""
        raise NotImplementedError

    def arranged(self, inputs):
        """Return `inputs` in the layout that the implementation asks for; bytes become float32 from 0 to 1."""
        arrange = getattr(self.implementation, "arrange", None)
        inputs = np.ascontiguousarray(arrange(inputs) if arrange else inputs)
        return np.divide(inputs, np.float32(255), dtype="float32") if inputs.dtype == np.uint8 else inputs

    # -- the parts of a step, for explanations; a framework that cannot tell one apart says so in a sentence -----------

    def fetch(self, dataset, ids):
        """Return (inputs, labels) of the samples `ids`, ready for the model, as `train_fetched` takes them."""
        return self.batch(dataset, ids)

    def train_fetched(self, fetched, steps):
        """Take `steps` optimiser steps on the batches of the list `fetched`, in turn; return the mean loss as `train`.

        It is `train` with the input pipeline switched off.
        """
        raise NotImplementedError("this framework's adapter cannot train without its input pipeline")

    def backpropagate(self, fetched, steps):
        """Do `steps` forward and backward passes on the batches of `fetched`, in turn, and update nothing.

        Return what `synchronize` must wait for, if it would not know of it otherwise.
        """
        raise NotImplementedError("this framework's adapter cannot leave the optimiser out")

    def keep_gradients(self, inputs, labels):
        """Compute the gradients of one fetched batch and keep them for `apply_gradients`."""
        raise NotImplementedError("this framework's adapter cannot run the optimiser by itself")

    def apply_gradients(self, steps):
        """Let the optimiser apply the kept gradients `steps` times."""
        raise NotImplementedError("this framework's adapter cannot run the optimiser by itself")

    def profile(self, work, folder):
        """Run ``work()`` under the framework's own profiler, which may write into `folder`.

        Return (wall seconds, operations): see `rosetta_worker.traces.attribute`.
        """
        raise NotImplementedError("this framework's adapter knows no profiler")

    # -- what the machine can do, for `rosetta peak`; a framework that cannot do one says so in a sentence -------------

    def product(self, matrix, precision):
        """Return a function that starts a chain of so many products with `matrix` and returns the last one.

        `matrix` is (n, n) and float32. The chain is ``matrix @ matrix @ …``, computed in `precision`: float32,
        bfloat16, float64, or tf32. Nothing in it may wait for the device.
        """
        raise NotImplementedError("this framework's adapter multiplies no matrices by themselves")

    def copies(self, array):
        """Return {way: function}: each copies `array` so many times and returns the last copy.

        Ways: ``memory``, from the device's memory to another place in it; where the device is not the host,
        ``to_device`` and ``from_device``. `array` is (n,) and float32.
        """
        raise NotImplementedError("this framework's adapter copies nothing by itself")


def labels_as(labels, kind):
    """Return classes as whole numbers of the dtype `kind`, as the framework's losses read them; others stay as is."""
    return labels if labels.dtype.kind == "f" else labels.astype(kind)


def resolve(thing, path):
    """Follow a dotted path of attributes and indices: ``resolve(model, "gru.0.w1")``."""
    return functools.reduce(step, path.split("."), thing)


def step(thing, name):
    """Take one step of a dotted path."""
    return thing[int(name)] if name.isdigit() else getattr(thing, name)
