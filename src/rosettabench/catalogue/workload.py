"""Workloads: framework-neutral statements of work, each in a ``workload.toml``."""

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
"""The metric of workloads whose samples have any number of labels: the mean ROC AUC over the labels."""

LIKELIHOOD = "mean negative log-likelihood of the horizon, each step given the true values before it"
"""The metric of workloads that forecast time series. Each step sees the true values before it (teacher forcing)."""

OF_LANGUAGE = ("cross-entropy", "perplexity")
"""The metrics of language models: a loss for each token."""

METRIC_NAMES = ("accuracy", "cross-entropy", "perplexity", "mean squared error", "mean absolute error")
"""The metrics of statistics/metrics.py, which imports NumPy: reading a catalogue avoids that."""


class Tensor(Strict):
    """One canonical tensor: its name, its canonical shape, and how its initial values are drawn."""

    name: str
    shape: tuple[PositiveInt, ...]
    init: str | None = None
    """How the initial values are drawn; None if the workload's file of weights holds them."""
    proof: str | None = None
    """The initial values in a proof, if different: few ReLUs may be near zero (docs/explanation/proof-extents.md)."""
    trained: bool = True
    """Whether the optimiser updates it. Other tensors are kept state, such as a running mean."""


class Product(Strict):
    """The products of a step with one canonical tensor, for one sample.

    docs/explanation/ceilings.md explains what is counted.

    `positions` are the extents over which the tensor is applied repeatedly: height and width of a convolution's output,
    or the tokens of a sequence; empty for a dense layer that is applied once. `first` marks a layer whose inputs are
    the data, for which no gradient is computed.
    """

    kind: Literal["dense", "convolution", "recurrent", "embedding"]
    positions: tuple[PositiveInt, ...] = ()
    first: bool = False


class Attention(Strict):
    """Self-attention: in each of so many layers, every token is multiplied with every token, twice.

    The scores are products of queries and keys, of `width` numbers over all heads; then the shares multiply the values.
    Where tokens come one after the other, `pairs` of them are multiplied, and `tokens` is not stated. The number of
    `heads`, and the `epsilon` that layer normalisation adds to a variance, are stated where a network has dropout: its
    proof needs both.
    """

    layers: PositiveInt
    heads: PositiveInt | None = None
    epsilon: PositiveFloat | None = None
    tokens: PositiveInt | None = None
    width: PositiveInt
    pairs: PositiveInt | None = None

    @model_validator(mode="after")
    def _check_pairs(self) -> Self:
        """Refuse attention without a number of pairs, or with two."""
        if (self.tokens is None) == (self.pairs is None):
            raise ValueError("attention states tokens, of which all are pairs, or the number of pairs")
        return self

    @property
    def products(self) -> int:
        """The pairs of tokens in a layer."""
        return self.pairs or (self.tokens or 0) ** 2


class Loss(Strict):
    """The name of the loss, and the penalty on the weights. Training minimises their sum, averaged over the batch.

    `penalty` times the sum of squares of all kernels is added: all tensors of two dimensions and more. Reported losses
    include it. The default name means the loss that the implementations define.
    """

    name: str = "own"
    penalty: Annotated[float, Field(ge=0)] = 0.0


class RecurrentLayer(Strict):
    """A recurrent layer: its kind, and for a GRU whether the reset gate acts after or before the recurrent product.

    The names of its tensors begin with its name. The rows of each tensor are its gates, in the order of
    docs/reference/workloads.md.
    """

    kind: Literal["gru", "lstm"]
    reset: Literal["after", "before"] | None = None

    @model_validator(mode="after")
    def _reset(self) -> Self:
        """Refuse a GRU that does not state its reset, and an LSTM that does."""
        if (self.kind == "gru") != (self.reset is not None):
            raise ValueError('a GRU states reset = "after" or "before"; an LSTM has no reset gate')
        return self


class Normalisation(Strict):
    """Batch normalisation: `momentum` is the share that running statistics keep; `epsilon` is added to variances.

    The running variance averages the batch variance that normalises: divided by n, not by n - 1. With
    several `parts`, a batch has as many equal, neighbouring parts. Each is normalised by a device of its own, and the
    running statistics are the mean over the parts.
    """

    momentum: Annotated[float, Field(ge=0, lt=1)]
    epsilon: float
    parts: PositiveInt = 1


class Training(Strict):
    """Batch size and epochs of the canonical training. An epoch is `steps`, or else one pass over the data."""

    batch_size: PositiveInt
    epochs: PositiveInt
    steps: PositiveInt | None = None


class Inference(Strict):
    """For workloads without training: the batch size, and the passes over the data in a full, untimed run.

    `tokens` is the number of tokens that a language model generates for a sample.
    """

    batch_size: PositiveInt
    passes: PositiveInt = 1
    tokens: PositiveInt | None = None


class ProofExtents(Strict):
    """Smaller or different extents for the proof, if the workload's own take too long or would hide a mistake.

    docs/explanation/proof-extents.md explains why.

    Model, tensors and code stay the same. `form` overrides parts of the data's form, such as smaller or fewer images.
    `optimizer` overrides hyperparameters, such as a weight decay large enough to show in ten steps. Everything else is
    as stated for the workload. `guided` starts each step from the reference's weights, for networks that would magnify
    the round-off of earlier steps. `returns` starts each from the trained weights of the first, for networks in which
    a few steps lead ReLUs to their edges; the optimiser's state and the running averages continue. `margin` is the
    least distance from each ReLU's edge, and between the two largest candidates of each pool, relative to the root mean
    square of the layer. Samples that come nearer are left out of the proof. So are images of which more than the share
    `flat` of all pixels equal their right neighbour: float32 rounds a loop over equal numbers one way.
    """

    batch_size: PositiveInt | None = None
    steps: PositiveInt | None = None
    guided: bool = False
    returns: bool = False
    margin: PositiveFloat | None = None
    flat: PositiveFloat | None = None
    form: dict[str, Any] = Field(default_factory=dict)
    optimizer: dict[str, float] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check_guide(self) -> Self:
        """Refuse a margin or a return without guided steps: both are about known weights."""
        if self.margin is not None and not self.guided:
            raise ValueError("a margin is that of known weights: the proof has to be guided, too")
        if self.flat is not None and self.margin is None:
            raise ValueError("flat images are left out where batches are chosen: state a margin, too")
        if self.returns and not self.guided:
            raise ValueError("steps return to the first weights where the proof is guided: it has to be guided, too")
        return self


class Forecasts(Strict):
    """The forecasts of a trained model: the number of sample paths for each series, and who tells the distribution."""

    paths: PositiveInt
    layer: str = "output"
    """The dense layer that returns the parameters of the distribution, in the order of `outputs`."""


class Metric(Strict):
    """The metric that evaluation reports, and the expected range after the stated epochs if the literature gives one.

    It is ``accuracy``; MEAN_AUC if a sample has several labels; LIKELIHOOD for time series; or, for a folder, a metric
    of `rosettabench.statistics.metrics`.
    """

    name: str
    expected: tuple[float, float] | None = None


STATEMENT = "workload.toml"
"""The file of a workload's folder that states all its values."""

REFERENCE = "reference_"
"""How the names of the files begin that state a workload as formulas."""

LEARNING = ("loss", "optimizer", "training", "metric")
"""The keys that a workload with training must state, and that a workload of inference must not. With an original, the
loss and the metric are optional: the implementations define the loss, and there is no metric."""


DROPPING = ("embedding", "attention", "projection", "down")
"""Behind what a network with attention drops elements, in all blocks alike: the sum of its embeddings, the shares of
attention, and both layers that add to the stream."""


class Workload(Strict):
    """A workload with all values of its ``workload.toml``: it either trains, or is of `inference`."""

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
    """Set for workloads of time series whose implementations also draw forecasts (``sample``)."""
    inference: Inference | None = None
    proof: ProofExtents = ProofExtents()
    outputs: tuple[str, ...] = ()
    """Names of the outputs along the last axis, if each is compared separately: parameters of a distribution differ in
    size. Without names, all outputs are compared in one norm."""
    tensors: tuple[Tensor, ...]
    operations: dict[str, Product] = Field(default_factory=dict)
    """{canonical tensor: its products}, for every tensor of two dimensions and more, or empty."""
    attention: Attention | None = None
    """Self-attention, whose products belong to no tensor."""
    normalisation: Normalisation | None = None
    recurrent: dict[str, RecurrentLayer] = Field(default_factory=dict)
    """The recurrent layers by name, in the order in which they are applied."""
    schedule: Steps | WarmUpCosine | None = None
    """The schedule of the axis value ``steps`` or ``warm-up-cosine``. Other values, such as a constant rate, need no
    statement."""
    dropout: dict[str, Annotated[float, Field(gt=0, lt=1)]] = Field(default_factory=dict)
    """{layer: dropout rate}: the share of its output elements that training drops independently. In the layers'
    order."""
    absent: dict[str, str] = Field(default_factory=dict)
    """{framework: reason} for frameworks without an implementation. A key may also be a back end, ``keras[jax]``, a
    release, ``pytorch@1.0.0``, or a mode, ``jax:tuned``, in which the file does not run."""
    reference: str | None = None
    """The framework of the original: run in float64, it is the reference for all others. Without it, the references are
    formulas in separate files."""
    weights: str | None = None
    """A ``.safetensors`` file beside the workload with the initial values of all tensors without `init`."""
    environments: dict[str, Path] = Field(default_factory=dict)
    """{framework: interpreter of the user's own} that run its implementations."""
    variant_of: str | None = None
    """The workload that this one varies in one thing. The work is not equal, so the two are never ranked together."""
    folder: Path

    @field_validator("tensors", mode="before")
    @classmethod
    def _each_tensor(cls, stated: Any) -> Any:  # noqa: ANN401 (whatever a file holds)
        """Expand names that stand for several tensors."""
        if not all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in stated):
            return stated
        return [tensor for one in stated for tensor in each_of(one)]

    @field_validator("operations", mode="before")
    @classmethod
    def _each_product(cls, stated: Any) -> Any:  # noqa: ANN401 (whatever a file holds)
        """Expand names that stand for several tensors."""
        return {name: product for names, product in dict(stated).items() for name in written_out(names)}

    @model_validator(mode="after")
    def _whole(self) -> Self:
        """Refuse operations that omit a matrix or name anything else: the count would be silently wrong."""
        matrices = {tensor.name for tensor in self.tensors if len(tensor.shape) > 1}
        wrong = sorted(matrices ^ set(self.operations)) if self.operations else []
        if wrong:
            raise ValueError(f"operations must name every tensor of two dimensions or more: see {', '.join(wrong)}")
        return self

    @model_validator(mode="after")
    def _one_job(self) -> Self:
        """Refuse a workload that neither trains nor infers, or mixes both."""
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
        """Refuse an optimiser that needs a missing original, an unknown metric, and tensors without initial values."""
        if self.reference is None and isinstance(self.optimizer, OwnOptimizer):
            raise ValueError('an optimizer of its own needs an original: reference = "pytorch", say')
        if self.reference is not None and self.metric is not None and self.metric.name not in METRIC_NAMES:
            raise ValueError(f"there is no metric {self.metric.name!r}; available: {', '.join(METRIC_NAMES)}")
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
    def _dropping(self) -> Self:
        """Refuse dropout beside attention of which the proof knows too little, or in layers that it does not know."""
        if self.attention is None or not self.dropout:
            return self
        if self.attention.heads is None or self.attention.epsilon is None:
            raise ValueError("attention is to state heads and epsilon: the proof of its dropout needs both")
        if tuple(self.dropout) != DROPPING:
            raise ValueError(f"dropout of a network with attention states {', '.join(DROPPING)}, in this order")
        return self

    @model_validator(mode="after")
    def _named_layers(self) -> Self:
        """Refuse a recurrent layer, and a layer of forecasts, that has no tensors."""
        layers = {tensor.name.partition(".")[0] for tensor in self.tensors}
        wrong = sorted(set(self.recurrent) - layers)
        if wrong:
            raise ValueError(f"recurrent names layers without tensors: {', '.join(wrong)}")
        if self.forecasts is not None and self.forecasts.layer not in layers:
            raise ValueError(f"forecasts names a layer without tensors: {self.forecasts.layer}")
        return self

    @property
    def step(self) -> Literal["train", "infer"]:
        """The request of a block in docs/reference/protocol.md."""
        return "train" if self.inference is None else "infer"

    @property
    def devices(self) -> int:
        """The devices that it needs: one for each part of a batch that is normalised by itself, or one."""
        return 1 if self.normalisation is None else self.normalisation.parts

    @property
    def batch_size(self) -> int:
        """The stated batch size."""
        stated = self.training or self.inference
        assert stated is not None  # _one_job has checked it
        return stated.batch_size

    @property
    def epochs(self) -> int:
        """The epochs of a full training, or the passes over the data of a full inference."""
        if self.inference is not None:
            return self.inference.passes
        assert self.training is not None
        return self.training.epochs

    @property
    def tokens(self) -> int | None:
        """The tokens of a sample, each of which is predicted; None where it is no language model of texts."""
        if self.inference is not None:
            return self.inference.tokens
        predicts = self.metric is not None and self.metric.name in OF_LANGUAGE
        return self.data.form.get("length") if predicts else None

    @property
    def hyperparameters(self) -> dict[str, Any] | None:
        """The optimiser's name and hyperparameters; None without training."""
        return None if self.optimizer is None else self.optimizer.model_dump()

    @property
    def parameters(self) -> int:
        """The number of scalar parameters, including those that are kept but not trained, as Keras counts them."""
        return sum(prod(tensor.shape) for tensor in self.tensors)

    @property
    def proven(self) -> Self:
        """The same workload with the data form and the hyperparameters of its proof."""
        data = self.data.model_copy(update={"form": {**self.data.form, **self.proof.form}})
        optimizer = self.optimizer and self.optimizer.model_copy(update=self.proof.optimizer)
        return self.model_copy(update={"data": data, "optimizer": optimizer})

    @property
    def is_own(self) -> bool:
        """Whether it is the user's own folder, not part of the catalogue."""
        return self.folder.parent not in [root / "workloads" for root in catalogue_roots()]

    @property
    def embeddings(self) -> tuple[str, ...]:
        """Names of the embedding tensors, of which a sample uses only some rows; `operations` states them."""
        return tuple(name for name, product in self.operations.items() if product.kind == "embedding")

    def implementation(self, framework: str, release: str | None = None) -> Path | None:
        """Return the file that implements this workload in `framework`; None if there is none.

        A release whose API differs may have its own file: ``mxnet_gluon@1.0.0.py``. The file may be in R. That of a
        variant may be the file of the workload that it varies.
        """
        stem = framework.replace("-", "_")
        names = [f"{stem}@{release}.py"] if release else []
        names += [f"{stem}.py", f"{stem}{R}"]
        folders = self._folders(framework)
        return next((path for name in names for path in (folder / name for folder in folders) if path.is_file()), None)

    def borrows(self, path: Path) -> bool:
        """Return whether a file is an implementation of the workload that it varies."""
        return path.parent == self._varied

    @property
    def formulas(self) -> list[Path]:
        """The files that state it as formulas, one for each reference framework, in the order of their names."""
        stated = sorted(self.folder.glob(f"{REFERENCE}*.py"))
        varied = self._varied
        return stated if stated or varied is None else sorted(varied.glob(f"{REFERENCE}*.py"))

    def _folders(self, framework: str) -> list[Path]:
        """Return the folders that may hold its file in a framework, its own first.

        A variant that has no implementations of its own has those of the workload that it varies, and so with its
        references: what differs is then in its ``workload.toml`` alone.
        """
        own = [self.folder] if self.is_own else [root / "workloads" / self.folder.name for root in catalogue_roots()]
        varied, is_reference = self._varied, framework.startswith("reference-")
        if varied is None or framework in self.absent or has_files(self.folder, references=is_reference):
            return own
        return [*own, varied]

    @property
    def _varied(self) -> Path | None:
        """The folder of the workload that it varies; None if it varies none."""
        return None if self.variant_of is None else path_of(self.variant_of, self.folder / STATEMENT).parent


def has_files(folder: Path, *, references: bool) -> bool:
    """Return whether a workload's folder holds implementations, or `references`."""
    sources = (file for file in folder.iterdir() if file.suffix in (".py", R))
    return any(file.name.startswith(REFERENCE) is references for file in sources)


def is_shape(stated: Any) -> TypeGuard[list[int]]:  # noqa: ANN401 (whatever a file holds)
    """Return whether a value of a file is a list of whole numbers."""
    return isinstance(stated, list) and all(type(n) is int for n in stated)


def each_of(stated: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tensors of one entry: one for each name. Each is larger than the one before by `growth`.

    Raises ValueError if `growth` does not fit the shape.
    """
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
    """Return {name: workload} of every workload of the catalogue."""
    files = [path for root in catalogue_roots() for path in sorted((root / "workloads").glob(f"*/{STATEMENT}"))]
    found: dict[str, Workload] = {}
    for workload in read_each(files, read_workload):
        if found.setdefault(workload.name, workload) is not workload:
            pass_over(
                str(package_of(workload.folder)), f"{workload.folder}: there is a workload {workload.name} already"
            )
    return found


def read_workload(path: Path) -> Workload:
    """Read one ``workload.toml``. The workload is named after its folder, with hyphens; see `name_of`.

    What a variant does not state is that of the workload that it varies; one that infers learns nothing of it. Raises
    UsageError if it cannot be read.
    """
    try:
        stated = tomllib.loads(path.read_text(encoding="utf-8"))
        variant_of = stated.get("variant_of")
        name = name_of(path.parent.name.replace("_", "-"), variant_of)
        rest = {} if variant_of is None else tomllib.loads(path_of(variant_of, path).read_text(encoding="utf-8"))
        if "inference" in stated:
            rest = {key: value for key, value in rest.items() if key not in (*LEARNING, "schedule")}
        return Workload(name=name, folder=path.parent, **rest | stated)
    except ValueError as error:  # from TOML, from pydantic, or from name_of
        why = faults(error) if isinstance(error, ValidationError) else error
        raise UsageError(
            f"{path} does not describe a workload: {why}", hint="See docs/guide/adding-a-workload.md."
        ) from error


def name_of(folder: str, variant_of: str | None) -> str:
    """Return a workload's name: its folder's; for a variant, a colon separates the varied workload and the variation.

    The folder imdb_gru_reset_before holds ``imdb-gru:reset-before``.
    """
    if variant_of is None:
        return folder
    variant = folder.removeprefix(f"{variant_of}-")
    if variant == folder:
        raise ValueError(f"the folder of a variant of {variant_of} is named {variant_of.replace('-', '_')}_…")
    return f"{variant_of}:{variant}"


def path_of(varied: str, variant: Path) -> Path:
    """Return the file of the workload that a variant varies: beside it, or in the catalogue.

    Raises ValueError if there is none.
    """
    folder = varied.replace("-", "_")
    beside = [variant.parent.parent, *(root / "workloads" for root in catalogue_roots())]
    for path in (root / folder / STATEMENT for root in beside):
        if path.is_file():
            return path
    raise ValueError(f"there is no workload {varied} that it could vary")


def find_workload(name: str) -> Workload:
    """Return the workload `name`, or that of a folder. Raises UsageError, with the nearest match, if there is none."""
    if is_path(name):
        return read_folder(Path(name))
    workloads = all_workloads()
    return workloads[nearest("workload", name, workloads)]


def is_path(name: str) -> bool:
    """Return whether a workload is named by its folder: ``./my-gpt``, ``..``."""
    return "/" in name or name in (".", "..")


def read_folder(folder: Path) -> Workload:
    """Return the workload of a folder anywhere. Raises UsageError if there is none, or it cannot be read."""
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
