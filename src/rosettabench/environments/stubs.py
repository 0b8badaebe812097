"""Make stub libraries, which replace system libraries that packages link to and never call.

CNTK's packages link to the MPI of 2016, for training on several machines. No package provides it, current systems do
not have it, and without it CNTK does not load. A stub has the name of the library and every symbol that the packages
need. If a symbol is called nevertheless, the process ends with a sentence, so no error goes unnoticed.

A lock names the libraries that need stubs (``# stubs: libmpi.so.12``). They are made with the environment. Its programs
find them through the variable LD_LIBRARY_PATH.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rosettabench.errors import EnvironmentFault

FOLDER = "stubs"
"""The folder of the stubs in an environment."""

ELF = b"\x7fELF"
"""The first bytes of a library (the ELF specification, "ELF Identification")."""

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
static void tell(const char *name) {
    fprintf(stderr, "%%s was called, and %(library)s is a stub: it was never installed\\n", name);
    abort();
}
"""

FUNCTION = 'void stub%d(void) __asm__("%s");\nvoid stub%d(void) { tell("%s"); }\n'
"""One symbol. Data symbols are functions too: packages that never call a library do not read its data."""


def make_stubs(environment: Path, names: Sequence[str]) -> None:
    """Make stubs of the libraries `names` for the libraries in `environment`; raise EnvironmentFault if that fails."""
    folder = environment / FOLDER
    folder.mkdir()
    for name in names:
        users = [path for path in libraries(environment / "lib") if name.encode() in path.read_bytes()]
        build(folder / name, sorted(set(undefined_symbols(users, name))))


def libraries(folder: Path) -> Iterator[Path]:
    """Yield the shared libraries in a folder and its subfolders."""
    for path in sorted(folder.rglob("*.so*")):
        if path.is_file():
            with path.open("rb") as file:
                if file.read(len(ELF)) == ELF:
                    yield path


def undefined_symbols(users: Iterable[Path], name: str) -> Iterator[str]:
    """Yield the symbols of the library `name` that its `users` need.

    A library lists the libraries and symbols it needs, but not which symbol is from which library. The names decide.
    """
    for user in users:
        for line in ask_program(["nm", "--dynamic", "--undefined-only", str(user)]).splitlines():
            symbol = line.split()[-1]
            if belongs(symbol, name):
                yield symbol


def belongs(symbol: str, name: str) -> bool:
    """Return whether a symbol is from the library `name`.

    Symbols of libmpi begin with MPI_, PMPI_ or ompi_, those of libmpi_cxx are in the namespace MPI; both are Open MPI's
    names. Any other library has no symbols here.
    """
    if name.startswith("libmpi_cxx."):
        return symbol.startswith("_Z") and "3MPI" in symbol
    return name.startswith("libmpi.") and symbol.startswith(("MPI_", "PMPI_", "ompi_"))


def build(path: Path, symbols: Sequence[str]) -> None:
    """Write a library with these symbols to `path`."""
    functions = [FUNCTION % (number, symbol, number, symbol) for number, symbol in enumerate(symbols)]
    source = SOURCE % {"library": path.name} + "".join(functions)
    ask_program(["cc", "-shared", "-fPIC", "-x", "c", "-", f"-Wl,-soname,{path.name}", "-o", str(path)], source)


def ask_program(command: list[str], words: str = "") -> str:
    """Run a program with `words` on its standard input; return its output."""
    try:
        done = subprocess.run(command, input=words, capture_output=True, text=True)
    except FileNotFoundError:
        raise EnvironmentFault(
            f"the program {command[0]} is missing, with which a library is made that packages ask for",
            "Install a C compiler, on Debian: apt-get install gcc",
        ) from None
    if done.returncode != 0:
        raise EnvironmentFault(f"{command[0]} failed: {(done.stderr.strip() or 'it said nothing').splitlines()[-1]}")
    return done.stdout
