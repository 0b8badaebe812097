import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.environments import pip_configuration
from rosettabench.environments.pip_configuration import (
    from_files,
    options,
    parse_listing,
    translate_options,
    uv_variables,
)
from rosettabench.errors import EnvironmentFault

words = st.text(st.characters(codec="ascii", categories=("L", "N"), include_characters="/:.@-_"), min_size=1)
urls = st.lists(words.map(lambda word: f"https://{word}/simple"), min_size=1, max_size=4)
gaps = st.sampled_from([" ", "\n", "\n    ", " \t "])
names = st.from_regex(r"[a-z][a-z-]*[a-z]", fullmatch=True)
sections = st.dictionaries(
    st.sampled_from(["global", "install", ":env:"]), st.dictionaries(names, st.text(), min_size=1), max_size=3
)


@given(sections)
def test_whatever_pip_lists_is_read_back(sections):
    lines = [f"{name}.{key}={value!r}" for name, values in sections.items() for key, value in values.items()]
    assert parse_listing("\n".join(lines)) == sections


@given(urls, gaps)
def test_every_extra_index_is_handed_on_in_order(indexes, gap):
    variables = translate_options({"extra-index-url": gap.join(indexes)})
    assert variables["UV_INDEX"].split() == indexes
    assert variables["UV_INDEX_STRATEGY"] == "unsafe-best-match"


@given(urls, gaps)
def test_every_place_of_wheels_is_handed_on_in_order(places, gap):
    assert translate_options({"find-links": gap.join(places)})["UV_FIND_LINKS"].split(",") == places


@given(st.dictionaries(names, st.text()))
def test_options_that_uv_does_not_have_are_left_out(others):
    known = {*pip_configuration.SINGLE, *pip_configuration.JOINED, "no-index"}
    assert translate_options({name: value for name, value in others.items() if name not in known}) == {}


def test_one_valued_options_and_relative_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = {"index-url": "https://mirror/simple", "cert": "our.pem", "trusted-host": "a b:80", "no-index": "true"}
    assert translate_options(told | {"find-links": "wheels", "proxy": "http://proxy:3128"}) == {
        "UV_DEFAULT_INDEX": "https://mirror/simple",
        "SSL_CERT_FILE": str(tmp_path / "our.pem"),
        "UV_INSECURE_HOST": "a b:80",
        "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": str(tmp_path / "wheels"),
        "HTTPS_PROXY": "http://proxy:3128",
        "HTTP_PROXY": "http://proxy:3128",
    }


def test_an_environment_variable_outranks_install_and_install_outranks_global(monkeypatch):
    listing = "\n".join(
        [":env:.cert='/env'", "global.cert='/global'", "global.timeout='1'", "install.cert='/i'", "install.timeout='2'"]
    )
    monkeypatch.setattr(pip_configuration, "listing", lambda: listing)
    assert options() == {"cert": "/env", "timeout": "2"}


def test_what_the_user_told_uv_himself_stands(monkeypatch):
    monkeypatch.setattr(
        pip_configuration, "listing", lambda: "global.find-links='/theirs'\nglobal.index-url='https://x'"
    )
    monkeypatch.setenv("UV_FIND_LINKS", "/mine")
    assert uv_variables() == {"UV_DEFAULT_INDEX": "https://x"}


@pytest.fixture
def configured(tmp_path, monkeypatch):
    """A configuration file of pip's, named by PIP_CONFIG_FILE, with values over several lines."""
    path = tmp_path / "pip.conf"
    path.write_text(
        "[global]\nindex-url = https://user:secret@mirror/simple\nextra-index-url =\n    https://a/simple\n"
        "    file:///b/100%/simple\ntimeout = 3\n[install]\ntimeout = 4\nfind-links = /w1 /w2\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(path))
    monkeypatch.setenv("PIP_TRUSTED_HOST", "mirror")
    return path


def test_without_pip_its_files_say_the_same_as_pip(configured, monkeypatch):
    if pip_configuration.listing() is None:
        pytest.skip("neither this interpreter nor its base has pip")
    told = options()
    monkeypatch.setattr(pip_configuration, "listing", lambda: None)
    assert options() == told
    assert translate_options(told)["UV_INDEX"] == "https://a/simple file:///b/100%/simple"


def test_files_alone(configured):
    sections = from_files({"PIP_CONFIG_FILE": str(configured), "PIP_NO_INDEX": "1", "PIP_CERT": "", "HOME": "/"})
    assert sections["install"]["find-links"] == "/w1 /w2"
    assert sections[":env:"] == {"config-file": str(configured), "no-index": "1"}
    assert from_files({"PIP_CONFIG_FILE": os.devnull}) == {":env:": {"config-file": os.devnull}}


def test_an_unreadable_configuration_is_named(tmp_path):
    broken = tmp_path / "pip.conf"
    broken.write_text("this is no configuration\n")
    with pytest.raises(EnvironmentFault, match=str(broken)):
        from_files({"PIP_CONFIG_FILE": str(broken)})


def test_a_configuration_that_pip_refuses_is_told_in_a_sentence(configured):
    if pip_configuration.listing() is None:
        pytest.skip("neither this interpreter nor its base has pip")
    configured.write_text("this is no configuration\n")
    with pytest.raises(EnvironmentFault, match="pip cannot read its configuration"):
        uv_variables()


def test_an_interpreter_without_pip_is_no_fault(tmp_path, monkeypatch):
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    monkeypatch.setattr(sys, "executable", str(bare / "bin" / "python"))
    monkeypatch.setattr(sys, "_base_executable", str(bare / "bin" / "python"))
    assert pip_configuration.listing() is None
