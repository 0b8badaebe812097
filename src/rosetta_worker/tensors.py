"""Ties between canonical tensors and a framework's own, in both directions.

Canonical layouts (docs/reference/workloads.md): dense kernels (out, in), convolutions (out, in, height, width),
recurrent gates as blocks of rows. Every transform below is exactly invertible; a property test checks each.
"""

import re

import numpy as np

RANGE = re.compile(r"\{(\d+(?:\.\.\d+)?(?:,\d+(?:\.\.\d+)?)*)\}")


class Tie(object):
    """One row of an implementation's TENSORS table.

    Parameters
    ----------
    canonical : str
        Names of canonical tensors, separated by blanks (several if the framework joins them). A range stands for
        several names, one after the other: ``block{1..3}.bias`` is block1.bias, block2.bias and block3.bias, and so is
        ``block{1,2,3}.bias``.
    own : str
        The framework's names of the same numbers, separated by blanks (several if the framework splits them).
    transforms : Transform
        The steps from the canonical arrays to the framework's, in order.

    """

    def __init__(self, canonical, own, *transforms):
        self.canonical = [one for name in canonical.split() for one in written_out(name)]
        self.own = [one for name in own.split() for one in written_out(name)]
        self.transforms = transforms

    def to_own(self, tensors):
        """Return {own name: array} for {canonical name: array}."""
        arrays = [tensors[name] for name in self.canonical]
        for transform in self.transforms:
            arrays = transform.forward(arrays)
        return dict(zip(self.own, arrays))

    def to_canonical(self, tensors):
        """Return {canonical name: array} for {own name: array}: the inverse of `to_own`."""
        arrays = [tensors[name] for name in self.own]
        for transform in reversed(self.transforms):
            arrays = transform.backward(arrays)
        return dict(zip(self.canonical, arrays))


def written_out(name):
    """Return the names of a name with ranges, in order. The last of several ranges varies fastest."""
    found = RANGE.search(name)
    if found is None:
        return [name]
    before, behind = name[: found.start()], written_out(name[found.end() :])
    return ["%s%d%s" % (before, number, rest) for number in numbers(found.group(1)) for rest in behind]


def numbers(words):
    """Yield the numbers of a text such as ``1..3``, ``1,4,8`` or ``1..3,7``, in its order."""
    for word in words.split(","):
        first, _, last = word.partition("..")
        for number in range(int(first), int(last or first) + 1):
            yield number


class Transform(object):
    """A change of layout and its inverse. Both take and return a list of arrays."""

    def forward(self, arrays):
        raise NotImplementedError

    def backward(self, arrays):
        raise NotImplementedError


class permute(Transform):
    """Reorder the axes of every array, as numpy.transpose does."""

    def __init__(self, *axes):
        self.axes = axes

    def forward(self, arrays):
        return [np.transpose(array, self.axes) for array in arrays]

    def backward(self, arrays):
        return [np.transpose(array, np.argsort(self.axes)) for array in arrays]


class gates(Transform):
    """Reorder the gates of a recurrent layer, which are equal blocks along the first axis.

    ``gates("r z n", "z r n")`` converts the canonical order (reset, update, new) to Keras'.
    """

    def __init__(self, canonical, own):
        self.canonical = canonical.split()
        self.own = own.split()

    def forward(self, arrays):
        return [self._reorder(array, self.canonical, self.own) for array in arrays]

    def backward(self, arrays):
        return [self._reorder(array, self.own, self.canonical) for array in arrays]

    @staticmethod
    def _reorder(array, before, after):
        blocks = dict(zip(before, np.split(array, len(before))))
        return np.concatenate([blocks[gate] for gate in after])


class stack(Transform):
    """Stack several arrays of one shape along a new first axis."""

    def forward(self, arrays):
        return [np.stack(arrays)]

    def backward(self, arrays):
        return list(arrays[0])


class join(Transform):
    """Join several arrays of the given shapes into one row of numbers, one after the other."""

    def __init__(self, *shapes):
        self.shapes = shapes

    def forward(self, arrays):
        return [np.concatenate([array.ravel() for array in arrays])]

    def backward(self, arrays):
        sizes = [int(np.prod(shape)) for shape in self.shapes]
        parts = np.split(arrays[0], np.cumsum(sizes)[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes)]


class split(Transform):
    """Split each array into blocks of rows: a number of equal ones, or those that begin at row 0 and at given rows."""

    def __init__(self, parts):
        self.parts = parts
        self.count = len(parts) + 1 if isinstance(parts, list) else parts

    def forward(self, arrays):
        return [block for array in arrays for block in np.split(array, self.parts)]

    def backward(self, arrays):
        groups = range(0, len(arrays), self.count)
        return [np.concatenate(arrays[start : start + self.count]) for start in groups]


class beside(Transform):
    """Join several arrays of the given widths into one, column by column."""

    def __init__(self, *widths):
        self.widths = widths

    def forward(self, arrays):
        return [np.concatenate(arrays, axis=1)]

    def backward(self, arrays):
        return np.split(arrays[0], np.cumsum(self.widths)[:-1], axis=1)


class tiles(Transform):
    """Cut one array into rectangles that cover it: ((first row, end row), (first column, end column)), without ends."""

    def __init__(self, *places):
        self.places = [(slice(*rows), slice(*columns)) for rows, columns in places]

    def forward(self, arrays):
        return [arrays[0][place] for place in self.places]

    def backward(self, arrays):
        shape = [max(place[axis].stop for place in self.places) for axis in (0, 1)]
        whole = np.empty(shape, arrays[0].dtype)
        for place, tile in zip(self.places, arrays):
            whole[place] = tile
        return [whole]


class flatten_last(Transform):
    """Reorder the columns of a dense kernel that reads a flattened image: channels first become channels last.

    `channels`, `height` and `width` are those of the image before flattening.
    """

    def __init__(self, channels, height, width):
        self.image = (channels, height, width)

    def forward(self, arrays):
        return [self._columns(array, self.image, (0, 2, 3, 1)) for array in arrays]

    def backward(self, arrays):
        channels, height, width = self.image
        return [self._columns(array, (height, width, channels), (0, 3, 1, 2)) for array in arrays]

    @staticmethod
    def _columns(array, image, axes):
        rows = len(array)
        return array.reshape((rows,) + tuple(image)).transpose(axes).reshape(rows, -1)


TRANSPOSE = permute(1, 0)
"""Dense kernels: (out, in) to (in, out)."""

CHANNELS_LAST = permute(2, 3, 1, 0)
"""Convolution kernels: (out, in, height, width) to (height, width, in, out)."""
