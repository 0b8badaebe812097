"""The axes of a setting: the values that a contest holds equal for all contenders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, replace
from itertools import product
from typing import Any

from rosettabench.catalogue.data_entry import OWN
from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.workload import Workload, all_workloads
from rosettabench.data.choice import DataChoice
from rosettabench.errors import UsageError
from rosettabench.plan.learning_rate import CONSTANT, SCHEDULES, check_schedule
from rosettabench.plan.series import STATED, check_series
from rosettabench.resources.processors import usable_cores

Value = int | str
"""A value on an axis."""


@dataclass(frozen=True)
class Setting:
    """One value on each axis. `threads` is the number that every numerical library is told to use, on each device.

    `epochs`, or else `steps`, is the length of a full training; 0 means what the workload states. Axes that were added
    later have a default: the value that was in force before.
    """

    batch_size: int
    device: str
    precision: str
    seed: int
    threads: int
    data: str = DataChoice.FOUND
    devices: int = 1
    embedding_gradient: str = "dense"
    epochs: int = 0
    input: str = "memory"
    schedule: str = CONSTANT
    series: str = STATED
    steps: int = 0
    workers: int = 0

    def __post_init__(self) -> None:
        """Refuse workers without a loader, and a training with two lengths."""
        if self.epochs and self.steps:
            raise UsageError(
                f"epochs={self.epochs} and steps={self.steps} both say how long to train", "Leave one out."
            )
        if self.workers and self.input == "memory":
            raise UsageError(
                f"workers={self.workers} needs a loader: with input=memory the model's own process cuts its batches",
                "Add --set input=loader, or input=files.",
            )

    @property
    def cores(self) -> int:
        """The processors that it takes: those of all devices."""
        return self.devices * self.threads

    @property
    def of_a_step(self) -> Setting:
        """The same setting without the length of the training and the source of the data, which a digest identifies."""
        return replace(self, data=DataChoice.FOUND, epochs=0, steps=0)

    def as_json(self) -> dict[str, Any]:
        """Return the setting as the store writes it."""
        return asdict(self)


DEFAULTS: Mapping[str, Value] = {one.name: one.default for one in fields(Setting) if one.default is not MISSING}
"""{axis that was added later: the value that was in force before}."""


def with_defaults(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored setting with a value on every axis. An old one lacks the axes that were added later."""
    return {**DEFAULTS, **setting}


def without_defaults(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return a setting without later axes that are at their defaults.

    Certificates and titles then stay the same when an axis is added.
    """
    return {axis: value for axis, value in setting.items() if axis not in DEFAULTS or value != DEFAULTS[axis]}


def distinguishing_words(
    setting: Mapping[str, Any], others: Iterable[Mapping[str, Any]], workload: Workload | None
) -> list[str]:
    """Return the values that name a contest of a workload, in words.

    They are the values in which it differs from some of the `others` of its run, values of later axes that are not the
    default, and a batch size other than the workload's. `workload` is None if the catalogue no longer has it.
    """
    known = [with_defaults(other) for other in others]
    named = without_defaults(setting).keys() & DEFAULTS.keys()
    if workload is not None and setting.get("batch_size") != workload.batch_size:
        named |= {"batch_size"}
    return [
        f"{axis.replace('_', ' ')} {value}"
        for axis, value in with_defaults(setting).items()
        if axis in named or any(other.get(axis) != value for other in known)
    ]


def canonical_setting(workload: Workload) -> Setting:
    """Return the setting that a workload states, on the CPU with all processors available to this process."""
    threads = max(1, usable_cores() // workload.devices)
    return Setting(workload.batch_size, "cpu", "float32", 0, threads, devices=workload.devices)


def read_count(word: str) -> int:
    """Return a whole number of at least 1. Raises UsageError for anything else."""
    if not word.isascii() or not word.isdigit() or int(word) < 1:
        raise UsageError(f"{word!r} is not a whole number of at least 1")
    return int(word)


def read_seed(word: str) -> int:
    """Return a whole number of at least 0. Raises UsageError for anything else."""
    if not word.isascii() or not word.isdigit():
        raise UsageError(f"{word!r} is not a whole number from 0 on")
    return int(word)


def read_series(word: str) -> str:
    """Return the study's name of a set of the Monash archive. Raises UsageError for an unknown one."""
    from rosettabench.data.series.monash import monash_set  # it imports NumPy

    return monash_set(word).key


@dataclass(frozen=True)
class Axis:
    """An axis of --set. Calling it with a word returns the value; it raises UsageError for an invalid word.

    `values` are all values, or a description of them. `default` describes the default; without it, the default is the
    value in `canonical_setting`. `page` is the page of the docs that explains the axis.
    """

    meaning: str
    values: tuple[str, ...] | str
    read: Callable[[str], Value]
    default: str = ""
    page: str = ""

    def __call__(self, word: str) -> Value:
        """Return the value of a word. Raises UsageError, with the possible values, for an invalid one."""
        return self.read(word)


def choice(meaning: str, *values: str, page: str = "") -> Axis:
    """Return an axis with the given `values` only."""
    return Axis(meaning, values, lambda word: nearest("value", word, values), page=page)


AXES: Mapping[str, Axis] = {
    "batch_size": Axis("Samples in a batch.", "a number", read_count, "what the workload states"),
    "data": choice(
        "The originals or a stand-in for them.",
        *map(str, DataChoice),
        page="guide/data.md#real-or-synthetic",
    ),
    "device": choice("Where the model is trained.", "cpu", "cuda"),
    "devices": Axis(
        "Processes that train one model together, each on its own cores.",
        "a number",
        read_count,
        "1, unless the workload states more",
        page="explanation/devices.md",
    ),
    "embedding_gradient": choice("Which rows of an embedding a step updates.", "dense", "sparse"),
    "epochs": Axis("How long to train, with `--full` only.", "a number", read_count, "what the workload states"),
    "input": choice("Where training gets its batches from.", "memory", "loader", "files", page="guide/loaders.md"),
    "precision": choice("The precision of products; `tf32` on a GPU only.", "float32", "bfloat16", "tf32"),
    "schedule": choice("How the learning rate changes.", *SCHEDULES),
    "seed": Axis("The seed of all random numbers.", "a number from 0 on", read_seed),
    "series": Axis(
        "Which time series.", "a set of the Monash archive", read_series, page="guide/data.md#the-monash-archive"
    ),
    "steps": Axis("The same as `epochs`, in steps.", "a number", read_count, "what the workload states"),
    "threads": Axis(
        "Threads of every numerical library, on each device.",
        "a number",
        read_count,
        "all processors that the laboratory may use, shared by the most devices of the run",
    ),
    "workers": Axis("Workers of a loader; 0 with `input=memory`.", "a number from 0 on", read_seed),
}
"""Every axis that --set knows."""


def read_axes(assignments: Iterable[str]) -> dict[str, list[int | str]]:
    """Return {axis: values} for words such as ``batch_size=32,256``.

    Raises UsageError for an unknown axis or value, with the nearest match, and for an axis that is set twice.
    """
    axes: dict[str, list[int | str]] = {}
    for word in assignments:
        name, equals, values = word.partition("=")
        if not equals or not values:
            raise UsageError(f"--set {word!r} sets nothing", "Write --set axis=value or axis=value,value.")
        reader = AXES[nearest("axis", name.strip(), AXES)]
        if name.strip() in axes:
            raise UsageError(f"--set names the axis {name.strip()} twice", "Separate its values by commas.")
        try:
            axes[name.strip()] = [reader(value.strip()) for value in values.split(",")]
        except UsageError as error:
            raise UsageError(f"--set {word}: {error.what}", error.hint) from None
    return axes


def settings(workload: Workload, axes: Mapping[str, list[int | str]]) -> list[Setting]:
    """Return the settings for every combination of the values on the axes; other axes have the workload's own values.

    Raises UsageError for a value that does not apply to this workload.
    """
    base = canonical_setting(workload)
    threads = max(1, usable_cores() // most_devices(axes, workload))  # the same in all settings of a run
    base = replace(base, threads=threads)
    combinations = product(*axes.values())
    found = [replace(base, **dict(zip(axes, values, strict=True))) for values in combinations]  # type: ignore[arg-type]
    for setting in found:
        check_schedule(setting.schedule, workload)
        check_series(setting.series, workload)
        check_embedding(setting.embedding_gradient, workload)
        check_precision(setting)
        check_data(setting.data, workload)
        check_input(setting.input, workload)
        check_devices(setting, workload)
    return found


def most_devices(axes: Mapping[str, Sequence[int | str]], workload: Workload | None = None) -> int:
    """Return the largest number of devices on the axes of a run; without that axis, that of the workload, or 1."""
    return max(int(value) for value in axes.get("devices", (workload.devices if workload else 1,)))


def check_embedding(gradient: str, workload: Workload) -> None:
    """Raise UsageError if the sparse gradient of an embedding is asked for and there is no embedding."""
    if gradient == "sparse" and not workload.embeddings:
        able = ", ".join(one.name for one in all_workloads().values() if one.embeddings)
        raise UsageError(
            f"{workload.name} has no embedding: it has no embedding_gradient=sparse", f"Available: {able}."
        )


def check_precision(setting: Setting) -> None:
    """Raise UsageError if TF32 is asked for on a CPU."""
    if setting.precision == "tf32" and setting.device == "cpu":
        raise UsageError(
            "TF32 is a format of NVIDIA's GPUs: device=cpu does not support precision=tf32",
            "Add --set device=cuda, or name precision=bfloat16.",
        )


def check_data(data: str, workload: Workload) -> None:
    """Raise UsageError if original data are asked for and the workload states random data, which have no originals."""
    from rosettabench.data.registry import data_set

    if workload.data.set == OWN:
        if data == DataChoice.SYNTHETIC:
            raise UsageError(
                f"there is no stand-in for the data of {workload.name}: it has no data=synthetic",
                "Leave it out, or state random data: [data.random] in its workload.toml.",
            )
        return
    if data == DataChoice.REAL and data_set(workload.data.set).drawn:
        raise UsageError(
            f"the data of {workload.name} are random, without originals: it has no data=real",
            "Leave it out, or name data=synthetic, which is the same there.",
        )


def check_input(source: str, workload: Workload) -> None:
    """Raise UsageError if picture files are asked for and a workload does not train on any."""
    if source == "files" and not reads_pictures(workload):
        able = ", ".join(one.name for one in all_workloads().values() if reads_pictures(one))
        raise UsageError(f"{workload.name} trains on no picture files: it has no input=files", f"There are: {able}.")


def check_devices(setting: Setting, workload: Workload) -> None:
    """Raise UsageError if several devices are asked for that this machine lacks, or that would do other work."""
    devices = setting.devices
    asked = f"{workload.name} with devices={devices}"
    why = why_unequal(workload, devices)
    if devices == 1 and why is None:
        return
    larger = why_too_large(setting)
    if larger is not None and devices > workload.devices:  # a contest of a stated number has no contenders then
        raise UsageError(larger, "On a CPU a device is a process on its own cores: lower devices or threads.")
    if workload.training is None:
        raise UsageError(f"{asked}: it only infers, and devices share the batches of a training", "Leave devices out.")
    if why is not None:
        raise UsageError(f"{asked} would not be equal work: {why}", "docs/explanation/devices.md says why.")
    for size in {setting.batch_size, workload.proof.batch_size or setting.batch_size}:
        if size % devices:
            raise UsageError(
                f"{asked}: a batch of {size} samples does not divide among {devices} devices",
                f"Name a batch size that does: --set batch_size={-(-size // devices) * devices}",
            )
    only = {"device": "cpu", "embedding_gradient": "dense", "input": "memory", "precision": "float32"}
    for axis, value in only.items():
        if getattr(setting, axis) != value:
            raise UsageError(
                f"{axis}={getattr(setting, axis)} has not been tried on several devices", f"Add --set {axis}={value}."
            )


def why_too_large(setting: Setting) -> str | None:
    """Return why the devices of a setting do not fit on this machine; None if they do."""
    if setting.cores <= usable_cores():
        return None
    asked = f"devices={setting.devices} with threads={setting.threads} each takes {setting.cores} processors"
    return f"{asked}, and the laboratory may use {usable_cores()}"


def why_unequal(workload: Workload, devices: int) -> str | None:
    """Return why so many devices do not compute the step that a workload states; None if they do."""
    if devices == workload.devices:
        return None
    if workload.devices > 1:
        return f"it states {workload.devices} devices, each of which normalises its own share of a batch"
    if workload.normalisation is not None:
        return "its batch normalisation would take mean and variance over each device's share of the batch"
    if workload.dropout:
        return "nothing proves that its devices would drop units independently of each other"
    if workload.data.series:
        return "its loss is a weighted mean over the batch, which is not the mean over the devices"
    return None


def reads_pictures(workload: Workload) -> bool:
    """Return whether a workload trains on samples that are picture files."""
    from rosettabench.data.data_set import PictureSet  # it imports NumPy, which only this question needs
    from rosettabench.data.registry import data_set

    if workload.training is None or workload.data.set == OWN:
        return False
    return isinstance(data_set(workload.data.set), PictureSet)
