"""The two tiers of the tests: what a newcomer waits for, and everything.

``./rosetta test`` leaves out the slow tests; ``./rosetta test --all`` runs them, too. Files and tests that are named on
the command line always run whole.

A test is slow if it is marked ``slow``, or if it is marked ``environment`` and one of its values names a framework, a
release, a workload or a mode beyond those of the quick tier: the frameworks of ``./rosetta run``, each in its own mode,
on fashion-mlp.
"""

import hashlib
import re
import subprocess
import time
from functools import cache
from pathlib import Path

import pytest

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.suite import MAIN, find_suite
from rosettabench.catalogue.workload import all_workloads
from rosettabench.environments.lock import all_locks
from rosettabench.shipped.library import all_libraries

WORKLOAD = "fashion-mlp"
"""The workload of the quick tier."""

ROOT = Path(__file__).resolve().parents[1]
LABEL = re.compile(r"([\w\[\]-]+)(@[\w.]+)?(?::([\w-]+))?")
LEFT_OUT, NOT_BEGUN = "left out", "not begun"
COUNTS = pytest.StashKey[dict[str, int]]()
END = pytest.StashKey[float]()
running = []
"""The test that is at work, if one is."""


# -- what is slow ------------------------------------------------------------------------------------------------------


def slow(*values):
    """Return one set of values of a parametrised test, which is left to the slow tier."""
    return pytest.param(*values, marks=pytest.mark.slow)


def slow_except(sets, *quick):
    """Return all sets of values of a parametrised test, each left to the slow tier unless it is one of `quick`."""
    sets = list(sets)
    gone = [one for one in quick if one not in sets]
    assert not gone, f"the quick tier asks for {gone}, which this test does not have"
    return [one if one in quick else slow(*(one if isinstance(one, tuple) else [one])) for one in sets]


@cache
def quick_frameworks():
    """Return the frameworks of the quick tier, by name."""
    return {name: all_frameworks()[name] for name in find_suite(MAIN).contenders}


@cache
def quick_locks():
    """Return the names of their environments, which are all that the quick tier makes."""
    return {entry.locks[0] for entry in quick_frameworks().values()}


@cache
def slow_names():
    """Return the names of the frameworks, libraries and workloads that are left to the slow tier."""
    competing = {name for name, entry in all_frameworks().items() if not entry.reference}
    return {*competing, *all_libraries(), *all_workloads()} - {*quick_frameworks(), WORKLOAD}


def is_slow(item):
    """Whether a test belongs to the slow tier."""
    return item.get_closest_marker("slow") is not None


def asks_for_more(item):
    """Whether a test uses a real environment, and its values name more than the quick tier has."""
    if not item.get_closest_marker("environment") or not hasattr(item, "callspec"):
        return False
    words = words_in(list(item.callspec.params.values()))
    own_modes = {entry.mode for name, entry in quick_frameworks().items() if name in words}
    modes = {mode for name, entry in quick_frameworks().items() if name in words for mode in entry.modes}
    return any(word in modes - own_modes or is_beyond(word) for word in words)


def words_in(value):
    """Return the words among a test's values; of an object those that say what it is about."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)):
        return [word for one in value for word in words_in(one)]
    about = [getattr(value, name, None) for name in ("name", "framework", "workload", "mode")]
    return [word for word in about if isinstance(word, str)]


def is_beyond(word):
    """Whether a word names what the quick tier does not have: ``keras[jax]``, ``pytorch@1.0.0``, ``jax:eager``."""
    label = LABEL.fullmatch(word)
    if label is None or word in quick_locks():
        return False
    name, release, mode = label.groups()
    if name in quick_frameworks():
        return bool(release) or mode not in (None, quick_frameworks()[name].mode)
    return name in slow_names() or word in {lock.name for lock in all_locks()}


def check_lock(lock):
    """Fail the running test if it asks for an environment that the quick tier does not make, and is not slow."""
    if running and lock not in quick_locks() and not is_slow(running[0]):
        pytest.fail(f"this test needs the environment {lock}: mark it slow (tests/tiers.py)", pytrace=False)


# -- for pytest --------------------------------------------------------------------------------------------------------


def pytest_addoption(parser):
    """Add the options of the tiers."""
    group = parser.getgroup("rosettabench")
    group.addoption("--all", action="store_true", help="run the slow tests, too")
    group.addoption(
        "--for",
        dest="minutes",
        type=float,
        metavar="MINUTES",
        help="begin no test after so many minutes; the commit decides which files come first",
    )
    group.addoption(
        "--skipped-to",
        dest="skipped_to",
        type=Path,
        metavar="FILE",
        help="write the names of the skipped tests to FILE, of which `./rosetta test @FILE` runs no others",
    )


def pytest_configure(config):
    """Note when the time is over: at the same moment for all processes of pytest-xdist."""
    config.stash[COUNTS] = {LEFT_OUT: 0, NOT_BEGUN: 0}
    if config.option.minutes is not None:
        told = getattr(config, "workerinput", {})
        config.stash[END] = told.get("end") or time.time() + 60 * config.option.minutes
    config.option.loadscopereorder = False  # pytest-xdist would begin with the groups that have most tests


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Tell a process of pytest-xdist when the time is over."""
    node.workerinput["end"] = node.config.stash.get(END, None)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config, items):
    """Mark what is slow; when -k and -m have chosen, leave it out unless it was asked for; and say what comes first.

    Groups with real environments do, for they take longest; if the time is limited, the commit decides.
    """
    for item in items:
        if asks_for_more(item):
            item.add_marker("slow")
    yield
    if not (config.option.all or "slow" in config.option.markexpr):
        named = {Path(word.partition("::")[0]).resolve() for word in config.args}
        left = {item for item in items if is_slow(item) and item.path not in named}
        if left:
            config.stash[COUNTS][LEFT_OUT] = len(left)
            config.hook.pytest_deselected(items=[item for item in items if item in left])
            items[:] = [item for item in items if item not in left]
    if END in config.stash:
        commit = read_commit()
        items.sort(key=lambda item: [digest(commit, name) for name in (group_of(item), item.location[0])])
    else:
        long = {group_of(item) for item in items if item.get_closest_marker("environment")}
        items.sort(key=lambda item: group_of(item) not in long)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    """Note what is running; when the time is over, count the test instead of running it."""
    running[:] = [item]
    if time.time() < item.config.stash.get(END, float("inf")):
        return None
    item.config.stash[COUNTS][NOT_BEGUN] += 1
    return True


def pytest_sessionfinish(session):
    """Let a process of pytest-xdist tell what it left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["tiers"] = session.config.stash[COUNTS]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Add what a process of pytest-xdist left out: the same slow tests as all others, but tests of its own for time."""
    counts, told = node.config.stash[COUNTS], getattr(node, "workeroutput", {}).get("tiers", {})
    counts[LEFT_OUT] = max(counts[LEFT_OUT], told.get(LEFT_OUT, 0))
    counts[NOT_BEGUN] += told.get(NOT_BEGUN, 0)


def pytest_terminal_summary(terminalreporter, config):
    """Say how many tests did not run, and how they do; write which were skipped, if that was asked for."""
    counts = config.stash[COUNTS]
    if counts[LEFT_OUT]:
        terminalreporter.write_line(f"{counts[LEFT_OUT]} slow tests were left out. Run them, too: ./rosetta test --all")
    if counts[NOT_BEGUN]:
        terminalreporter.write_line(
            f"{counts[NOT_BEGUN]} tests did not begin within {config.option.minutes:g} minutes (--for)."
        )
    if config.option.skipped_to is not None:
        names = [without_group(report.nodeid) for report in terminalreporter.stats.get("skipped", [])]
        config.option.skipped_to.write_text("".join(f"{name}\n" for name in names))


def group_of(item):
    """Return the name of the group that one process runs."""
    marker = item.get_closest_marker("xdist_group")
    return marker.args[0] if marker else ""


def without_group(name):
    """Return the name of a test without its group, which pytest-xdist puts behind it: ``test_a[1@2]@group``."""
    return re.sub(r"@[^@\]]*$", "", name)


def digest(*words):
    """Return a number that follows from some words, and otherwise looks drawn by lot."""
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


def read_commit():
    """Return the commit at hand; nothing where Git or its folder is missing."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip()
