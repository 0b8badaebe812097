"""A contender of which some processes return their memory to the system is told with the cost, without a doubt."""

from rows import figure_of

from rosettabench.report.formats.markdown import render_markdown
from rosettabench.report.words.contest import oddity_sentences
from rosettabench.statistics.doubt import SuspectRounds
from rosettabench.statistics.paging import Paging
from rosettabench.store.record import FigureName
from rosettabench.summary.run import summarise

PAGING = {2, 5}
"""The processes that page."""


def paging_run(store):
    """The sample run as it would be, had PyTorch paged in two processes, and taken half as long again there."""
    run = store.run()
    (entry,) = (one for one in run.contests[0].entries if one.label == "pytorch")
    sessions = {block.session for block in entry.blocks}
    entry.figures = [one for one in entry.figures if one.name != FigureName.MINOR_FAULTS]
    for session in sessions:
        value = 40_000.0 if session in PAGING else 40.0
        entry.figures.append(figure_of(entry, FigureName.MINOR_FAULTS, value, session=session))  # in memory only
    for block in entry.blocks:
        block.elapsed_s *= 1.5 if block.session in PAGING and block.phase == "turn" else 1.0
    return run


def test_the_report_says_which_processes_paged(sample_store):
    summary = summarise(paging_run(sample_store))
    (sentence,) = oddity_sentences(summary.contests[0])
    assert sentence.startswith("pytorch took 1.5")
    assert "in 2 of its 6 processes" in sentence
    assert "1,000 pages" in sentence
    assert "1,000 pages of it anew in each step" in render_markdown(summary)


def test_it_casts_no_doubt(sample_store):
    contest = summarise(paging_run(sample_store)).contests[0]
    doubts = [doubt for verdict in contest.verdicts for doubt in verdict.doubts]
    assert not any(isinstance(doubt, Paging | SuspectRounds) for doubt in doubts)
