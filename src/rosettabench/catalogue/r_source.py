"""What is in an R file, as far as the laboratory reads it: its top-level definitions, and a table of ties."""

from __future__ import annotations

import re

from rosettabench.catalogue.ranges import written_out

SUFFIX = ".R"

DEFINITION = re.compile(r"^(?:answers\$)?(\w+) <- ")
"""A definition; of an adapter also that of an answer, which goes by the name of its request."""

TIE = re.compile(r'\bTie\(\s*"([^"]+)"')


def definitions(source: str) -> dict[str, str]:
    """Return {name: text} of the top-level definitions of a source, with the comments above each.

    What stands before the first is ``docstring``. A second definition of a name belongs to what stands before it.
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
    """Return the canonical names in a table of ties, in its order, ranges one by one."""
    ties = TIE.findall(definitions(source).get(table, ""))
    return [one for names in ties for name in names.split() for one in written_out(name)]
