"""GluonTS's DeepAREstimator on MXNet, trained by GluonTS's own loop over Gluon blocks."""

import inspect
import sys
from queue import Queue
from threading import Thread
from time import perf_counter

import mxnet as mx
from gluonts.mx import DeepAREstimator, Trainer
from gluonts.mx.block.scaler import MeanScaler
from gluonts.mx.model.deepar._network import DeepARNetwork, DeepARTrainingNetwork
from gluonts.mx.trainer import _base
from gluonts.mx.trainer.learning_rate_scheduler import LearningRateReduction
from gluonts.mx.trainer.model_averaging import ModelAveraging

from rosetta_worker.account import Watched, replaced, timed, told
from rosetta_worker.library import CLIPPED, TINY, DeepAr, clipped, default, falls, small_series, unrolled

DESCRIPTION = {
    "name": "gluonts[mxnet]",
    "title": "GluonTS's DeepAREstimator on MXNet",
    "packages": ("gluonts", "mxnet", "numpy", "pandas"),
    "lock": "gluonts-mxnet@0.17.0",
    "equal": "mxnet-gluon:compiled",
    "longest_unroll": 600,
}
"""`longest_unroll`: two cells per step become nodes of a graph, which Python builds before the first batch. For more
steps than this, that takes minutes or does not end."""


class Library(DeepAr):
    def seed(self, number):
        super().seed(number)
        mx.random.seed(number)

    def synchronize(self):
        mx.nd.waitall()

    def estimator(self, frequency, horizon, context, epochs, samples):
        return DeepAREstimator(
            frequency,
            horizon,
            trainer=Trainer(epochs=epochs),
            context_length=context,
            num_parallel_samples=samples,
        )

    def train(self, estimator, series, account):
        train, engine = Trainer.__call__, Engine()

        def begin(trainer, net, train_iter, validation_iter=None):
            save = timed(account, "checkpoints", net.save_parameters)

            def write(*args, **more):
                mx.nd.waitall()  # it waits for the weights in any case; that time belongs to the last step
                save(*args, **more)

            checkpoints = ((_base, "save_epoch_info"), (ModelAveraging, "on_train_end"))
            with replaced(net, "save_parameters", write), told(account, "checkpoints", *checkpoints):
                train(trainer, net, Batches(train_iter, account, engine), validation_iter)

        with (
            engine,
            replaced(Trainer, "__call__", begin),
            told(account, "setup", (estimator, "create_predictor")),
        ):
            predictor = estimator.train(series)
        account.move(engine.hidden(), "input", "steps")
        return predictor

    def settings(self):
        return {"device": "cpu"}

    # -- facts -----------------------------------------------------------------------------------------------------

    def network(self):
        """Return the training network of the small estimator and its output for a batch, so all shapes are known."""
        estimator = self.small()
        series = estimator.create_transformation().apply(small_series())
        batch = next(iter(estimator.create_training_data_loader(series)))
        network = estimator.create_training_network()
        network.initialize(init=estimator.trainer.init)
        return network, network(*batch.values())

    def cells(self):
        """Return the kinds of the nested cells of each layer, the outermost first."""
        network, _ = self.network()
        found = []
        for cell in network.rnn._children.values():
            kinds = [cell]
            while hasattr(kinds[-1], "base_cell"):
                kinds.append(kinds[-1].base_cell)
            found.append(kinds)
        return found

    def callback(self, kind):
        """Return the callback of a kind that the trainer has by default."""
        return next(one for one in self.small().trainer.callbacks.callbacks if isinstance(one, kind))

    def fact_training(self):
        epochs, batches = (default(Trainer, name) for name in ("epochs", "num_batches_per_epoch"))
        size = default(DeepAREstimator, "batch_size")
        return "%d epochs of %d batches of %d windows" % (epochs, batches, size), Trainer.__init__

    def fact_recurrence(self):
        innermost = [kinds[-1] for kinds in self.cells()]
        return "%d × %d units in %s, one for every step" % (
            len(innermost),
            innermost[0]._hidden_size,
            " and ".join(sorted({type(cell).__name__ for cell in innermost})),
        ), DeepARNetwork.__init__

    def fact_residual(self):
        layers = [
            str(number)
            for number, kinds in enumerate(self.cells(), start=1)
            if any(isinstance(cell, mx.gluon.rnn.ResidualCell) for cell in kinds)
        ]
        return "around layer %s" % " and ".join(layers) if layers else "none", DeepARNetwork.__init__

    def fact_dropout(self):
        zoneout = [cell for kinds in self.cells() for cell in kinds if isinstance(cell, mx.gluon.rnn.ZoneoutCell)]
        return "zoneout in %d layers: %g of the states stay as they were, %g of the outputs" % (
            len(zoneout),
            zoneout[0].zoneout_states,
            zoneout[0].zoneout_outputs,
        ), mx.gluon.rnn.ZoneoutCell

    def fact_inputs(self):
        first = self.cells()[0][-1]
        return "%d" % first.i2h_weight.shape[1], DeepARNetwork.__init__

    def fact_parameters(self):
        network, _ = self.network()
        return "%d" % self.small().trainer.count_model_params(network), DeepARNetwork.__init__

    def fact_initial(self):
        self.seed(0)
        innermost = [kinds[-1] for kinds in self.cells()]
        recurrent = max(float(cell.h2h_weight.data().abs().max().asscalar()) for cell in innermost)
        biases = max(float(one.data().abs().max().asscalar()) for c in innermost for one in (c.h2h_bias, c.i2h_bias))
        return "recurrent ones up to %.2f, biases up to %.2f" % (recurrent, biases), Trainer.__init__

    def fact_steps(self):
        _, (_, losses) = self.network()
        return unrolled(losses.shape[1]), DeepARNetwork.unroll_encoder_default

    def fact_loss(self):
        network, _ = self.network()
        over = "all" if network.include_zeros_in_denominator else "the observed"
        return "mean over %s steps" % over, DeepARTrainingNetwork.hybrid_forward

    def fact_zeros(self):
        network, _ = self.network()
        _, scale = network.scaler(mx.nd.array([[0, 0], [2, 2]]), mx.nd.ones((2, 2)))
        return "%g" % float(scale[0, 0].asscalar()), MeanScaler.compute_scale

    def optimizer(self, **more):
        """Return an optimiser like that of the trainer."""
        trainer = self.small().trainer
        return mx.optimizer.Adam(learning_rate=trainer.learning_rate, wd=trainer.weight_decay, **more)

    def fact_optimizer(self):
        optimizer, weights = self.optimizer(), mx.nd.zeros(1)
        optimizer.update(0, weights, mx.nd.full(1, TINY), optimizer.create_state(0, weights))
        return "%s, rate %g, weight decay %g; a first gradient of %g moves %.2f of the rate" % (
            type(optimizer).__name__,
            optimizer.learning_rate,
            optimizer.wd,
            TINY,
            abs(float(weights.asscalar())) / optimizer.learning_rate,
        ), Trainer.__call__

    def fact_clipping(self):
        limit = self.small().trainer.clip_gradient
        optimizer, weights = self.optimizer(clip_gradient=limit), mx.nd.zeros(len(CLIPPED))
        state = optimizer.create_state(0, weights)
        optimizer.update(0, weights, mx.nd.array(CLIPPED), state)
        return clipped(state[0].asnumpy() / (1 - optimizer.beta1), limit), Trainer.__call__

    def fact_schedule(self):
        schedule = self.callback(LearningRateReduction).lr_scheduler
        return falls(lambda: schedule.learning_rate, schedule.step), LearningRateReduction

    def fact_not_finite(self):
        asked = "np.isfinite(ndarray.sum(loss)" in inspect.getsource(Trainer.__call__)
        return "is left out" if asked else "is used like any other", Trainer.__call__

    def fact_checkpoints(self):
        source = inspect.getsource(Trainer.__call__)
        kept = self.callback(ModelAveraging).avg_strategy.num_models
        words = "the weights are written after every epoch; those of the best %d are loaded at the end"
        return words % kept if "net.save_parameters(" in source else "none", Trainer.__call__

    def fact_logging(self):
        return "a bar" if "tqdm(" in inspect.getsource(Trainer.__call__) else "none", Trainer.__call__

    def fact_compilation(self):
        hybridized = self.small().trainer.hybridize
        return "one graph of all steps, at the first batch" if hybridized else "none", Trainer.__init__

    def fact_sampling(self):
        return "%d" % default(DeepAREstimator, "num_parallel_samples"), DeepAREstimator.__init__


class Batches(Watched):
    """Batches that start a training as soon as they arrive."""

    def __init__(self, batches, account, engine):
        super().__init__(batches, account)
        self.engine = engine

    def asked(self):
        self.engine.asked()

    def arrived(self):
        self.engine.arrived()
        self.account.begin_batch()


class Engine(Thread):
    """Measures how long MXNet's engine continues a step while the next batch is made.

    GluonTS only waits for the loss: gradients and update are computed while it makes the next batch. A separate thread
    waits for them, so that the training does not have to. A context manager runs the thread.
    """

    SWITCH_S = 1e-4
    """The most seconds that this thread waits for Python to let it read the clock; by default it would be 5 ms."""

    def __init__(self):
        super().__init__(daemon=True)
        self._asked, self._waits, self._idle = Queue(), [], []

    def run(self):
        while self._asked.get():
            mx.nd.waitall()
            self._idle.append(perf_counter())

    def __enter__(self):
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(self.SWITCH_S)
        self.start()
        return self

    def __exit__(self, *_):
        self._asked.put(False)
        self.join()
        sys.setswitchinterval(self._interval)

    def asked(self):
        """Note that a batch was requested."""
        self._begun = perf_counter()
        self._asked.put(True)

    def arrived(self):
        """Note that the batch has arrived."""
        self._waits.append((self._begun, perf_counter()))

    def hidden(self):
        """Return the seconds in which batches were made while the engine was still busy."""
        return sum(max(0.0, min(end, idle) - begun) for (begun, end), idle in zip(self._waits, self._idle))
