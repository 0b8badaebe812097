"""Every transform, every row of a TENSORS table: there and back again, without losing a bit."""

import ast
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosetta_worker
from rosetta_worker import tensors
from rosetta_worker.tensors import (
    CHANNELS_LAST,
    TRANSPOSE,
    Tie,
    beside,
    flatten_last,
    gates,
    join,
    permute,
    split,
    stack,
    tiles,
    written_out,
)

WORKLOADS = Path(rosetta_worker.__file__).parent / "workloads"
sizes = st.integers(1, 5)


def numbered(shape, start=0.0):
    """An array in which no two numbers are alike, so that none can stand in another's place unseen."""
    return (np.arange(np.prod(shape, dtype=int), dtype=np.float32) + np.float32(start)).reshape(shape)


def assert_inverse(transforms, arrays):
    """What `transforms` do to the arrays, they undo exactly; and no number is lost or made on the way."""
    there = arrays
    for transform in transforms:
        there = transform.forward(there)
    back = there
    for transform in reversed(transforms):
        back = transform.backward(back)
    assert sorted(np.concatenate([a.ravel() for a in there])) == sorted(np.concatenate([a.ravel() for a in arrays]))
    assert [a.shape for a in back] == [a.shape for a in arrays]
    assert [a.dtype for a in back] == [a.dtype for a in arrays]
    assert all(map(np.array_equal, back, arrays))


@given(st.lists(sizes, min_size=1, max_size=5).flatmap(lambda s: st.tuples(st.just(s), st.permutations(range(len(s))))))
def test_permute(case):
    shape, axes = case
    assert_inverse([permute(*axes)], [numbered(shape), numbered(shape, 1e4)])


@given(st.permutations(["i", "f", "g", "o"]), st.permutations(["i", "f", "g", "o"]), sizes, st.lists(sizes, max_size=2))
def test_gates(before, after, rows, rest):
    transform = gates(" ".join(before), " ".join(after))
    array = numbered([4 * rows, *rest])
    assert_inverse([transform], [array, array + 1e4])
    [moved] = transform.forward([array])
    for gate in before:
        old, new = (np.split(a, 4)[order.index(gate)] for a, order in ((array, before), (moved, after)))
        assert np.array_equal(old, new)


@given(sizes, st.lists(sizes, max_size=3))
def test_stack(count, shape):
    assert_inverse([stack()], [numbered(shape, 1e4 * i) for i in range(count)])


@given(sizes, sizes, sizes, st.lists(sizes, max_size=2))
def test_split(parts, rows, count, rest):
    assert_inverse([split(parts)], [numbered([parts * rows, *rest], 1e4 * i) for i in range(count)])


@given(st.lists(sizes, min_size=2, max_size=4), sizes, st.lists(sizes, max_size=2))
def test_split_at_rows(heights, count, rest):
    begins = np.cumsum(heights)[:-1].tolist()
    arrays = [numbered([sum(heights), *rest], 1e4 * i) for i in range(count)]
    assert_inverse([split(begins)], arrays)
    assert [len(block) for block in split(begins).forward(arrays)] == heights * count


@given(st.lists(sizes, min_size=1, max_size=4), sizes)
def test_beside(widths, rows):
    arrays = [numbered((rows, width), 1e4 * i) for i, width in enumerate(widths)]
    assert_inverse([beside(*widths)], arrays)
    assert np.array_equal(beside(*widths).forward(arrays)[0][:, : widths[0]], arrays[0]), "the first one comes first"


@given(sizes, sizes, sizes, sizes)
def test_tiles(upper, lower, left, right):
    rows, columns = upper + lower, left + right
    places = ((0, upper), (0, columns)), ((upper, rows), (0, left)), ((upper, rows), (left, columns))
    array = numbered((rows, columns))
    assert_inverse([tiles(*places)], [array])
    assert [tile.shape for tile in tiles(*places).forward([array])] == [(upper, columns), (lower, left), (lower, right)]


@given(st.lists(st.lists(sizes, max_size=3), min_size=1, max_size=4))
def test_join(shapes):
    arrays = [numbered(shape, 1e4 * i) for i, shape in enumerate(shapes)]
    assert_inverse([join(*map(tuple, shapes))], arrays)
    [row] = join(*map(tuple, shapes)).forward(arrays)
    assert np.array_equal(row[: arrays[0].size], arrays[0].ravel()), "the first one comes first"


@given(sizes, sizes, sizes, sizes)
def test_flatten_last(rows, channels, height, width):
    assert_inverse([flatten_last(channels, height, width)], [numbered((rows, channels * height * width))])


@given(sizes, sizes, sizes, sizes, sizes)
def test_flattened_images_give_the_same_product(n, out, channels, height, width):
    """What the transform is for: a dense layer behind a flatten answers alike in both layouts."""
    images = numbered((n, channels, height, width)).astype(float)  # float32 would round sums of this size
    kernel = numbered((out, channels * height * width), 7)
    [moved] = flatten_last(channels, height, width).forward([kernel])
    last = images.transpose(0, 2, 3, 1)
    assert np.array_equal(images.reshape(n, -1) @ kernel.T, last.reshape(n, -1) @ moved.T)


@given(sizes, sizes, sizes, sizes)
def test_channels_last(out, inputs, height, width):
    kernel = numbered((out, inputs, height, width))
    assert CHANNELS_LAST.forward([kernel])[0].shape == (height, width, inputs, out)
    assert_inverse([CHANNELS_LAST], [kernel])


@given(sizes, sizes)
def test_ties_that_join_split_and_reorder(units, inputs):
    """Rows such as recurrent layers need: several transforms in one tie, several names on either side."""
    reorder = gates("r z n", "z r n")
    ties = [
        (Tie("kernel", "cell.kernel", reorder, TRANSPOSE), (3 * units, inputs)),
        (Tie("bias recurrent_bias", "cell.bias", reorder, stack()), (3 * units,)),
        (Tie("kernel", "w0 w1 w2", split(3)), (3 * units, inputs)),
        (Tie("kernel recurrent", "w0 w1 w2 w3 w4 w5", split(3), TRANSPOSE), (3 * units, inputs)),
        (Tie("output", "output.kernel", flatten_last(3, units, inputs), TRANSPOSE), (2, 3 * units * inputs)),
    ]
    for tie, shape in ties:
        given_tensors = {name: numbered(shape, 1e4 * i) for i, name in enumerate(tie.canonical)}
        own = tie.to_own(given_tensors)
        assert list(own) == tie.own
        back = tie.to_canonical(own)
        assert list(back) == tie.canonical
        assert all(np.array_equal(back[name], given_tensors[name]) for name in tie.canonical)


def test_keras_gru_bias_is_input_then_recurrent_with_the_update_gate_first():
    tie = Tie("bias recurrent_bias", "cell.bias", gates("r z n", "z r n"), stack())
    own = tie.to_own({"bias": np.array([1.0, 2, 3]), "recurrent_bias": np.array([4.0, 5, 6])})
    assert own["cell.bias"].tolist() == [[2, 1, 3], [5, 4, 6]]


IMPLEMENTATIONS = sorted(path for path in WORKLOADS.glob("*/*.py") if not path.name.startswith(("_", "reference_")))
BACKENDS = {"keras2": ("tensorflow", "theano", "cntk", "mxnet")}
"""By implementation: the back ends whose tables differ in what leads to a kernel (layers/keras2.py)."""


@pytest.mark.parametrize(
    ("path", "backend"),
    [(path, backend) for path in IMPLEMENTATIONS for backend in BACKENDS.get(path.stem, (None,))],
    ids=lambda value: f"{value.parent.name}-{value.stem}" if isinstance(value, Path) else value or "",
)
def test_tables_of_the_rosetta_stone(path, backend):
    """The very tables of each implementation, read without its framework: full, named as declared, and invertible."""
    weights = {name: numbered(one["shape"], 0.5) for one in declared(path.parent) for name in written_out(one["name"])}
    ties = tables(path, backend)
    assert sorted(name for tie in ties for name in tie.canonical) == sorted(weights)
    for tie in ties:
        back = tie.to_canonical(tie.to_own(weights))
        assert all(np.array_equal(back[name], weights[name]) for name in tie.canonical)


def declared(folder):
    """The tensors that a workload states, or the one that it varies."""
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 and older cannot read workload.toml")
    stated = tomllib.loads((folder / "workload.toml").read_text(encoding="utf-8"))
    varied = stated.get("variant_of", "").replace("-", "_")
    return stated["tensors"] if "tensors" in stated else declared(folder.parent / varied)


def tables(path, backend):
    """Run of an implementation's file only what TENSORS and STATE are made of: the assignments of constants."""
    scope = dict(vars(tensors))
    if backend is not None:
        scope["KERNEL"] = kernel(path, backend)
    for statement in statements(path):
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]).isupper():
            exec(compile(ast.Module([statement], []), str(path), "exec"), scope)  # noqa: S102 - our own files, and of them the tables alone
    return scope["TENSORS"] + scope.get("STATE", [])


def statements(path):
    """Yield the statements of an implementation, and those of a module that it shares in place of the import."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        parts = (getattr(statement, "module", None) or "").split(".")
        if parts[:2] == ["rosetta_worker", "layers"] and len(parts) == 4:
            yield from statements(WORKLOADS.parent.joinpath(*parts[1:]).with_suffix(".py"))
        else:
            yield statement


def kernel(path, backend):
    """Run of the layers' file only what leads to a kernel on a back end."""
    scope = dict(vars(tensors), np=np, K=SimpleNamespace(backend=lambda: backend))
    layers = ast.parse((WORKLOADS.parent / "layers" / path.name).read_text(encoding="utf-8"))
    wanted = [one for one in layers.body if isinstance(one, ast.ClassDef) and one.name == "turned"]
    wanted += [one for one in layers.body if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "KERNEL"]
    exec(compile(ast.Module(wanted, []), path.name, "exec"), scope)  # noqa: S102 - our own file, too
    return scope["KERNEL"]


@given(st.integers(0, 12), st.integers(0, 3), st.integers(0, 12), st.integers(0, 3))
def test_a_range_stands_for_its_names(first, more, start, further):
    """Every number of the first range, and for each of them every number of the second."""
    names = written_out(f"block{{{first}..{first + more}}}.conv{{{start}..{start + further}}}.kernel")
    assert names == [
        f"block{one}.conv{other}.kernel"
        for one in range(first, first + more + 1)
        for other in range(start, start + further + 1)
    ]


def test_ties_with_ranges_keep_each_tensor_by_itself():
    tie = Tie("block{1..2}.conv{1..2}.kernel", "blocks.{0..1}.conv{1..2}.weight", TRANSPOSE)
    given_tensors = {name: numbered((2, 3), 10 * i) for i, name in enumerate(tie.canonical)}
    own = tie.to_own(given_tensors)
    assert np.array_equal(own["blocks.1.conv1.weight"], given_tensors["block2.conv1.kernel"].T)
    back = tie.to_canonical(own)
    assert all(np.array_equal(back[name], given_tensors[name]) for name in tie.canonical)
