"""What the laboratory reads in an R file: its top-level definitions and a table of ties."""

from __future__ import annotations

import re

from rosettabench.catalogue.ranges import written_out

SUFFIX = ".R"

DEFINITION = re.compile(r"^(?:answers\$)?(\w+) <- ")
"""The first line of a definition. In an adapter it may be an answer, which is named after its request."""

TIE = re.compile(r'\bTie\(\s*"([^"]+)"')


def definitions(source: str) -> dict[str, str]:
    """Return {name: text} of the top-level definitions of a source, with the comments above each.

    The text before the first definition is ``docstring``. A repeated definition of a name is appended to the definition
    before it.
    """
    texts: dict[str, list[str]] = {"docstring": []}
    name, comments = "docstring", list[str]()
    for line in source.splitlines():
        if line.startswith("#"):
            comments.append(line)
            continue
        found = DEFINITION.match(line)
        if found and found[1] not in texts:
            name = found[1]
            texts[name] = []
        texts[name] += [*comments, line]
        comments = []
    texts[name] += comments
    return {name: "\n".join(text).strip("\n") for name, text in texts.items() if text}


def tied_names(source: str, table: str) -> list[str]:
    """Return the canonical names in a table of ties, in its order, with ranges expanded."""
    ties = TIE.findall(definitions(source).get(table, ""))
    return [one for names in ties for name in names.split() for one in written_out(name)]
