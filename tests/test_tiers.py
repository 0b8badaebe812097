"""The quick tier is what it says: it leaves out what is slow, covers every room, and nobody stays in it by mistake."""

import os
import re
from pathlib import Path

import pytest
from tiers import check_lock, is_beyond, is_slow, without_group, words_in

import rosettabench

ROOMS = sorted(path.parent.name for path in Path(rosettabench.__file__).parent.glob("*/__init__.py"))
TESTS = """
import pytest

def test_quick():
    pass

@pytest.mark.slow
def test_marked():
    pass

@pytest.mark.environment
@pytest.mark.parametrize("framework", ["pytorch", "chainer"])
def test_framework(framework):
    pass
"""

MORE = """
import pytest

@pytest.mark.parametrize("name", ["a b", "c@d"])
def test_more(name):
    pytest.skip()
"""


@pytest.fixture
def tests(pytester, monkeypatch):
    """Run pytest with these tiers in a folder with a quick test, a slow one, and one of two frameworks."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    pytester.makeini("[pytest]\nmarkers =\n    slow\n    environment\n")
    pytester.makepyfile(test_both=TESTS)
    return lambda *words: pytester.runpytest_subprocess("-p", "tiers", *words)


@pytest.mark.parametrize("processes", ["0", "2"])
def test_slow_tests_are_left_out_and_the_command_that_runs_them_is_told(tests, processes):
    result = tests("-n", processes)
    result.assert_outcomes(passed=2, deselected=2 if processes == "0" else 0)
    result.stdout.fnmatch_lines(["2 slow tests were left out. Run them, too: ./rosetta test --all"])


@pytest.mark.parametrize("words", [("--all",), ("test_both.py",), ("--all", "--for", "5")])
def test_everything_runs_when_it_is_asked_for(tests, words):
    tests(*words).assert_outcomes(passed=4)


def test_slow_tests_can_be_chosen_alone(tests):
    tests("-m", "slow").assert_outcomes(passed=2, deselected=2)


def test_what_was_skipped_can_be_run_alone(tests, pytester):
    pytester.makepyfile(test_more=MORE)
    tests("-n", "2", "--skipped-to", "skipped").assert_outcomes(passed=2, skipped=2)
    tests("@skipped").assert_outcomes(skipped=2)


@pytest.mark.parametrize("name", ["test_a.py::test_it", "test_a.py::test_it[a b]", "test_a.py::test_it[c@d]"])
def test_a_name_is_told_from_its_group(name):
    assert without_group(name) == without_group(f"{name}@tests/test_a.py") == name


def test_when_the_time_is_over_no_test_begins(tests):
    result = tests("--all", "--for", "0", "-n", "2")
    result.assert_outcomes()
    result.stdout.fnmatch_lines(["4 tests did not begin within 0 minutes (--for)."])


@pytest.mark.parametrize(
    ("values", "slow"),
    [
        (["fashion-mlp", "pytorch", "eager"], False),
        (["imdb-gru", "pytorch", "eager"], True),
        (["fashion-mlp", ("keras[tensorflow]", "compiled")], False),
        (["keras[jax]"], True),
        (["pytorch@2.13.0", "reference-jax"], False),
        (["pytorch@1.0.0"], True),
        (["mxnet-gluon:compiled"], True),
        (["gluonts[torch]"], True),
        ([3, "said", "a sentence about chainer"], False),
    ],
)
def test_what_is_beyond_the_quick_tier(values, slow):
    assert any(map(is_beyond, words_in(values))) == slow


def test_a_quick_test_cannot_ask_for_another_environment():
    check_lock("pytorch@2.13.0")
    with pytest.raises(pytest.fail.Exception, match=r"needs the environment chainer@7\.8\.1: mark it slow"):
        check_lock("chainer@7.8.1")


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_quick_tests(room, request):
    """Of all that is collected in this run: files with a quick test that import something of the room."""
    files = {item.path for item in request.session.items if not is_slow(item)}
    if len(files) < 100:
        pytest.skip("only a part of the tests was asked for")
    pattern = re.compile(rf"^\s*(from|import) rosettabench\.{room}\b", re.MULTILINE)
    assert any(pattern.search(path.read_text(encoding="utf-8")) for path in files if path.name != Path(__file__).name)
