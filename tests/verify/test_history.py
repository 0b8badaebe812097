"""``rosetta history`` on runs of which the truth is known: changes of level are found, with what changed then."""

import pytest
from stored import three, write_run


def timeline(answer, framework):
    """Return the only timeline of a framework."""
    [found] = [one for one in answer["timelines"] if one["key"]["framework"] == framework]
    return found


def write_change(store, runs=10, at=6, times=1.4, **more):
    """Write runs of which the later ones have a slower pytorch of another version; return their names."""
    names = []
    for number in range(1, runs + 1):
        players = three(pytorch=times if number >= at else 1.0)
        players[0].version = "2.0" if number >= at else "1.0"
        names.append(write_run(store, number, players, **(more if number >= at else {})))
    return names


def test_a_change_is_found_where_it_is_with_what_changed(store, asked, rosetta):
    names = write_change(store)
    answer = asked(0, "history", "fashion-mlp")
    pytorch = timeline(answer, "pytorch")
    assert [point["run"] for point in pytorch["points"]] == names
    [turning] = pytorch["level_changes"]
    assert (turning["last"], turning["first"]) == (names[4], names[5])
    assert 1.3 < turning["times"] < 1.5
    assert turning["changes"] == [{"what": "torch", "before": "1.0", "after": "2.0"}]
    assert 0.9 < turning["others"] < 1.1
    assert timeline(answer, "jax")["level_changes"] == []
    shown = rosetta("history", "fashion-mlp", "-f", "pytorch").stdout
    assert f"From run {names[5]} on slower by" in shown
    assert "torch 1.0 → 2.0" in shown
    assert "jax" not in shown
    assert "█" in shown


@pytest.mark.slow
def test_a_change_of_the_machine_is_seen_in_the_others_and_in_the_kernel(store, asked):
    write_change(store, times=1.0, machine_change=1.5, machine={"system": "Linux 99"})
    answer = asked(0, "history", "fashion-mlp")
    for framework in ("pytorch", "jax", "mxnet-gluon"):
        [turning] = timeline(answer, framework)["level_changes"]
        assert abs(turning["others"] / turning["times"] - 1) < 0.1, "the others moved as much"
        assert "Linux 99" in [change["after"] for change in turning["changes"]]


def test_nothing_is_found_where_nothing_changed(store, asked):
    for number in range(1, 13):
        write_run(store, number, three(), born=0.02)
    assert [one["level_changes"] for one in asked(0, "history")["timelines"]] == [[], [], []]


def test_few_runs_are_shown_and_not_searched(store, rosetta):
    write_change(store, runs=4, at=3)
    process = rosetta("history", "-f", "pytorch")
    assert process.returncode == 0
    assert "Changes are looked for from 6 runs on; there are 4." in process.stdout


@pytest.mark.slow
def test_what_is_not_proven_is_shown_and_not_used(store, asked):
    write_change(store, runs=6, at=9)
    players = three(pytorch=9.0)
    players[0].proven = False
    last = write_run(store, 7, players)
    pytorch = timeline(asked(0, "history", "-f", "pytorch"), "pytorch")
    assert pytorch["points"][-1]["run"] == last
    assert "proof failed" in pytorch["points"][-1]["flaw"]
    assert pytorch["level_changes"] == []


@pytest.mark.slow
def test_only_this_machine_and_only_what_was_asked_for(store, rosetta, asked):
    write_run(store, 1, three(), machine={"processor": "Imaginary 9000"})
    assert rosetta("history", "fashion-mlp").returncode == 2
    write_run(store, 2, three())
    answer = asked(0, "history", "-f", "jax", "--set", "threads=1")
    assert [(one["key"]["framework"], len(one["points"])) for one in answer["timelines"]] == [("jax", 1)]
    for words, said in [
        (("-f", "jax:compiled"), "the store has no such run"),
        (("--set", "threads=2"), "the store has no such run"),
        (("imdb-gru",), "the store has no such run"),
        (("fashion-mpl",), "fashion-mlp"),
        (("-f", "jxa"), "jax"),
        (("--set", "thraeds=2"), "threads"),
    ]:
        process = rosetta("history", *words)
        assert process.returncode == 2, process.stdout
        assert said in process.stderr
