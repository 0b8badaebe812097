"""The dropout probe of a transformer that predicts characters: its weights, the paths through it, and its loss.

Almost all weights are 0. A *marker* is a pair of elements of the stream, equal but for their sign, which the embedding
of a place writes. Everything else in the stream is much smaller, so that layer normalisation makes the same of a marker
in every block. The first place has a marker of its own, which attention looks for: a query reads the marker of its
place, a key and a value that of the first one. The share of the first place is then 1, and all others are 0.

A path begins at the checked layer and ends at an element of the stream that is its own. One output reads that element,
less another one that stays 0, as normalisation subtracts the mean from both.
Where the dropout of the embeddings has dropped half of a marker, the place is not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from rosettabench.catalogue.workload import Workload
from rosettabench.client.session import Work
from rosettabench.proof.dropout_site import Paths, Site
from rosettabench.proof.walk import Array
from rosettabench.proof.weights import Weights

MARK = 0.05
"""Each half of a marker. Its variance is about the epsilon of the normalisation: a place that has lost its marker does
not magnify what is left, which would hide everything else in the loss."""

PART = 3e-4
"""What a path adds to the stream, as a share of MARK: enough for float32, and too little to change the
normalisation."""

READ = 1e-11
"""What an output multiplies its element with. The embedding of a character adds as much, which is nothing beside a
path."""

LOGIT = 8.0
"""The logit of a path if nothing is dropped: whether it is kept then shows in the loss."""

STEPS = {"embedding": 2, "down": 2, "projection": 0, "attention": 12}
"""Over how many steps the loss is averaged. What attention adds depends on one marker in each sample, so that its loss
varies more. It shows the dropout behind the projection, too. Steps without one of the four are eight standard errors
away, or more."""

NEAR = 0.01
"""A marker is whole if its halves are as near to what they should be. With another rate they are off by more."""

NOTHING = 1e-3
"""A path's value below this is round-off."""

SIMULATED = 300
"""Steps whose loss is simulated."""


@dataclass(frozen=True)
class Stream:
    """The stream of a network with the probe's weights: first the paths, then one that stays 0, then both markers."""

    layers: int
    width: int
    heads: int
    epsilon: float
    characters: int

    @classmethod
    def of(cls, workload: Workload) -> Stream:
        """Return the stream of a workload's network."""
        stated = workload.attention
        assert stated is not None
        assert stated.heads is not None
        assert stated.epsilon is not None  # the workload was refused without them
        return cls(stated.layers, stated.width, stated.heads, stated.epsilon, workload.tensors[0].shape[0])

    @property
    def each(self) -> int:
        """The number of paths in a block: one for each head, and further ones from the first head."""
        return (self.characters - 5) // self.layers

    @property
    def firsts(self) -> int:
        """The number of heads of a block that have a path of their own."""
        return min(self.heads, self.each - 1)

    @property
    def inside(self) -> int:
        """The width of a head."""
        return self.width // self.heads

    @property
    def paths(self) -> int:
        """The number of paths."""
        return self.each * self.layers

    def of_block(self, block: int) -> slice:
        """Return the paths of a block, counted from 0."""
        return slice(block * self.each, (block + 1) * self.each)

    @property
    def marker(self) -> slice:
        """The marker of a place."""
        return slice(self.paths + 1, self.paths + 3)

    @property
    def first(self) -> slice:
        """The marker of the first place."""
        return slice(self.paths + 3, self.paths + 5)

    def deviation(self, kept: float) -> float:
        """Return what normalisation divides by where a whole marker is divided by `kept`."""
        return sqrt(2 * (MARK / kept) ** 2 / self.width + self.epsilon)

    def level(self, kept: float) -> float:
        """Return what a layer reads of a whole marker that is divided by `kept`."""
        return 2 * MARK / kept / self.deviation(kept)

    @property
    def gains(self) -> Array:
        """What each logit is of its element less the one that stays 0, behind the last normalisation: (characters,)."""
        gains = np.zeros(self.characters)
        gains[: self.paths + 1] = LOGIT * self.deviation(1) / (PART * MARK)
        gains[self.paths + 1 : self.paths + 5] = gains[0] * PART
        return gains

    def read(self, logits: Array, kept: float) -> Array:
        """Return the elements of the stream, (samples, places, paths + 5), where a marker is whole."""
        used = slice(self.paths + 5)
        return logits.astype(np.float64)[..., used] / self.gains[used] * self.deviation(kept)


class Transformer:
    """The probe of such a network."""

    def sites(self, workload: Workload) -> list[Site]:
        """Return the dropout layers: the embeddings first, as they drop markers; the shares of attention last.

        A share that is kept passes the dropout behind the projection, too.
        """
        kept = {layer: 1 - rate for layer, rate in workload.dropout.items()}
        if kept:
            kept["attention"] *= kept["projection"]
        return [Site(layer, kept[layer]) for layer in ("embedding", "down", "projection", "attention") if kept]

    def weights(self, workload: Workload, layer: str) -> Weights:
        """Return weights with which the logits show what is dropped behind `layer`, in every block."""
        shapes = {tensor.name: tensor.shape for tensor in workload.tensors}
        weights: Weights = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        stream = Stream.of(workload)
        for name in shapes:
            if name.endswith(".scale"):
                weights[name][:] = stream.gains[0] / READ if name == "norm.scale" else 1
        np.fill_diagonal(weights["token_embedding"], READ * stream.gains / stream.gains[0])
        weights["token_embedding"][:, stream.paths] -= READ * stream.gains / stream.gains[0]
        places = weights["position_embedding"]
        places[1:, stream.marker] = places[0, stream.first] = MARK, -MARK
        if layer == "embedding":
            places[:, : stream.paths] = PART * MARK
        for block in range(stream.layers):
            if layer == "down":
                write_units(weights, stream, block)
            elif layer != "embedding":
                write_heads(weights, stream, block)
        return weights

    def survivors(self, workload: Workload, site: Site, logits: Array, training: bool) -> Paths:
        """Return the paths, (samples, places, blocks, paths in a block), seen where the markers are whole.

        For the projection, they are the further paths from a head, where its first one shows that its share was kept.
        """
        stream = Stream.of(workload)
        kept = 1 - workload.dropout["embedding"] if training else 1.0
        read = stream.read(logits, kept)
        whole = is_whole(read[..., stream.marker], kept)
        if site.layer in ("attention", "projection"):
            whole &= is_whole(read[:, :1, stream.first], kept)
        values = read[..., : stream.paths] / (PART * MARK)
        if site.layer != "embedding":
            values *= stream.level(1) / stream.level(kept)
        values[np.abs(values) < NOTHING] = 0
        blocks = values.reshape(*whole.shape, stream.layers, stream.each)
        seen = np.broadcast_to(whole[..., None, None], blocks.shape)
        if site.layer == "projection":
            first = blocks[..., :1]
            further = np.divide(blocks, first * (site.kept if training else 1), where=first != 0, out=0 * blocks)
            blocks, seen = further[..., stream.firsts :], (seen & (first != 0))[..., stream.firsts :]
        if site.layer == "attention":
            blocks, seen = blocks[..., : stream.firsts], seen[..., : stream.firsts]
        return Paths(blocks, seen)

    def passes(self, site: Site) -> int:
        """Return how many training passes are looked at.

        Two samples can be compared only if the marker of neither first place is dropped, which is so in 4 of 10 passes.
        """
        return 8 if site.layer == "attention" else 2

    def steps(self, _work: Work, site: Site) -> int:
        """Return over how many single steps the loss is averaged."""
        return STEPS[site.layer]

    def loss(self, work: Work, site: Site) -> tuple[float, float]:
        """Return mean and variance of a step's loss on the first batch, as simulated."""
        ids = np.load(work.batches, mmap_mode="r")[0]
        labels = np.load(work.data.train.labels, mmap_mode="r")[ids].astype(int)
        draw = np.random.default_rng(0)
        losses = [loss_of(simulate(work.workload, site.layer, labels.shape, draw), labels) for _ in range(SIMULATED)]
        return float(np.mean(losses)), float(np.var(losses, ddof=1))


def write_units(weights: Weights, stream: Stream, block: int) -> None:
    """Let the first unit of a block's MLP read the marker, and write it to the block's paths."""
    name = f"block{block + 1}"
    weights[f"{name}.up.kernel"][0, stream.marker] = 1, -1
    weights[f"{name}.down.kernel"][stream.of_block(block), 0] = PART * MARK / stream.level(1)


def write_heads(weights: Weights, stream: Stream, block: int) -> None:
    """Let a unit of each head attend to the first place, and write its value to the block's paths."""
    name, width = f"block{block + 1}", stream.width
    kernel, projection = weights[f"{name}.qkv.kernel"], weights[f"{name}.projection.kernel"][stream.of_block(block)]
    for head in range(stream.firsts):
        unit = head * stream.inside
        kernel[unit, stream.marker] = 1, -1
        kernel[[width + unit, 2 * width + unit], stream.first] = 1, -1
        projection[head, unit] = PART * MARK / stream.level(1)
    projection[stream.firsts :, 0] = projection[0, 0]


def is_whole(marker: Array, kept: float) -> Array:
    """Return where a marker, (…, 2), is what it should be in whole."""
    whole = np.array([MARK, -MARK]) / kept
    return np.asarray((np.abs(marker / whole - 1) < NEAR).all(-1))


def simulate(workload: Workload, layer: str, shape: tuple[int, ...], draw: np.random.Generator) -> Array:
    """Return the logits of a training pass with the weights of the probe, for ids of a shape, (samples, places)."""
    stream, rates = Stream.of(workload), workload.dropout

    def drop(array: Array, name: str) -> Array:
        """Return what a dropout layer leaves."""
        return array * (draw.random(array.shape) >= rates[name]) / (1 - rates[name])

    x = np.zeros((*shape, stream.paths + 5))
    x[:, 1:, stream.marker] = x[:, :1, stream.first] = MARK, -MARK
    x[..., : stream.paths] = PART * MARK if layer == "embedding" else 0
    x = drop(x, "embedding")
    part = PART * MARK / stream.level(1)
    for block in range(stream.layers if layer != "embedding" else 0):
        query = differ(normalise(x, stream)[..., stream.marker])[..., None]
        if layer == "down":
            x[..., stream.of_block(block)] += drop(part * query * np.ones(stream.each), "down")
            continue
        value = differ(normalise(x, stream)[:, :1, stream.first])[..., None]
        others = np.arange(shape[1])[:, None] * np.exp(-query * value / sqrt(stream.inside))
        heads = drop(np.ones(stream.firsts) / (1 + others), "attention") * value
        further = np.broadcast_to(heads[..., :1], (*shape, stream.each - stream.firsts))
        x[..., stream.of_block(block)] += drop(part * np.concatenate([heads, further], -1), "projection")
    logits = np.zeros((*shape, stream.characters))
    normalised = normalise(x, stream)
    logits[..., : x.shape[-1]] = normalised - normalised[..., stream.paths, None]
    return logits * stream.gains


def normalise(x: Array, stream: Stream) -> Array:
    """Return elements of the stream behind layer normalisation; all that `x` has not are 0."""
    width = stream.width
    mean = x.sum(-1, keepdims=True) / width
    variance = (x * x).sum(-1, keepdims=True) / width - mean * mean
    normalised: Array = (x - mean) / np.sqrt(variance + stream.epsilon)
    return normalised


def differ(marker: Array) -> Array:
    """Return what a layer reads of a marker, (…, 2)."""
    difference: Array = marker[..., 0] - marker[..., 1]
    return difference


def loss_of(logits: Array, labels: Array) -> float:
    """Return the mean cross-entropy of logits, (samples, places, characters)."""
    picked = np.take_along_axis(logits, labels[..., None], -1)[..., 0]
    return float((np.logaddexp.reduce(logits, axis=-1) - picked).mean())
