"""The libraries of the page are bundled once, and then come from the cache."""

import pytest
import vl_convert

from rosettabench.places import CACHE
from rosettabench.report.formats.html import libraries


def bundle_nothing(*_, **__):
    """Fail where the scripts would be bundled again."""
    raise AssertionError("the scripts are in the cache")


def test_a_second_process_reads_them(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    libraries.cache_clear()
    first = libraries()
    assert "vegaEmbed" in first
    [kept] = (tmp_path / "cache" / "scripts").iterdir()
    assert kept.suffix == ".js"
    libraries.cache_clear()  # as another process begins
    monkeypatch.setattr(vl_convert, "javascript_bundle", bundle_nothing)
    assert libraries() == first


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_no_fault(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE, str(tmp_path / "file"))
    libraries.cache_clear()
    assert "vegaEmbed" in libraries()
