"""``rosetta compare`` on runs of which the truth is known: what changed is found, the weather is not taken for it."""

import pytest
from stored import three, write_run


def cells(answer):
    """Return {framework: cell} of the only comparison."""
    [comparison] = answer["comparisons"]
    return {cell["key"]["framework"]: cell for cell in comparison["cells"]}


def with_version(players, version):
    players[0].version = version
    return players


def test_a_slower_release_is_found_through_the_weather(store, asked, rosetta):
    before = write_run(store, 1, three(), machine_change=1.0)
    after = write_run(store, 2, with_version(three(pytorch=1.5), "2.0"), machine_change=0.6)
    answer = asked(8, "compare", before, after)
    found = cells(answer)
    pytorch = found["pytorch"]
    assert pytorch["seconds"][1] < pytorch["seconds"][0], "in seconds it even got faster: so did the machine"
    assert (pytorch["verdict"]["finding"], pytorch["verdict"]["slower"]) == ("faster", "after")
    assert pytorch["verdict"]["interval"]["low"] < 1.5 < pytorch["verdict"]["interval"]["high"]
    assert pytorch["controls"] == ["jax:eager", "mxnet-gluon:eager"]
    assert pytorch["changes"] == [{"what": "torch", "before": "1.0", "after": "2.0"}]
    assert found["jax"]["controls"] == ["mxnet-gluon:eager"], "whoever changed is no control"
    assert found["jax"]["verdict"]["finding"] != "faster"
    assert 0.5 < answer["comparisons"][0]["machine_change"] < 0.75
    process = rosetta("compare", before, after)
    assert process.returncode == 8
    assert "pytorch:eager on fashion-mlp" in process.stderr
    assert "torch 1.0 → 2.0" in process.stdout
    assert "Slower: pytorch:eager." in process.stdout


@pytest.mark.slow
def test_the_other_way_round_it_is_faster_and_no_regression(store, asked):
    before = write_run(store, 1, with_version(three(pytorch=1.5), "2.0"))
    after = write_run(store, 2, three())
    pytorch = cells(asked(0, "compare", before, after))["pytorch"]
    assert (pytorch["verdict"]["finding"], pytorch["verdict"]["slower"]) == ("faster", "before")


@pytest.mark.slow
def test_equals_are_not_parted_however_the_weather(store, asked):
    wrong = 0
    for number in range(1, 21, 2):
        before = write_run(store, number, three(), machine_change=1.0, born=0.02)
        after = write_run(store, number + 1, with_version(three(), "2.0"), machine_change=1.8, born=0.02)
        found = cells(asked(0, "compare", before, after, ROSETTA_DEBUG="1"))
        wrong += sum(cell["verdict"]["finding"] == "faster" for cell in found.values())
    assert wrong == 0


def test_one_process_each_and_no_control_allow_no_verdict(store, asked):
    before = write_run(store, 1, three(), control=False)
    after = write_run(store, 2, with_version(three(pytorch=1.5), "2.0"), control=False)
    pytorch = cells(asked(0, "compare", before, after))["pytorch"]
    assert pytorch["verdict"]["finding"] == "not enough data"
    assert "how much processes differ" in pytorch["verdict"]["doubt"]
    assert pytorch["verdict"]["interval"]["low"] > 1.3, "what the rounds say is shown all the same"


@pytest.mark.slow
def test_several_processes_tell_how_much_they_differ(store, asked):
    before = write_run(store, 1, three(), control=False, processes=3, rounds=24)
    after = write_run(store, 2, with_version(three(pytorch=1.5), "2.0"), control=False, processes=3, rounds=24)
    pytorch = cells(asked(8, "compare", before, after))["pytorch"]
    assert pytorch["degrees"] == 4
    assert 0.002 < pytorch["deviation"] < 0.05


@pytest.mark.slow
def test_earlier_runs_tell_it_too(store, asked):
    for number in (1, 2, 3):
        write_run(store, number, three(), control=False)
    before = write_run(store, 4, three(), control=False)
    after = write_run(store, 5, with_version(three(pytorch=1.5), "2.0"), control=False)
    assert cells(asked(8, "compare", before, after))["pytorch"]["degrees"] == 2


@pytest.mark.slow
def test_alone_a_contender_cannot_be_told_from_the_machine(store, asked):
    before = write_run(store, 1, three()[:1], machine_change=1.0)
    after = write_run(store, 2, three()[:1], machine_change=1.5)
    pytorch = cells(asked(0, "compare", before, after))["pytorch"]
    assert "a slower machine and a slower contender look the same" in pytorch["verdict"]["doubt"]
    for number, machine_change in ((3, 1.0), (4, 1.02), (5, 0.98)):
        write_run(store, number, three()[:1], machine_change=machine_change)
    pytorch = cells(asked(8, "compare", before, after))["pytorch"]
    assert pytorch["degrees"] == 2, "now other runs say how much this machine differs from one run to the next"


def test_on_another_machine_there_is_no_verdict(store, asked):
    before = write_run(store, 1, three())
    after = write_run(store, 2, with_version(three(pytorch=1.5), "2.0"), machine={"processor": "Imaginary 9000"})
    answer = asked(0, "compare", before, after)
    assert {cell["verdict"]["doubt"] for cell in answer["comparisons"][0]["cells"]} == {
        "The two were measured on different machines."
    }
    assert [change["what"] for change in answer["comparisons"][0]["machine"]] == ["processor"]


def test_what_is_not_proven_is_not_judged_and_is_no_control(store, asked):
    before = write_run(store, 1, three())
    players = with_version(three(pytorch=1.5), "2.0")
    players[1].proven = False
    found = cells(asked(8, "compare", before, write_run(store, 2, players)))
    assert "jax is proof failed" in found["jax"]["verdict"]["doubt"]
    assert found["pytorch"]["controls"] == ["mxnet-gluon:eager"]


@pytest.mark.slow
def test_a_changed_setting_is_told(store, rosetta):
    before, players = write_run(store, 1, three()), three(pytorch=1.5)
    players[0].settings = {"threads": 1, "device": "cpu", "oneDNN": False}
    process = rosetta("compare", before, write_run(store, 2, players))
    assert process.returncode == 8
    assert "setting oneDNN none → no" in process.stdout


@pytest.mark.slow
def test_an_interpreter_is_compared_with_the_one_that_took_its_place(store, asked):
    old, new = three(), three(pytorch=1.5)
    old[0].python, new[0].python, new[0].version = "/old/bin/python", "/new/bin/python", "2.0"
    found = cells(asked(8, "compare", write_run(store, 1, old), write_run(store, 2, new)))
    assert found["pytorch"]["verdict"]["slower"] == "after"


def test_bad_input(store, rosetta):
    one, other = write_run(store, 1, three()), write_run(store, 2, three(), workload="imdb-gru")
    for words, said in [
        ((one, one), "are the same run"),
        ((one, "nothing"), "there is no run 'nothing'"),
        (("202601", one), "the beginning of more than one run"),
        ((one, other), "no cell in common"),
    ]:
        process = rosetta("compare", *words)
        assert process.returncode == 2, process.stderr
        assert said in process.stderr
        assert process.stdout == ""
