"""Fashion-MNIST with noise: what a denoising diffusion model is trained on (Ho, Jain and Abbeel 2020, equation 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.data_set import Portion, Remote, Source
from rosettabench.data.progress import DataProgress
from rosettabench.data.sets.fashion_mnist import FashionMnist
from rosettabench.errors import UsageError

PIXELS = 28 * 28

FLAT = {"shape": [PIXELS]}

DRAWS = {"train": 1, "test": 2}
"""The key of the Philox stream of each part, which draws its time steps and its noise."""

CHUNK = 5_000
"""Images that are mixed at once: a limit on memory."""


@dataclass(frozen=True)
class NoisyFashionMnist:
    """Each image of Fashion-MNIST with one time step and one noise of its own, as float32.

    Its form is ``{steps = 1000, first_beta = 1e-4, last_beta = 0.02}``: the variances grow linearly. The inputs of a
    sample are the 784 pixels of the noisy image and its time step, from 0 on; its labels are the 784 numbers of the
    noise. A sample keeps its time step and its noise in all epochs.
    """

    images: FashionMnist = field(default_factory=FashionMnist)
    name: ClassVar[str] = "noisy-fashion-mnist"
    title: ClassVar[str] = "Fashion-MNIST with noise"
    version: ClassVar[int] = 1
    drawn: ClassVar[bool] = False

    @property
    def remotes(self) -> tuple[Remote, ...]:
        """The files of Fashion-MNIST."""
        return self.images.remotes

    def check(self, form: Mapping[str, Any]) -> None:
        """Raise UsageError unless `form` has a number of steps, and variances between 0 and 1."""
        steps, *betas = (form.get(word) for word in ("steps", "first_beta", "last_beta"))
        whole = type(steps) is int and steps > 0 and all(type(beta) is float and 0 < beta < 1 for beta in betas)
        if len(form) != 3 or not whole:
            raise UsageError(
                f"{self.name} takes the form {{steps = 1000, first_beta = 1e-4, last_beta = 0.02}}, not {dict(form)}."
            )

    def find(self, folder: Path) -> Source | None:
        """Return the files of Fashion-MNIST in `folder` or its subfolder for them; see DataSet.find."""
        return self.images.find(folder / self.images.name) or self.images.find(folder)

    def read(self, source: Source, form: Mapping[str, Any], progress: DataProgress) -> Iterator[Portion]:
        """Yield both parts; see DataSet.read."""
        for portion in self.images.read(source, FLAT, progress):
            progress(f"adding noise, {portion.part}")
            yield noisy(portion, form)

    def stand_in(self, form: Mapping[str, Any]) -> Iterator[Portion]:
        """Yield synthetic images with noise; see DataSet.stand_in."""
        for portion in self.images.stand_in(FLAT):
            yield noisy(portion, form)


def noisy(portion: Portion, form: Mapping[str, Any]) -> Portion:
    """Return images in [0, 1], (n, 784), as noisy images in about [-1, 1] with their time steps, and the noise.

    x_t = √ᾱ_t · x_0 + √(1 - ᾱ_t) · noise, in float64; ᾱ_t is the product of 1 - β up to the step t.
    """
    generator = np.random.Generator(np.random.Philox(key=DRAWS[portion.part]))
    samples = len(portion.inputs)
    times = generator.integers(0, form["steps"], samples)
    kept = np.cumprod(1 - np.linspace(form["first_beta"], form["last_beta"], form["steps"]))[times, None]
    inputs, labels = np.empty((samples, PIXELS + 1), np.float32), np.empty((samples, PIXELS), np.float32)
    for start in range(0, samples, CHUNK):
        own = slice(start, start + CHUNK)
        clean: NDArray[np.float64] = 2 * portion.inputs[own].astype(np.float64) - 1
        noise = generator.standard_normal(clean.shape)
        inputs[own, :PIXELS] = np.sqrt(kept[own]) * clean + np.sqrt(1 - kept[own]) * noise
        labels[own] = noise
    inputs[:, PIXELS] = times
    return Portion(portion.part, inputs, labels)
