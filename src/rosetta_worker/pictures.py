"""Samples as picture files, for the frameworks' own loaders: decoded and augmented when they are read."""

import json
import os
import zlib

import numpy as np

from rosetta_worker.source import mapped


class Unreadable(ValueError):
    """An image that cannot be read: one sentence with the file."""


class Pictures(object):
    """The training part of a data set whose samples are picture files; see `rosetta_worker.source.Source`.

    An element of a row holds the random values of a sample: its number, the first row and column of its crop, and
    whether it is flipped horizontally. Nothing is drawn here, so every process that loads the sample gets the same
    result.

    Parameters
    ----------
    path : str
        A JSON file with the picture files and their processing: docs/reference/protocol.md, `data`.
    labels : str
        The .npy file, (samples,) or (samples, labels).
    arranged : callable
        Converts (n, …) inputs to the layout of the model.

    """

    def __init__(self, path, labels, arranged):
        with open(path, encoding="utf-8") as file:
            stated = json.load(file)
        self.image, self.decoder = pillow()
        self.paths = [as_prepared(*file) for file in stated["files"]]
        self.stored, self.side = stated["stored"], stated["side"]
        self.resampling = getattr(self.image, stated["resampling"].upper())
        self.scale = None
        if stated["mean"] is not None:
            self.scale = np.array(stated["mean"], "float32"), np.array(stated["deviation"], "float32")
        self.labels = mapped(labels)
        self.arranged = arranged

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, element):
        """Return (inputs, label) of one sample; a single label is a Python number."""
        label = self.labels[element[0]]
        return self.arranged(self.decoded(element)[None])[0], label if label.ndim else label.item()

    def batch(self, row):
        """Return (inputs, labels) of the samples of a row."""
        return self.arranged(np.stack([self.decoded(element) for element in row])), self.labels[row[:, 0]]

    def plain(self, samples):
        """Return a row of the first `samples` samples, cropped at the upper left and not flipped."""
        row = np.zeros((samples, 4), "int64")
        row[:, 0] = np.arange(samples)
        return row

    def settings(self):
        return {"decoder": self.decoder}

    def decoded(self, element):
        """Return one sample as (3, side, side): float32, or bytes if their only conversion is a division by 255."""
        number, top, left, flip = (int(one) for one in element)
        try:
            with self.image.open(self.paths[number]) as picture:
                picture = picture.convert("RGB")
        except (OSError, SyntaxError, ValueError, zlib.error, self.image.DecompressionBombError) as error:
            raise fault(self.paths[number], error) from error
        picture = picture.resize((self.stored, self.stored), self.resampling)
        picture = picture.crop((left, top, left + self.side, top + self.side))
        pixels = np.asarray(picture.transpose(self.image.FLIP_LEFT_RIGHT) if flip else picture)
        if self.scale is not None:
            mean, deviation = self.scale
            pixels = (np.divide(pixels, np.float32(255), dtype="float32") - mean) / deviation
        return pixels.transpose(2, 0, 1)


def pillow():
    """Return Pillow's module of images, and the decoder's name and version in words."""
    try:
        import PIL
        from PIL import Image
    except ImportError:
        raise ImportError("input=files needs Pillow, which decodes: pip install pillow, or say input=memory") from None
    return Image, "Pillow " + PIL.__version__


def fault(path, error):
    """Return a sentence on a failure to read the image at `path`."""
    if getattr(error, "errno", None):
        return Unreadable("%s cannot be read any more: %s" % (path, error.strerror))
    return Unreadable("%s is empty, cut off, damaged or no picture: fetch it again, or remove it" % path)


def as_prepared(path, size, changed_ns):
    """Return a path if its file is unchanged since the data set was prepared. Raises Unreadable otherwise."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise fault(path, error) from error
    if (status.st_size, status.st_mtime_ns) != (size, changed_ns):
        raise Unreadable("%s has changed since its data set was prepared: start again" % path)
    return path
