"""GluonTS's DeepAREstimator on PyTorch, trained by PyTorch Lightning."""

import inspect
from functools import wraps

import lightning.pytorch as pl
import torch
from gluonts.torch import DeepAREstimator
from gluonts.torch.model.deepar.lightning_module import DeepARLightningModule
from gluonts.torch.model.deepar.module import DeepARModel
from gluonts.torch.model.estimator import PyTorchLightningEstimator
from gluonts.torch.scaler import MeanScaler

from rosetta_worker.account import Watched, replaced, told
from rosetta_worker.library import CLIPPED, HORIZON, TINY, DeepAr, clipped, default, falls, unrolled

DESCRIPTION = {
    "name": "gluonts[torch]",
    "title": "GluonTS's DeepAREstimator on PyTorch",
    "packages": ("gluonts", "torch", "lightning", "numpy", "pandas"),
    "lock": "gluonts-torch@0.17.0",
    "equal": "pytorch",
}


class Library(DeepAr):
    def __init__(self, setting):
        super().__init__(setting)
        torch.set_num_threads(self.threads)

    def seed(self, number):
        super().seed(number)
        torch.manual_seed(number)

    def estimator(self, frequency, horizon, context, epochs, samples):
        return DeepAREstimator(
            frequency,
            horizon,
            context_length=context,
            num_parallel_samples=samples,
            trainer_kwargs={"max_epochs": epochs},
        )

    def train(self, estimator, series, account):
        load, step = estimator.create_training_data_loader, DeepARLightningModule.training_step

        @wraps(step)
        def begin(*args, **more):  # Lightning fetches one batch more than it starts
            account.begin_batch()
            return step(*args, **more)

        checkpoints = ((pl.callbacks.ModelCheckpoint, "on_train_epoch_end"), (torch, "load"))
        with (
            replaced(estimator, "create_training_data_loader", lambda *a, **more: Watched(load(*a, **more), account)),
            told(account, "setup", (estimator, "create_predictor")),
            replaced(DeepARLightningModule, "training_step", begin),
            told(account, "checkpoints", *checkpoints, (DeepARLightningModule, "load_state_dict")),
        ):
            return estimator.train(series)

    def settings(self):
        return {"threads": torch.get_num_threads(), "device": "cpu"}

    # -- facts -----------------------------------------------------------------------------------------------------

    def module(self):
        """Return the Lightning module of the small estimator, with its trainer."""
        estimator = self.small()
        module = estimator.create_lightning_module()
        module.trainer = pl.Trainer(enable_progress_bar=False, **estimator.trainer_kwargs)
        return module

    def fact_training(self):
        epochs = DeepAREstimator("M", HORIZON).trainer_kwargs["max_epochs"]
        batches, size = (default(DeepAREstimator, name) for name in ("num_batches_per_epoch", "batch_size"))
        return "%d epochs of %d batches of %d windows" % (epochs, batches, size), DeepAREstimator.__init__

    def fact_recurrence(self):
        rnn = self.module().model.rnn
        return "%d × %d units in one %s, which takes all steps" % (
            rnn.num_layers,
            rnn.hidden_size,
            type(rnn).__name__,
        ), DeepARModel.__init__

    def fact_residual(self):
        rnn = self.module().model.rnn
        return "none" if type(rnn) is torch.nn.LSTM else repr(rnn), DeepARModel.__init__

    def fact_dropout(self):
        rnn = self.module().model.rnn
        between = "except the last" in " ".join(torch.nn.LSTM.__doc__.split())
        return "%g of what leaves a layer%s" % (rnn.dropout, ", but the last" if between else ""), torch.nn.LSTM

    def fact_inputs(self):
        return "%d" % self.module().model.rnn.input_size, DeepARModel.__init__

    def fact_parameters(self):
        return "%d" % sum(one.numel() for one in self.module().parameters()), DeepARModel.__init__

    def fact_initial(self):
        self.seed(0)
        tensors = dict(self.module().model.rnn.named_parameters())
        largest = {kind: max(float(one.abs().max()) for name, one in tensors.items() if kind in name) for kind in KINDS}
        return "recurrent ones up to %.2f, biases up to %.2f" % tuple(largest[kind] for kind in KINDS), torch.nn.LSTM

    def fact_steps(self):
        model = self.module().model
        inputs = model.describe_inputs().zeros()
        output = model.unroll_lagged_rnn(*inputs.values(), future_target=torch.zeros(1, HORIZON))[2]
        return unrolled(output.shape[1]), DeepARModel.prepare_rnn_input

    def fact_loss(self):
        mean = default(DeepARModel.loss, "aggregate_by") is torch.mean
        return "mean over all steps, 0 where nothing was observed" if mean else "not their mean", DeepARModel.loss

    def fact_zeros(self):
        scaler = self.module().model.scaler
        scale = scaler(torch.tensor([[0.0, 0.0], [2.0, 2.0]]), torch.ones(2, 2))[2]
        return "%g" % float(scale[0, 0]), MeanScaler.__call__

    def fact_optimizer(self):
        optimizer = self.module().configure_optimizers()["optimizer"]
        (group,) = optimizer.param_groups
        moved = torch.nn.Parameter(torch.zeros(1))
        moved.grad = torch.full((1,), TINY)
        type(optimizer)([moved], lr=group["lr"], weight_decay=group["weight_decay"]).step()
        return "%s, rate %g, weight decay %g; a first gradient of %g moves %.2f of the rate" % (
            type(optimizer).__name__,
            group["lr"],
            group["weight_decay"],
            TINY,
            abs(float(moved)) / group["lr"],
        ), DeepARLightningModule.configure_optimizers

    def fact_clipping(self):
        module = self.module()
        limit = module.trainer.gradient_clip_val
        weights = torch.nn.Parameter(torch.zeros(len(CLIPPED)))
        weights.grad = torch.tensor(CLIPPED)
        module.clip_gradients(torch.optim.Adam([weights]), gradient_clip_val=limit)
        return clipped(weights.grad.numpy(), limit), pl.LightningModule.clip_gradients

    def fact_schedule(self):
        schedule = self.module().configure_optimizers()["lr_scheduler"]["scheduler"]
        return falls(lambda: schedule.optimizer.param_groups[0]["lr"], schedule.step), type(schedule)

    def fact_not_finite(self):
        asked = "isfinite" in inspect.getsource(DeepARLightningModule.training_step)
        return "is left out" if asked else "is used like any other", DeepARLightningModule.training_step

    def fact_checkpoints(self):
        source = inspect.getsource(PyTorchLightningEstimator.train_model)
        kept = default(pl.callbacks.ModelCheckpoint, "save_top_k")
        found = "ModelCheckpoint(" in source and "best_model_path" in source
        words = "the weights are written when an epoch was the best; those of the best %d are loaded at the end"
        return words % kept if found else "none", PyTorchLightningEstimator.train_model

    def fact_logging(self):
        return "%s, and a bar" % type(self.module().trainer.logger).__name__, pl.Trainer.__init__

    def fact_compilation(self):
        module = self.module()
        compiled = any(isinstance(one, torch.jit.ScriptModule) or hasattr(one, "_orig_mod") for one in module.modules())
        return "yes" if compiled else "none", DeepARLightningModule.__init__

    def fact_sampling(self):
        return "%d" % default(DeepAREstimator, "num_parallel_samples"), DeepAREstimator.__init__


KINDS = ("weight_hh", "bias")
"""The prefixes of an LSTM's parameters: recurrent weights, and biases."""
