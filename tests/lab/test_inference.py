"""A workload that only infers, as a whole run through the command line: proven at its own extents, timed, told."""

import pytest
from commands import NUMPY, QUICK, finish, turns

pytestmark = pytest.mark.environment


@pytest.mark.slow
def test_a_whole_run(rosetta, store, tmp_path):
    code, out, err = finish(rosetta("run", "tiny-features", "-f", NUMPY, "--rounds", "6", *QUICK))
    assert code == 0, err
    (contest,) = store().run().contests
    assert contest.setting["batch_size"] == 8
    for entry in contest.entries:
        certificate = entry.certifications[0].certificate
        assert certificate.passed
        assert certificate.body["setting"]["batch_size"] == 4, "that of its proof"
        assert {check["quantity"] for check in certificate.body["checks"]} == {
            "samples", "outputs", "outputs again", "kept"
        }  # fmt: skip
        blocks = turns(entry)
        assert len(blocks) == 12
        assert all(block.loss is None and block.learning_rate is None for block in blocks)
        assert all(block.samples == 8 * block.steps for block in blocks)
        figures = {figure.name for figure in entry.figures}
        assert figures >= {"build_s", "first_step_s", "peak_memory_bytes"} and "accuracy" not in figures
    assert "time per" in out and "accuracy" not in out
    (page,) = tmp_path.glob("*.html")
    text = page.read_text()
    assert "Ranking of inference" in text
    assert "time per 1,000 images" in text and "images per second" in text


@pytest.mark.slow
def test_the_whole_work_is_so_many_passes(rosetta, store):
    code, _, err = finish(rosetta("run", "tiny-features", "-f", NUMPY, "--full", "--no-control"))
    assert code == 0, err
    ((entry,),) = (contest.entries for contest in store().run().contests)
    assert sum(block.samples for block in turns(entry)) == 3 * 64


@pytest.mark.slow
def test_a_proof_alone_needs_no_more_data_than_its_own(rosetta, store):
    code, _, err = finish(rosetta("prove", "tiny-features", "-f", NUMPY))
    assert code == 0, err
    run = store().run()
    [data] = [event.payload for event in run.events if event.kind == "data"]
    assert (data["origin"], data["train"], data["test"]) == ("drawn", 16, 0)


@pytest.mark.slow
def test_a_mistake_is_named(rosetta, tmp_path):
    """The same package with another layer: outputs diverge, nobody is ranked."""
    import os
    import shutil

    from commands import THIRD_PARTY

    place = tmp_path / "tampered"
    shutil.copytree(THIRD_PARTY, place)
    source = place / "rosetta_numpy" / "workloads" / "tiny_features" / "numpy.py"
    source.write_text(source.read_text().replace("sums * (sums > 0)", "abs(sums)"))
    path = os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")])
    code, out, err = finish(rosetta("prove", "tiny-features", "-f", NUMPY, PYTHONPATH=path))
    assert code == 5, (out, err)
    assert "outputs" in out + err and "another activation" in out + err


@pytest.mark.slow
def test_a_language_model_is_timed_by_the_token(rosetta, store):
    """It has a test part, as what it reads is a text, and no labels that it would be evaluated by."""
    words = ("gpt-decode:prefill", "-f", "pytorch", "--rounds", "2", *QUICK)
    code, out, err = finish(rosetta("run", *words))
    assert code == 0, err
    assert "time per token" in out and "tokens per second" in out and "images" not in out
    for entry in store().run().contests[0].entries:
        assert "accuracy" not in {figure.name for figure in entry.figures}
