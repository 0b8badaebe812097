"""The simulations run, and stop their contests as the laboratory would, one by one."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rosettabench.statistics.interval import ratio_interval
from rosettabench.statistics.verdict import Finding, decides, judge

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "simulation"


@pytest.fixture
def rule(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import rule

    return rule


def stopped(logs, margin=0.02, precision=0.02):
    """Return after how many rounds the laboratory stops, and its interval then."""
    for rounds in range(8, len(logs) + 1):
        interval = ratio_interval(list(map(float, np.exp(logs[:rounds]))))
        if interval and interval.steady and (decides(interval, margin) or interval.precision <= precision):
            break
    return rounds, interval


@pytest.mark.parametrize("true", [0.0, float(np.log(1.05))])
def test_many_contests_at_once_end_like_one_by_one(rule, true):
    noise = np.random.default_rng(11).normal(0, 0.03, (40, 30))
    outcome = rule.stop_all(noise, true)
    rounds, intervals = zip(*(stopped(row + true) for row in noise), strict=True)
    assert np.mean(np.abs(outcome.rounds - rounds) <= 1) >= 0.9  # the grid is coarser than bisection
    faster = [judge("a", "b", interval, 0.02).finding is Finding.FASTER for interval in intervals]
    assert np.mean((outcome.faster | outcome.withheld) == faster) >= 0.95
    covered = [interval.low <= np.exp(true) <= interval.high for interval in intervals]
    assert np.mean(outcome.covered == covered) >= 0.95


def test_the_simulations_print_their_tables():
    command = [sys.executable, str(FOLDER / "simulate.py"), "--contests", "40", "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr  # 200 contests are too few to hold them to the goals
    assert "| recorded on a shared machine |" in done.stdout
    assert done.stdout.count("| processes differ by") == 2 * 3 + 1
    assert "goals are reached" in done.stdout or "missed:" in done.stdout


def test_recorded_traces_are_there(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    from traces import load_pairs, replay

    assert len(load_pairs()) >= 5
    turns = replay(np.random.default_rng(1), 20, 160)
    assert turns.shape == (20, 160)
    assert np.isfinite(turns).all()
    assert np.std(turns) > 0.05  # it is a shared machine's noise, not somebody's idea of it
