"""What a run shows while it works."""

from rosettabench.cli.progress import Moving, PlainDisplay


def test_the_bar_is_not_empty_while_the_first_things_are_made():
    with Moving() as display:
        display.preparing("", 0, 3, 7)
        (task,) = display._progress.tasks
        assert 0 < task.completed < task.total
        display.preparing("", 7, 7, 7)
        assert task.completed == task.total


def test_a_moving_line_says_the_maximum_and_keeps_to_one_line(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    with Moving() as display:
        display.expect(240)
        display.contest("fashion-mlp", 1, 3)
        display.preparing("keras-tensorflow@3.15.1: " + "Downloading something with a long name " * 3, 1, 3, 7)
        (task,) = display._progress.tasks
        assert task.description.startswith("[1/3] fashion-mlp · at most 4 min left · prepared 1 of 7")
        (line,) = display._progress.console.render_lines(display._progress.get_renderable(), pad=False)
        text = "".join(segment.text for segment in line)
        assert len(text) <= 100
        assert text.rstrip().endswith("0:00:00"), "what is too long is cut, and neither bar nor clock"


def test_a_plain_line_says_the_maximum_only_where_there_is_one(capsys):
    with PlainDisplay() as display:
        display.contest("fashion-mlp", 1, 2)
        display.expect(100)
        display.contest("fashion-cnn", 2, 2)
    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith("[1/2] fashion-mlp")
    assert second.endswith("[2/2] fashion-cnn · at most 2 min left")


def test_a_plain_line_is_written_when_something_begins_and_not_as_it_goes_on(capsys):
    with PlainDisplay() as display:
        for done in range(3):
            display.doing("warming up", done, 3)
        display.doing("evaluating pytorch", 0, 2)
        display.doing("evaluating jax", 1, 2)
    said = capsys.readouterr().err
    assert [said.count(words) for words in ("warming up", "evaluating pytorch", "evaluating jax")] == [1, 1, 1]
