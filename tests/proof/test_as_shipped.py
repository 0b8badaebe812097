"""What libraries do by themselves: each variant's proof fails as its file says, and it is never taken for the cell."""

from pathlib import Path

import pytest
from laboratory import proven

from rosettabench.catalogue.as_shipped import AS_SHIPPED, all_variants
from rosettabench.catalogue.contender import every_contender, parse_contender
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import UsageError
from rosettabench.plan.plan import why_missing

FINDINGS = (Path(__file__).parents[2] / "docs" / "findings.md").read_text(encoding="utf-8")
CASES = [(one, release) for one in all_variants() for release in one.releases or (None,)]


def label(variant, release):
    """How a variant is entered in a contest."""
    return f"{variant.framework}{f'@{release}' if release else ''}:{AS_SHIPPED}"


@pytest.mark.slow
@pytest.mark.environment
@pytest.mark.parametrize(
    ("variant", "release"), CASES, ids=[f"{label(one, release)} {one.workload}" for one, release in CASES]
)
def test_its_proof_fails_where_the_file_says(variant, release, references, tmp_path):
    contender = parse_contender(label(variant, release))
    work, exact = references(variant.workload)
    proof, _ = proven(contender.entry, contender.mode, work, exact, tmp_path, contender.lock)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step) == (variant.diverges, 0)
    assert variant.tensor in ("", failed.tensor)
    assert variant.cause in (proof.cause or "")


@pytest.mark.parametrize(("variant", "release"), CASES)
def test_it_replaces_words_of_the_cell_and_is_told_in_the_findings(variant, release, tmp_path):
    entry = parse_contender(label(variant, release)).entry
    ours = find_workload(variant.workload).implementation(entry.implementation_name, release), entry.adapter
    theirs = variant.write(*ours, tmp_path)
    assert [path.read_text() for path in theirs] != [path.read_text() for path in ours]
    assert f"\n## {variant.finding}\n" in FINDINGS


def test_words_that_are_not_there_are_told(tmp_path):
    source = tmp_path / "cell.py"
    source.write_text("nothing", encoding="utf-8")
    with pytest.raises(UsageError, match=r"as-shipped\.toml replaces"):
        all_variants()[0].write(source, source, tmp_path / "written")


def test_it_is_entered_by_name_alone_and_where_it_is_known():
    assert not any(one.mode == AS_SHIPPED for one in every_contender())
    early = parse_contender("pytorch@1.0.0:as-shipped")
    assert early.label == "pytorch@1.0.0:as-shipped"
    assert why_missing(find_workload("fashion-mlp"), early) is None
    assert "differs from the default mode in fashion-mlp" in why_missing(find_workload("imdb-gru"), early)
    assert "differs from the default mode in no workload" in why_missing(
        find_workload("fashion-mlp"), parse_contender("pytorch:as-shipped")
    )
    with pytest.raises(UsageError, match="no mode"):
        parse_contender("chainer:as-shipped")
