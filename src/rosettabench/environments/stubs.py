"""Stub libraries: they stand for libraries of the system that packages are linked with, and never call.

CNTK's are linked with the MPI of 2016, with which it would train on several machines. No package brings it, no system
has it any more, and without it none of them loads. A stub has the name of the library and every symbol of it that the
packages ask for. What is called nevertheless ends the process with a sentence: nothing can go wrong unseen.

A lock names the libraries that it wants stubs of (``# stubs: libmpi.so.12``). They are made with the environment, and
found by the variable LD_LIBRARY_PATH that its programs are started with.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rosettabench.errors import EnvironmentFault

FOLDER = "stubs"
"""Where they lie in an environment."""

ELF = b"\x7fELF"
"""How a library begins (the ELF specification, "ELF Identification")."""

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
static void tell(const char *name) {
    fprintf(stderr, "%%s was called, and %(library)s is a stub: it was never installed\\n", name);
    abort();
}
"""

FUNCTION = 'void stub%d(void) __asm__("%s");\nvoid stub%d(void) { tell("%s"); }\n'
"""One symbol. Those that the packages take for data are functions, too: of what nobody calls, nobody reads data."""


def make_stubs(environment: Path, names: Sequence[str]) -> None:
    """Make a stub of each library `names` for the libraries in `environment`; EnvironmentFault if that fails."""
    folder = environment / FOLDER
    folder.mkdir()
    for name in names:
        users = [path for path in libraries(environment / "lib") if name.encode() in path.read_bytes()]
        build(folder / name, sorted(set(undefined_symbols(users, name))))


def libraries(folder: Path) -> Iterator[Path]:
    """Yield the shared libraries in a folder and the folders in it."""
    for path in sorted(folder.rglob("*.so*")):
        if path.is_file():
            with path.open("rb") as file:
                if file.read(len(ELF)) == ELF:
                    yield path


def undefined_symbols(users: Iterable[Path], name: str) -> Iterator[str]:
    """Yield the symbols of the library `name` that its `users` ask for.

    A library says which others it needs, and which symbols, but not which symbol is of which library: their names tell.
    """
    for user in users:
        for line in ask_program(["nm", "--dynamic", "--undefined-only", str(user)]).splitlines():
            symbol = line.split()[-1]
            if belongs(symbol, name):
                yield symbol


def belongs(symbol: str, name: str) -> bool:
    """Whether a symbol is one of the library `name`'s: libmpi's begin MPI_ or ompi_, libmpi_cxx's are in namespace MPI.

    That holds for Open MPI, which is what these names stand for. A library that this module knows nothing of has none.
    """
    if name.startswith("libmpi_cxx."):
        return symbol.startswith("_Z") and "3MPI" in symbol
    return name.startswith("libmpi.") and symbol.startswith(("MPI_", "PMPI_", "ompi_"))


def build(path: Path, symbols: Sequence[str]) -> None:
    """Write a library with those symbols to `path`."""
    functions = [FUNCTION % (number, symbol, number, symbol) for number, symbol in enumerate(symbols)]
    source = SOURCE % {"library": path.name} + "".join(functions)
    ask_program(["cc", "-shared", "-fPIC", "-x", "c", "-", f"-Wl,-soname,{path.name}", "-o", str(path)], source)


def ask_program(command: list[str], words: str = "") -> str:
    """Run a program with `words` on its standard input; return what it says."""
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
