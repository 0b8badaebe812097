"""The data of a workload: a data set and its form, or the user's own arrays."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Discriminator, Field, PositiveInt, Tag, ValidationError, model_validator

from rosettabench.catalogue.strict import Strict, faults

MONASH = "monash-"
"""The prefix of data sets of time series: the sets of the Monash archive."""

OWN = "own"
"""The name of the user's own data. Their form is `OwnArrays`, `OwnFunction` or `OwnDrawn`."""


def check_names(named: dict[str, Any]) -> dict[str, Any]:
    """Return inputs by name. Raises ValueError if a name could not be that of a model's argument."""
    wrong = [name for name in named if not name.isidentifier()]
    if wrong or not named:
        raise ValueError(f"the name of an input is that of an argument of the model, not {', '.join(wrong) or 'none'}")
    return named


Files = str | Annotated[dict[str, str], AfterValidator(check_names)]
"""The file of the only input, or {name of an input: its file}."""


class OwnArrays(Strict):
    """Arrays in files beside the workload: ``x.npy``, or ``pairs.npz:x`` for one of several in a file.

    Without `labels` the inputs serve as labels, for losses that need none. Without `test` the last tenth of the samples
    is the test part.
    """

    train: Files
    labels: str | None = None
    test: Files | None = None
    test_labels: str | None = None

    @model_validator(mode="after")
    def _test_is_whole(self) -> Self:
        """Refuse test labels without a test part, and a test part without its labels."""
        if (self.labels is None or self.test is None) != (self.test_labels is None):
            raise ValueError("test_labels belong to test, where there are labels")
        if self.test is not None and names_of(self.train) != names_of(self.test):
            raise ValueError("train and test have the same inputs, in the same order")
        return self


def names_of(files: Files) -> list[str]:
    """Return the names of the inputs; none of an only input."""
    return [] if isinstance(files, str) else list(files)


class OwnFunction(Strict):
    """A function that returns the arrays, by the names of `OwnArrays`: ``data.py``, or ``data.py:load`` with its name.

    It runs once, in its own process, with the interpreter `python` or else ours. The arrays are kept until the file
    changes.
    """

    function: str
    python: str | None = None


class Draw(Strict):
    """How an array is drawn: the `shape` of a sample, and its `values`.

    Values are normal (mean 0, deviation 1), uniform in [0, 1), or integers from 0 to `below`, exclusive.
    """

    shape: tuple[PositiveInt, ...] = ()
    values: Literal["normal", "uniform", "integers"] = "normal"
    below: PositiveInt | None = None

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        """Refuse integers without a bound, and a bound for anything else."""
        if (self.values == "integers") != (self.below is not None):
            raise ValueError('below = 10, say, belongs to values = "integers"')
        return self


def kind_of_draws(stated: Any) -> str:  # noqa: ANN401 (whatever a file holds)
    """Return whether a table says how one input is drawn, or several by name."""
    several = isinstance(stated, dict) and stated and all(isinstance(value, (dict, Draw)) for value in stated.values())
    return "several" if several else "one"


Draws = Annotated[
    Annotated[Draw, Tag("one")] | Annotated[dict[str, Draw], AfterValidator(check_names), Tag("several")],
    Discriminator(kind_of_draws),
]
"""How the only input is drawn, or {name of an input: how it is drawn}."""


class OwnDrawn(Strict):
    """Random arrays: `samples` for training, and `test` for testing. Nothing can be learned from them.

    Without `labels` the inputs serve as labels.
    """

    samples: PositiveInt
    test: PositiveInt = 64
    inputs: Draws
    labels: Draw | None = None


class Augmentation(Strict):
    """Random augmentation of each training image that comes from its file, drawn anew in each epoch.

    `crop` gives two sides in pixels. The image is resized to a square of the second side, and a square of the first
    side is cut out at a random place. All places are equally likely. For other image sizes, both sides scale with the
    size. `flip` is the probability of a horizontal flip.
    """

    crop: tuple[PositiveInt, PositiveInt] = (1, 1)
    flip: Annotated[float, Field(ge=0, le=1)] = 0.0

    @model_validator(mode="after")
    def _within(self) -> Self:
        """Refuse a crop that is larger than the image that it is cut out of."""
        if self.crop[0] > self.crop[1]:
            raise ValueError("crop is [224, 264], say: the first side is cut out of the second")
        return self

    def stored_side(self, side: int) -> int:
        """Return the side in pixels of the square that a crop of `side` is cut out of."""
        return round(side * self.crop[1] / self.crop[0])

    def places(self, side: int) -> int:
        """Return the number of places for a crop of `side` pixels, along each axis."""
        return self.stored_side(side) - side + 1


def own_form(form: dict[str, Any]) -> OwnArrays | OwnFunction | OwnDrawn:
    """Return the user's own data as a ``[data]`` table states them. Raises ValidationError for a wrong table."""
    if "random" in form:
        others = sorted(set(form) - {"random"})
        if others:
            raise ValueError(f"random stands alone: leave out {', '.join(others)}")
        return OwnDrawn.model_validate(form["random"])
    return (OwnFunction if "function" in form else OwnArrays).model_validate(form)


class DataEntry(Strict):
    """A data set, the form in which the workload uses it, and the augmentation of training images.

    Without `set`, the other keys are those of `OwnArrays` or `OwnFunction`, or ``random``, an `OwnDrawn`.
    """

    set: str
    series: bool = False
    """Whether samples are windows of time series, a set of the Monash archive."""
    form: dict[str, Any]
    augmentation: Augmentation = Augmentation()

    @model_validator(mode="before")
    @classmethod
    def _own(cls, stated: Any) -> Any:  # noqa: ANN401 (whatever a file holds)
        """Read the user's own arrays, which name no data set, as the form of one."""
        if not isinstance(stated, dict) or "set" in stated:
            return stated
        form = {name: value for name, value in stated.items() if name not in cls.model_fields}
        rest = {name: value for name, value in stated.items() if name in cls.model_fields}
        return {**rest, "set": OWN, "form": form}

    @model_validator(mode="after")
    def _own_form(self) -> Self:
        """Refuse own data without a source, or with several."""
        if self.set == OWN:
            try:
                own_form(self.form)
            except ValidationError as error:
                raise ValueError(faults(error)) from None
        return self

    @model_validator(mode="after")
    def _check_archive(self) -> Self:
        """Refuse series from another source than the archive, and a set of the archive without ``series = true``."""
        if self.series != self.set.startswith(MONASH):
            raise ValueError(f"series = true belongs to the sets {MONASH}…, and to no other")
        return self
