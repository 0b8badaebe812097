"""Definitions of the same name share a row, and nothing of a file gets lost."""

import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.catalogue import r_source
from rosettabench.catalogue.alignment import align_definitions, class_definitions, definitions
from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import all_workloads
from rosettabench.errors import UsageError

NAMES = st.lists(st.sampled_from(["Model", "loss", "optimizer", "TENSORS", "GRU", "arrange"]), unique=True, min_size=1)


def source_of(names):
    return '"""Docstring."""\n\nimport math\n\n' + "\n\n".join(
        f"def {name}():\n    return {name!r}\n" for name in names
    )


def test_rows():
    one = textwrap.dedent(
        '''
        """One."""
        import a

        # why
        @decorated
        class Model:
            pass

        X = 1  # beside
        X.y = 2
        '''
    )
    two = '"""Two."""\nfrom b import c\nimport d\n\n\nclass GRU: ...\n\n\nclass Model: ...\n\n\ndef loss(): ...\n'
    rows = align_definitions({"one": definitions(one, "one"), "two": definitions(two, "two")})
    assert list(rows) == ["docstring", "import", "GRU", "Model", "loss", "X", "X.y"]
    assert list(rows.values()) == [
        {"one": '"""One."""', "two": '"""Two."""'},
        {"one": "import a", "two": "from b import c\nimport d"},
        {"two": "class GRU: ..."},
        {"one": "# why\n@decorated\nclass Model:\n    pass", "two": "class Model: ..."},
        {"two": "def loss(): ..."},
        {"one": "X = 1  # beside"},
        {"one": "X.y = 2"},
    ]


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_every_name_has_one_row_and_every_definition_its_place(files):
    sources = {str(number): source_of(names) for number, names in enumerate(files)}
    rows = list(align_definitions({label: definitions(source, label) for label, source in sources.items()}).values())
    for label, names in zip(sources, files, strict=True):
        mine = [row[label] for row in rows if label in row]
        assert sorted(mine[2:]) == sorted(f"def {name}():\n    return {name!r}" for name in names)
    for name in {name for names in files for name in names}:
        assert sum(any(f"def {name}()" in text for text in row.values()) for row in rows) == 1
    assert [row["0"] for row in rows if "0" in row][2:] == [f"def {n}():\n    return {n!r}" for n in files[0]]


def implementations():
    names = {entry.implementation_name for entry in all_frameworks().values()}
    paths = [workload.implementation(name) for workload in all_workloads().values() for name in sorted(names)]
    return [path for path in paths if path]


@pytest.mark.parametrize("path", implementations(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_not_a_line_of_an_implementation_is_lost(path: Path):
    source = path.read_text(encoding="utf-8")
    cut = r_source.definitions(source) if path.suffix == r_source.SUFFIX else definitions(source, path.name)
    kept = [line for text in cut.values() for line in text.splitlines() if line.strip()]
    assert kept == [line for line in source.splitlines() if line.strip()]


def test_what_is_not_python_is_named():
    with pytest.raises(UsageError, match="mine, line 2, is not Python"):
        definitions("x = 1\ny = = 2\n", "mine")


def test_a_class_is_cut_like_a_module():
    body = '    """Of A."""\n\n    x = 1\n\n    @property\n    def y(self):\n        pass\n'
    source = f"@decorated\nclass A(B):\n{body}\nz = 1\n"
    assert class_definitions(source, "mine", "A") == {
        "class": "@decorated\nclass A(B):",
        "docstring": '    """Of A."""',
        "x": "    x = 1",
        "y": "    @property\n    def y(self):\n        pass",
    }
    assert class_definitions(source, "mine", "B") == {}
