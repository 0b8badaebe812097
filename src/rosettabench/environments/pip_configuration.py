"""Translate pip's configuration for uv, which does not read it.

So the mirror, the folder of wheels or the certificate that a user configured for pip is used here too.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from configparser import Error as ConfigError
from configparser import RawConfigParser
from pathlib import Path

from rosettabench.errors import EnvironmentFault

JOINED = {
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "trusted-host": ("UV_INSECURE_HOST", " "),
}
"""Options of pip with several values: uv's variable, and its separator."""

SINGLE = {
    "index-url": ("UV_DEFAULT_INDEX",),
    "cert": ("SSL_CERT_FILE",),
    "client-cert": ("SSL_CLIENT_CERT",),
    "proxy": ("HTTPS_PROXY", "HTTP_PROXY"),
    "default-timeout": ("UV_HTTP_TIMEOUT",),
    "timeout": ("UV_HTTP_TIMEOUT",),
}
"""Options of pip with one value: the equivalent variables of uv."""

PATHS = ("cert", "client-cert", "find-links")
"""Options whose values may be paths, relative to the current folder."""

SECTIONS = ("global", "install", ":env:")
"""Sections that apply to ``pip install``; later ones override earlier ones."""


def uv_variables() -> dict[str, str]:
    """Return the variables that make uv install as pip would, without those that the user has set."""
    return {name: value for name, value in translate_options(options()).items() if name not in os.environ}


def translate_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return uv's variables for pip's `options` (long names without leading dashes, values as pip lists them)."""
    variables = {}
    for option, (variable, separator) in JOINED.items():
        values = [absolute_paths(option, value) for value in options.get(option, "").split()]
        if values:
            variables[variable] = separator.join(values)
    for option, names in SINGLE.items():
        value = options.get(option, "").strip()
        if value:
            variables.update(dict.fromkeys(names, absolute_paths(option, value)))
    if options.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        variables["UV_NO_INDEX"] = "1"
    if "UV_INDEX" in variables:
        variables["UV_INDEX_STRATEGY"] = "unsafe-best-match"  # like pip, which searches all indexes for the best
    return variables


def absolute_paths(option: str, value: str) -> str:
    """Return a value with a path made absolute, because uv runs in another folder; other values unchanged."""
    if option not in PATHS or "://" in value:
        return value
    return str(Path(value).expanduser().absolute())


def options() -> dict[str, str]:
    """Return pip's options for an installation, as pip itself reports them; without pip, from its files."""
    told = listing()
    sections = parse_listing(told) if told is not None else from_files(os.environ)
    merged: dict[str, str] = {}
    for section in SECTIONS:
        merged.update(sections.get(section, {}))
    return merged


def listing() -> str | None:
    """Return the output of ``pip config list``; None if neither this interpreter nor its base has pip."""
    for python in dict.fromkeys([sys.executable, getattr(sys, "_base_executable", sys.executable)]):
        result = subprocess.run(
            [python, "-m", "pip", "config", "list"], stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if result.returncode == 0:
            return result.stdout
        if "No module named pip" not in result.stderr:
            said = result.stderr.strip().splitlines()[-1:] or ["silently"]
            raise EnvironmentFault(f"pip cannot read its configuration: {said[0]}", "Run: pip config debug")
    return None


def parse_listing(listing: str) -> dict[str, dict[str, str]]:
    """Return {section: {option: value}} from lines such as ``global.find-links='/srv/wheels'``."""
    sections: dict[str, dict[str, str]] = {}
    for line in listing.splitlines():
        key, equals, value = line.partition("=")
        section, dot, option = key.strip().rpartition(".")
        if equals and dot:
            sections.setdefault(section, {})[option] = str(ast.literal_eval(value))
    return sections


def from_files(variables: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return {section: {option: value}} from pip's files, with the PIP_ `variables` as the section ``:env:``."""
    named = variables.get("PIP_CONFIG_FILE")
    sections: dict[str, dict[str, str]] = {}
    for path in [] if named == os.devnull else files(named):
        reader = RawConfigParser()
        try:
            reader.read(path, encoding="utf-8")
        except (ConfigError, UnicodeDecodeError) as error:
            raise EnvironmentFault(f"pip's configuration {path} cannot be read: {error}", "Mend or move it.") from error
        for section in reader.sections():
            sections.setdefault(section, {}).update(reader.items(section))
    own = {name[4:].lower().replace("_", "-"): value for name, value in variables.items() if name.startswith("PIP_")}
    sections[":env:"] = {name: value for name, value in own.items() if value}
    return sections


def files(named: str | None) -> list[Path]:
    """Return the paths of pip's configuration, the most general first (pip's documentation, "Configuration").

    `named` is the file in PIP_CONFIG_FILE; if it exists, the user's own files are not read.
    """
    from platformdirs import site_config_path, user_config_path  # not installed yet when ./rosetta uses this module

    name = "pip.ini" if os.name == "nt" else "pip.conf"
    system = [site_config_path("pip", appauthor=False) / name, Path("/etc") / name]
    users = [Path.home() / ".pip" / name, user_config_path("pip", appauthor=False) / name]
    extra = [Path(named)] if named else []
    return [*system, *([] if named and Path(named).exists() else users), Path(sys.prefix) / name, *extra]
