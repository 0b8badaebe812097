"""Workloads: framework-neutral statements of work, one ``workload.toml`` each."""

from __future__ import annotations

import tomllib
from functools import cache
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeGuard

from pydantic import Field, PositiveFloat, PositiveInt, ValidationError, field_validator, model_validator

from rosettabench.catalogue.data_entry import DataEntry
from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.optimizer import AdamW, Optimizer, OwnOptimizer, Steps, WarmUpCosine
from rosettabench.catalogue.r_source import SUFFIX as R
from rosettabench.catalogue.ranges import written_out
from rosettabench.catalogue.roots import catalogue_roots, package_of, pass_over, read_each
from rosettabench.catalogue.strict import Strict, faults
from rosettabench.errors import UsageError

MEAN_AUC = "mean ROC AUC"
"""The metric of workloads whose samples have several labels, or none: the mean over the labels."""

LIKELIHOOD = "mean negative log-likelihood of the horizon, each step given the true values before it"
"""The metric of workloads that forecast time series: no forecast is made of a forecast (teacher forcing)."""

OF_LANGUAGE = ("cross-entropy", "perplexity")
"""The metrics of language models: a loss for each token."""

METRIC_NAMES = ("accuracy", "cross-entropy", "perplexity", "mean squared error", "mean absolute error")
"""The metrics of folders (statistics/metrics.py, which imports NumPy: a catalogue is read without)."""

STUDENT_T = "Student-t negative log-likelihood"
"""The loss of workloads that forecast time series: its mean over all values of a batch that are there."""


class Tensor(Strict):
    """One canonical tensor: its name, its shape in the canonical layout, and how its first values are drawn."""

    name: str
    shape: tuple[PositiveInt, ...]
    init: str | None = None
    """None where the workload's file of weights has it."""
    proof: str | None = None
    """How a proof draws them, where it begins elsewhere: with few ReLUs near zero (docs/explanation/proof.md)."""
    trained: bool = True
    """Whether an optimiser changes it. What is not trained is kept: a running mean, which training passes change."""


class Product(Strict):
    """How often a step multiplies with one canonical tensor, for one sample.

    docs/explanation/ceilings.md says what is counted.

    `positions` are the extents over which the tensor is applied again: the height and width of a convolution's output,
    the tokens of a sequence; none for a dense layer that is applied once. `first`: its inputs are the data, by which
    nobody differentiates.
    """

    kind: Literal["dense", "convolution", "recurrent", "embedding"]
    positions: tuple[PositiveInt, ...] = ()
    first: bool = False


class Attention(Strict):
    """Self-attention: in each of so many layers, every token is multiplied with every token, twice.

    The scores are products of queries and keys, of `width` numbers over all heads; then the shares multiply the values.
    """

    layers: PositiveInt
    tokens: PositiveInt
    width: PositiveInt


class Loss(Strict):
    """The name of the loss, and of what is added to it; the mean over the batch, with that, is what is differentiated.

    `penalty` times the sum of the squares of all kernels is added: every tensor of two dimensions and more. A loss that
    is reported has it in it. Without a name it is what the implementations say.
    """

    name: str = "own"
    penalty: Annotated[float, Field(ge=0)] = 0.0


class RecurrentLayer(Strict):
    """A recurrent layer: its kind, and of a GRU whether the reset gate acts after the recurrent product or before it.

    Its tensors begin with its name. The rows of each are its gates, in the order of docs/reference/workloads.md.
    """

    kind: Literal["gru", "lstm"]
    reset: Literal["after", "before"] | None = None

    @model_validator(mode="after")
    def _reset(self) -> Self:
        """Refuse a GRU that does not say when it resets, and an LSTM that does."""
        if (self.kind == "gru") != (self.reset is not None):
            raise ValueError('a GRU states reset = "after" or "before"; an LSTM has no reset gate')
        return self


class Normalisation(Strict):
    """Batch normalisation: what its running mean and variance keep of themselves in a step, and what is added.

    The running variance is that of the batch as it normalises: divided by n, not by n - 1.
    """

    momentum: Annotated[float, Field(ge=0, lt=1)]
    epsilon: float


class Training(Strict):
    """Batch size and epochs of the canonical training; `steps` of an epoch, where they are not a pass over the data."""

    batch_size: PositiveInt
    epochs: PositiveInt
    steps: PositiveInt | None = None


class Inference(Strict):
    """In place of training: the batch size, and the passes over the data where the work is to be done, not timed."""

    batch_size: PositiveInt
    passes: PositiveInt = 1


class ProofExtents(Strict):
    """The extents at which a workload is proven where its own would take too long, or hide a mistake.

    docs/explanation/proof.md says more.

    The model, its tensors and the code are the same. `form` is what differs in the form of the data: smaller images for
    a model that takes any, or fewer of them. `optimizer` is what differs in the hyperparameters: a weight decay that is
    seen in ten steps. What is not stated is as everywhere. `guided` says that each step begins
    with the weights to which the reference has come, in a network that would magnify what round-off made of the last.
    `margin` is the least distance from every ReLU's edge and between the two candidates of every pool, relative to the
    root mean square of the layer: samples that come nearer are left out of the proof.
    """

    batch_size: PositiveInt | None = None
    steps: PositiveInt | None = None
    guided: bool = False
    margin: PositiveFloat | None = None
    form: dict[str, Any] = Field(default_factory=dict)
    optimizer: dict[str, float] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _guided(self) -> Self:
        """Refuse a margin without guided steps: it is that of known weights."""
        if self.margin is not None and not self.guided:
            raise ValueError("a margin is that of known weights: the proof has to be guided, too")
        return self


class Forecasts(Strict):
    """What a trained model forecasts: so many sample paths of what follows each series."""

    paths: PositiveInt


class Metric(Strict):
    """What evaluation reports, and the range to expect after the stated epochs where the literature gives one.

    ``accuracy``, MEAN_AUC where a sample has several labels, or LIKELIHOOD where it is a time series; of a folder, one
    of `rosettabench.statistics.metrics`.
    """

    name: str
    expected: tuple[float, float] | None = None


LEARNING = ("loss", "optimizer", "training", "metric")
"""What a workload that trains states, all of it, and one of inference none of.

One that has an original may leave out the loss, which the implementations say, and the metric, which then is none."""


class Workload(Strict):
    """A workload as its ``workload.toml`` states it, value by value: one that trains, or one of `inference`."""

    name: str
    title: str
    study: str = ""
    summary: str = ""
    data: DataEntry
    loss: Loss | None = None
    optimizer: Optimizer | None = None
    training: Training | None = None
    metric: Metric | None = None
    forecasts: Forecasts | None = None
    """Where samples are windows of time series, and the implementations draw what follows them (``sample``)."""
    inference: Inference | None = None
    proof: ProofExtents = ProofExtents()
    outputs: tuple[str, ...] = ()
    """Names of what comes out along the last axis, where each is to be compared by itself: parameters of a distribution
    have sizes of their own. Without names, all that comes out is compared in one norm."""
    tensors: tuple[Tensor, ...]
    operations: dict[str, Product] = Field(default_factory=dict)
    """Canonical tensor to the products it takes part in; every tensor of two dimensions and more, or none at all."""
    attention: Attention | None = None
    """Its self-attention: products of what is computed, which belong to no tensor."""
    normalisation: Normalisation | None = None
    recurrent: dict[str, RecurrentLayer] = Field(default_factory=dict)
    """The recurrent layers by their names, in the order in which they are applied."""
    schedule: Steps | WarmUpCosine | None = None
    """The schedule of the learning rate that it states: the value ``steps`` or ``warm-up-cosine`` of the axis
    `schedule`. Without one it has a constant rate, or the decay that fits any workload."""
    dropout: dict[str, Annotated[float, Field(gt=0, lt=1)]] = Field(default_factory=dict)
    """By layer, the share of what comes out of it that training drops, each element by itself; in the layers' order."""
    absent: dict[str, str] = Field(default_factory=dict)
    """Frameworks that it is not written in, and why; or back ends, ``keras[jax]``, releases, ``pytorch@1.0.0``, or
    modes, ``jax:tuned``, that its file does not run in."""
    reference: str | None = None
    """The framework whose implementation is the original: in float64 it is the reference of all others. Without one the
    references are formulas in files of their own."""
    weights: str | None = None
    """The file that the initial values come from, ``.safetensors`` beside the workload, where no tensor states them."""
    environments: dict[str, Path] = Field(default_factory=dict)
    """Interpreters of the user's own, by framework, that its implementations run in."""
    variant_of: str | None = None
    """The workload whose work it states with one thing changed, which is not equal: another model, another ranking."""
    folder: Path

    @field_validator("tensors", mode="before")
    @classmethod
    def _each_tensor(cls, stated: Any) -> Any:  # noqa: ANN401 (whatever a file holds)
        """Write out names that stand for several tensors."""
        if not all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in stated):
            return stated
        return [tensor for one in stated for tensor in each_of(one)]

    @field_validator("operations", mode="before")
    @classmethod
    def _each_product(cls, stated: Any) -> Any:  # noqa: ANN401 (whatever a file holds)
        """Write out names that stand for several tensors."""
        return {name: product for names, product in dict(stated).items() for name in written_out(names)}

    @model_validator(mode="after")
    def _whole(self) -> Self:
        """Refuse a count that leaves a matrix out, or counts what is none: it would be wrong and look right."""
        matrices = {tensor.name for tensor in self.tensors if len(tensor.shape) > 1}
        wrong = sorted(matrices ^ set(self.operations)) if self.operations else []
        if wrong:
            raise ValueError(f"operations must name every tensor of two dimensions or more: see {', '.join(wrong)}")
        return self

    @model_validator(mode="after")
    def _one_job(self) -> Self:
        """Refuse a workload that neither trains nor infers, or does something of both."""
        stated = [part for part in LEARNING if getattr(self, part) is not None]
        optional = ("loss", "metric") if self.reference else ()
        missing = [part for part in LEARNING if part not in (*stated, *optional)]
        if self.inference is None and missing:
            raise ValueError(f"{', '.join(missing)} is missing; only a workload of inference does without it")
        if self.inference is not None and stated:
            raise ValueError(f"inference has no {', '.join(stated)}")
        if self.forecasts is not None and not self.data.series:
            raise ValueError("forecasts are of time series: the data are to have series = true")
        return self

    @model_validator(mode="after")
    def _original(self) -> Self:
        """Refuse what only an original implementation can say where there is none."""
        if self.reference is None and isinstance(self.optimizer, OwnOptimizer):
            raise ValueError('an optimizer of its own needs an original: reference = "pytorch", say')
        if self.reference is not None and self.metric is not None and self.metric.name not in METRIC_NAMES:
            raise ValueError(f"there is no metric {self.metric.name!r}; there is: {', '.join(METRIC_NAMES)}")
        lost = [tensor.name for tensor in self.tensors if tensor.init is None and self.weights is None]
        if lost:
            raise ValueError(f"neither init nor a file of weights says how {', '.join(lost[:3])} begins")
        return self

    @model_validator(mode="after")
    def _decaying(self) -> Self:
        """Refuse a decay of kernels where no tensor is one by its name: nothing would decay."""
        kernels = isinstance(self.optimizer, AdamW) and self.optimizer.decays == "kernels"
        if kernels and not any(tensor.name.endswith("kernel") for tensor in self.tensors):
            raise ValueError('decays = "kernels" means tensors whose names end with kernel, and there is none')
        return self

    @model_validator(mode="after")
    def _recurrent_layers(self) -> Self:
        """Refuse a recurrent layer that has no tensors."""
        layers = {tensor.name.partition(".")[0] for tensor in self.tensors}
        wrong = sorted(set(self.recurrent) - layers)
        if wrong:
            raise ValueError(f"recurrent names layers without tensors: {', '.join(wrong)}")
        return self

    @property
    def step(self) -> Literal["train", "infer"]:
        """The request of docs/reference/protocol.md that a block of this workload is."""
        return "train" if self.inference is None else "infer"

    @property
    def batch_size(self) -> int:
        """The batch size that it states."""
        stated = self.training or self.inference
        assert stated is not None  # _one_job
        return stated.batch_size

    @property
    def epochs(self) -> int:
        """How often it goes through its data where the stated work is done to the end."""
        if self.inference is not None:
            return self.inference.passes
        assert self.training is not None
        return self.training.epochs

    @property
    def tokens(self) -> int | None:
        """The tokens of a sample, each of which is predicted; None where it is no language model of texts."""
        predicts = self.metric is not None and self.metric.name in OF_LANGUAGE
        return self.data.form.get("length") if predicts else None

    @property
    def hyperparameters(self) -> dict[str, Any] | None:
        """The optimiser's name and values; None where nothing is trained."""
        return None if self.optimizer is None else self.optimizer.model_dump()

    @property
    def parameters(self) -> int:
        """Number of scalar parameters, those that are kept and not trained included: as Keras counts them."""
        return sum(prod(tensor.shape) for tensor in self.tensors)

    @property
    def proven(self) -> Self:
        """The same at the extents of its proof: the form of its data, and its hyperparameters."""
        data = self.data.model_copy(update={"form": {**self.data.form, **self.proof.form}})
        optimizer = self.optimizer and self.optimizer.model_copy(update=self.proof.optimizer)
        return self.model_copy(update={"data": data, "optimizer": optimizer})

    @property
    def is_own(self) -> bool:
        """Whether it is a folder of the user's own, and not part of the catalogue."""
        return self.folder.parent not in [root / "workloads" for root in catalogue_roots()]

    @property
    def embeddings(self) -> tuple[str, ...]:
        """Names of the tensors of which a sample uses some rows alone: `operations` says so."""
        return tuple(name for name, product in self.operations.items() if product.kind == "embedding")

    def implementation(self, framework: str, release: str | None = None) -> Path | None:
        """Return the file that implements this workload in `framework`, or None where there is none.

        A release with an API of its own may have a file of its own: ``mxnet_gluon@1.0.0.py``. It may be in R.
        """
        stem = framework.replace("-", "_")
        names = [f"{stem}@{release}.py"] if release else []
        names += [f"{stem}.py", f"{stem}{R}"]
        ours = [root / "workloads" / self.folder.name for root in catalogue_roots()]
        folders = [self.folder] if self.is_own else ours
        return next((path for name in names for path in (folder / name for folder in folders) if path.is_file()), None)


def is_shape(stated: Any) -> TypeGuard[list[int]]:  # noqa: ANN401 (whatever a file holds)
    """Whether a value of a file is a list of whole numbers."""
    return isinstance(stated, list) and all(type(n) is int for n in stated)


def each_of(stated: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tensors that one entry stands for: one for each name, larger by its `growth` than the one before."""
    names = written_out(stated["name"])
    if "growth" not in stated:
        return [{**stated, "name": name} for name in names]
    shape, growth = stated.get("shape"), stated["growth"]
    if not is_shape(shape) or not is_shape(growth) or len(shape) != len(growth):
        raise ValueError(f"the growth of {stated['name']} must be a whole number for each extent of its shape")
    tensor = {key: value for key, value in stated.items() if key != "growth"}
    shapes = [[n + place * more for n, more in zip(shape, growth, strict=True)] for place in range(len(names))]
    return [{**tensor, "name": name, "shape": own} for name, own in zip(names, shapes, strict=True)]


@cache
def all_workloads() -> dict[str, Workload]:
    """Return every workload of the catalogue by name."""
    files = [path for root in catalogue_roots() for path in sorted((root / "workloads").glob("*/workload.toml"))]
    found: dict[str, Workload] = {}
    for workload in read_each(files, read_workload):
        if found.setdefault(workload.name, workload) is not workload:
            pass_over(
                str(package_of(workload.folder)), f"{workload.folder}: there is a workload {workload.name} already"
            )
    return found


def read_workload(path: Path) -> Workload:
    """Read one ``workload.toml``; its folder's name, with hyphens, is the workload's: `name_of`."""
    try:
        stated = tomllib.loads(path.read_text(encoding="utf-8"))
        name = name_of(path.parent.name.replace("_", "-"), stated.get("variant_of"))
        return Workload(name=name, folder=path.parent, **stated)
    except ValueError as error:  # of TOML, of pydantic, or ours: a name
        why = faults(error) if isinstance(error, ValidationError) else error
        raise UsageError(
            f"{path} does not describe a workload: {why}", hint="See docs/guide/adding-a-workload.md."
        ) from error


def name_of(folder: str, variant_of: str | None) -> str:
    """Return a workload's name: its folder's, and of a variant with a colon behind the workload that it varies.

    The folder imdb_gru_reset_before holds ``imdb-gru:reset-before``.
    """
    if variant_of is None:
        return folder
    variant = folder.removeprefix(f"{variant_of}-")
    if variant == folder:
        raise ValueError(f"the folder of a variant of {variant_of} is named {variant_of.replace('-', '_')}_…")
    return f"{variant_of}:{variant}"


def find_workload(name: str) -> Workload:
    """Return the workload `name`, or that of a folder; UsageError with the nearest match if there is none."""
    if is_path(name):
        return read_folder(Path(name))
    workloads = all_workloads()
    return workloads[nearest("workload", name, workloads)]


def is_path(name: str) -> bool:
    """Whether a workload is named by its folder: ``./my-gpt``, ``..``."""
    return "/" in name or name in (".", "..")


def read_folder(folder: Path) -> Workload:
    """Return the workload of a folder anywhere. Raises UsageError where there is none, or it cannot be read."""
    path = folder.resolve() / "workload.toml"
    try:
        path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{folder} is no folder of a workload: {path} cannot be read: {error.strerror}",
            "Make one: rosetta new NAME",
        ) from error
    workload = read_workload(path)
    if workload.name in all_workloads():
        raise UsageError(f"{folder}: there is a workload {workload.name} already", "Give the folder another name.")
    return workload
