"""Synthetic stand-ins for missing data sets: the same numbers on every machine, from which a model can learn.

Only uniform numbers of the Philox generator are used, and only arithmetic that IEEE 754 defines to the last bit. NumPy
does not guarantee its other distributions, and exp and log differ between processors.
"""

from __future__ import annotations

from datetime import datetime

import numpy as np
from numpy.typing import NDArray

SEEDS = {"train": 1, "test": 2}
"""The key of a part's stream. The prototypes, which both parts share, have 0."""

CLASSES = 10
CHUNK = 5_000
PHOTOGRAPHS = 50
"""Images that are made at once; for large images, a limit on memory."""

FINDING_SHARE = 0.125
"""The probability that an X-ray shows a finding."""

WORDS = 88_584
"""Distinct words of the IMDB reviews: the length of Keras' word index."""

TELLING = (100, 900)
"""Ranks of the words that indicate the class: even ranks are more frequent in positive reviews, odd ranks in
negative."""

TELLING_SHARE = 0.08
"""The share of the words of a review that indicate a class."""

HONESTY = 0.75
"""The share of these that indicate the right class. Then 150 words reveal the class of nine reviews in ten."""

MOST_SERIES = 200
"""The most time series in a stand-in. Training draws from them at random, so more would add nothing."""

CHARACTERS = 65
"""Different characters of a text."""

FOLLOWERS = 8
"""Different characters that may follow one."""

FIRST_CHARACTER = 58
"""The code point of the first of them: a colon, so that all are ASCII."""

BEGINNING = datetime(2000, 1, 1)
"""The time of the first observation of each series."""


def images(part: str, samples: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return (samples, 28, 28) grey images and their classes 0…9.

    Each class has a prototype of 7×7 grey squares. An image is its class's prototype, mixed with that of another class
    at a strength of 0 to 0.5, with noise.
    """
    prototypes = np.kron(_stream(0).random((CLASSES, 7, 7), np.float32), np.ones((4, 4), np.float32))
    stream = _stream(SEEDS[part])
    labels = (stream.random(samples) * CLASSES).astype(np.uint8)
    pixels = np.empty((samples, 28, 28), np.uint8)
    for start in range(0, samples, CHUNK):
        own = labels[start : start + CHUNK]
        other = (own + 1 + (stream.random(len(own)) * (CLASSES - 1)).astype(np.uint8)) % CLASSES
        strength = 0.5 * stream.random((len(own), 1, 1), np.float32)
        noise = stream.random((len(own), 28, 28), np.float32) - np.float32(0.5)
        grey = (1 - strength) * prototypes[own] + strength * prototypes[other] + noise
        pixels[start : start + CHUNK] = np.clip(grey, 0, 1) * 255
    return pixels, labels


def colour_images(part: str, samples: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return (samples, 3, 32, 32) images, red, green and blue, and their classes 0…9; made like `images`.

    A prototype has 4×4 squares in each colour. The other class's prototype has a strength of up to 0.7.
    """
    prototypes = np.kron(_stream(0).random((CLASSES, 3, 4, 4), np.float32), np.ones((8, 8), np.float32))
    stream = _stream(SEEDS[part])
    labels = (stream.random(samples) * CLASSES).astype(np.uint8)
    pixels = np.empty((samples, 3, 32, 32), np.uint8)
    for start in range(0, samples, CHUNK):
        own = labels[start : start + CHUNK]
        other = (own + 1 + (stream.random(len(own)) * (CLASSES - 1)).astype(np.uint8)) % CLASSES
        strength = np.float32(0.7) * stream.random((len(own), 1, 1, 1), np.float32)
        noise = stream.random((len(own), 3, 32, 32), np.float32) - np.float32(0.5)
        colour = (1 - strength) * prototypes[own] + strength * prototypes[other] + noise
        pixels[start : start + CHUNK] = np.clip(colour, 0, 1) * 255
    return pixels, labels


def photographs(part: str, samples: int, size: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return (samples, 3, size, size) images, red, green and blue, and their classes 0…9; made like `colour_images`.

    A prototype has 8×8 squares in each colour. The other class's prototype has a strength of up to 0.7.
    """
    squares = np.arange(size) * 8 // size
    prototypes = _stream(0).random((CLASSES, 3, 8, 8), np.float32)[:, :, squares[:, None], squares]
    stream = _stream(SEEDS[part])
    labels = (stream.random(samples) * CLASSES).astype(np.uint8)
    pixels = np.empty((samples, 3, size, size), np.uint8)
    for start in range(0, samples, PHOTOGRAPHS):
        own = labels[start : start + PHOTOGRAPHS]
        other = (own + 1 + (stream.random(len(own)) * (CLASSES - 1)).astype(np.uint8)) % CLASSES
        strength = np.float32(0.7) * stream.random((len(own), 1, 1, 1), np.float32)
        noise = stream.random((len(own), 3, size, size), np.float32) - np.float32(0.5)
        colour = (1 - strength) * prototypes[own] + strength * prototypes[other] + noise
        pixels[start : start + PHOTOGRAPHS] = np.clip(colour, 0, 1) * 255
    return pixels, labels


def radiographs(part: str, samples: int, side: int, findings: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return (samples, side, side) grey images and their findings, (samples, findings), each 0 or 1.

    An image has each finding independently, with a probability of one in eight. Each finding has a prototype of 8×8
    grey squares that lightens or darkens an image. Noise of 32×32 squares is added.
    """
    prototypes = np.kron(_stream(0).random((findings, 8, 8), np.float32), np.ones((4, 4), np.float32)) - np.float32(0.5)
    stream = _stream(SEEDS[part])
    shown = stream.random((samples, findings)) < FINDING_SHARE
    grey = np.float32(0.7) * stream.random((samples, 32, 32), np.float32) + np.float32(0.15)
    for finding in range(findings):  # one after the other: a matrix product may add in any order
        grey += np.float32(0.15) * shown[:, finding, None, None] * prototypes[finding]
    pixels = (np.clip(grey, 0, 1) * 255).astype(np.uint8)
    at = np.arange(side) * 32 // side
    return pixels[:, at[:, None], at], shown.astype(np.uint8)


def reviews(part: str, per_class: int) -> tuple[list[NDArray[np.int32]], NDArray[np.int32]]:
    """Return 2 × `per_class` reviews as arrays of word ranks (1 is the most frequent word), and their classes 0 and 1.

    Ranks follow Zipf's law. Lengths are 40 to 624 words, short ones more often; their mean is 235, as in the real
    reviews.
    """
    stream = _stream(SEEDS[part])
    labels = np.repeat(np.array([0, 1], np.int32), per_class)
    lengths = (40 + 585 * np.square(stream.random(len(labels)))).astype(np.int64)
    first, beyond = TELLING
    frequencies = 1 / np.arange(1, WORDS + 1)
    frequencies[first - 1 : beyond - 1] = 0
    up_to = np.cumsum(frequencies)
    ranks = (1 + np.searchsorted(up_to, stream.random(lengths.sum()) * up_to[-1], side="right")).astype(np.int32)
    telling = np.flatnonzero(stream.random(len(ranks)) < TELLING_SHARE)
    pairs = (stream.random(len(telling)) * ((beyond - first) // 2)).astype(np.int32)
    said = np.repeat(labels, lengths)[telling] ^ (stream.random(len(telling)) >= HONESTY)
    ranks[telling] = first + 2 * pairs + (1 - said)
    return np.split(ranks, np.cumsum(lengths)[:-1]), labels


def text(characters: int) -> NDArray[np.uint8]:
    """Return so many code points, 65 different ones, each drawn by the one before it.

    Behind each character eight others follow, the first of them in half of all places, the second in a quarter, ….
    """
    stream = _stream(0)
    following = (stream.random((CHARACTERS, FOLLOWERS)) * CHARACTERS).astype(np.int64)
    bounds = [1 - 0.5**place for place in range(1, FOLLOWERS)]
    choices = np.searchsorted(bounds, stream.random(characters), side="right")
    made = np.empty(characters, np.int64)
    at = 0
    for place, choice in enumerate(choices.tolist()):
        made[place] = at = following[at, choice]
    made[:CHARACTERS] = np.arange(CHARACTERS)  # so that each of them is there
    return (FIRST_CHARACTER + made).astype(np.uint8)


def seasonal(seed: int, count: int, cycle: int, horizon: int, window: int) -> list[NDArray[np.float64]]:
    """Return `count` series with a period of `cycle` observations, different for every `seed`.

    Each has a length of 4 to 8 times `window`, plus `horizon`. It has a level from 10 to 1,000, a trend of up to half
    of that from beginning to end, a seasonal profile of up to 40% of the level, and noise of up to 10%.
    """
    stream = _stream(seed)
    made = []
    for _ in range(count):
        level, slope, longer = stream.random(3)
        time = np.arange(horizon + int((4 + 4 * longer) * window))
        profile = 0.8 * stream.random(cycle) - 0.4
        noise = 0.2 * stream.random(len(time)) - 0.1
        made.append((10 + 990 * level) * (1 + (slope - 0.5) * (time / len(time)) + profile[time % cycle] + noise))
    return made


def _stream(seed: int) -> np.random.Generator:
    """Return the stream of uniform numbers for `seed`."""
    return np.random.Generator(np.random.Philox(key=seed))
