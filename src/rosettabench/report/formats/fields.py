"""The fields of records in JSON, in their order, including fields that hold words."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from rosettabench.history.timeline import Point
from rosettabench.report.formats.verification import unproven_words
from rosettabench.report.tables.account import EVERY, missing_words, trained_words
from rosettabench.report.tables.reasons import reason_tables
from rosettabench.report.tables.resources import amount_note
from rosettabench.report.words import contest as sentences
from rosettabench.report.words.answer import headline
from rosettabench.report.words.claim import aside_words, expected_words, outcome_words, part_words
from rosettabench.report.words.doubt import doubt_words, doubts_words
from rosettabench.report.words.machine import machine_words
from rosettabench.report.words.note import note_words, reasons_words
from rosettabench.report.words.proof import proof_words, standing_words
from rosettabench.report.words.reasons import pair_headlines, remarks
from rosettabench.report.words.shortfall import shortfall_headlines
from rosettabench.report.words.trainings import SENTENCE, scale_words, training_remarks
from rosettabench.report.words.verdict import control_sentence, verdict_sentences
from rosettabench.statistics.verdict import Verdict
from rosettabench.summary.records import (
    Account,
    ContestSummary,
    Control,
    EntrySummary,
    PeakSummary,
    ProofSummary,
    Reasons,
    Resources,
    RunSummary,
    TrainedEntry,
    TrainedSet,
    TrainingsSummary,
)
from rosettabench.summary.study import Measurement, Outcome, PartOutcome, ThenAndNow
from rosettabench.verify.verification import CeilingShare, ComparedInstallation, Verification

FieldMaker = Callable[[Any], object]
"""Computes a field of JSON from a record."""


def order_fields(names: str, **words: FieldMaker) -> dict[str, FieldMaker | None]:
    """Return {field: function that computes it} in the order of `names`; None for a field of the record itself."""
    return {name: words.get(name) for name in names.split()}


FIELDS: Mapping[type, Mapping[str, FieldMaker | None]] = {
    RunSummary: order_fields(
        "id at version state command machine labels contests faults study trainings accounts",
        command=lambda run: shlex.join(run.command),
        machine=machine_words,
    ),
    ContestSummary: order_fields(
        "name workload setting stopping headline entries verdicts sentences spreads oddities control data warning "
        "stopped watched unwatched agreement settings differences faults reasons why peak inference shown tokens "
        "machine",
        headline=headline,
        sentences=verdict_sentences,
        oddities=sentences.oddity_sentences,
        warning=sentences.warning,
        stopped=sentences.stopped_sentence,
        watched=sentences.watched_sentence,
        unwatched=sentences.unwatched_sentences,
        differences=sentences.difference_sentences,
        why=lambda contest: shlex.join(contest.why),
    ),
    EntrySummary: order_fields(
        "label framework mode environment interpreter packages settings control_of proof rank standing relative step "
        "throughput curve accuracies costs resources faults rounds samples rate share first_steps areas likelihoods "
        "metrics forecasts",
        standing=standing_words,
    ),
    ProofSummary: order_fields(
        "state reason key at steps guided excused other_passes checks tightest divergence cause hashes equal_to",
        reason=proof_words,
    ),
    Verdict: order_fields(
        "finding faster slower interval margin doubt mean", doubt=lambda verdict: doubts_words(verdict.doubts)
    ),
    Resources: order_fields(
        "amounts notes unreadable seconds",
        notes=lambda used: {name: amount_note(note) for name, note in used.notes.items()},
    ),
    Control: order_fields("first second verdict false_difference sentence", sentence=control_sentence),
    PeakSummary: order_fields("per_sample ceiling library sentence", sentence=sentences.peak_sentence),
    Reasons: order_fields(
        "pairs shortfalls remarks tables",
        pairs=pair_headlines,
        shortfalls=shortfall_headlines,
        remarks=lambda found: remarks(found.explanation),
        tables=lambda found: reason_tables(found.explanation),
    ),
    TrainingsSummary: order_fields(
        "request sentence scale sets installed differences remarks faults",
        sentence=lambda _: SENTENCE,
        scale=scale_words,
        remarks=training_remarks,
    ),
    TrainedSet: order_fields("used epochs seeds headline warning entries", headline=headline),
    TrainedEntry: order_fields(
        "label trainings relative fastest absence", absence=lambda entry: "; ".join(entry.absences)
    ),
    Account: order_fields(
        "series fast slow trained seconds factors dispatch why",
        series=lambda one: one.series or EVERY,
        trained=trained_words,
        why=missing_words,
    ),
    Measurement: order_fields(
        "value low high confidence rounds paired what run contests remarks reason missing",
        remarks=lambda found: [note_words(one) for one in found.remarks],
        reason=lambda found: reasons_words(found.reasons),
        missing=lambda found: note_words(found.missing) if found.missing else "",
    ),
    PartOutcome: order_fields(
        "name expected finding measurement sentence", expected=expected_words, sentence=part_words
    ),
    ThenAndNow: order_fields(
        "workload library release hardware quantity unit then note contender now aside", aside=aside_words
    ),
    Outcome: order_fields("id study says published note finding sentence parts", sentence=outcome_words),
    Point: order_fields(
        "run at label level step flaw identity machine",
        flaw=lambda point: doubt_words(point.flaw) if point.flaw else "",
    ),
    ComparedInstallation: order_fields("standing interval doubt", doubt=lambda one: doubts_words(one.doubts)),
    CeilingShare: order_fields("share managed sentence", sentence=lambda found: sentences.peak_sentence(found.peak)),
    Verification: order_fields(
        "label version run step counterpart fault unproven managed earlier past runs roof causes unread ceiling "
        "standing",
        unproven=unproven_words,
    ),
}
