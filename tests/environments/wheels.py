"""Small packages of our own, as wheels, so that making environments can be tested without a network."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile


def write_wheel(
    folder: Path, name: str, version: str, source: str = "", requires: tuple[str, ...] = (), program: bool = False
) -> Path:
    """Write a wheel with one module `name` of the given source into `folder`; return its path.

    With `program`, the module's function `main` becomes a program of the same name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    files = {
        f"{name}.py": source,
        f"{info}/METADATA": "\n".join([*metadata, *(f"Requires-Dist: {other}" for other in requires)]) + "\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if program:
        files[f"{info}/entry_points.txt"] = f"[console_scripts]\n{name} = {name}:main\n"
    record = f"{info}/RECORD"
    files[record] = "".join(f"{path},,\n" for path in [*files, record])
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def write_lock(folder: Path, name: str, *requirements: str, python: str, needs: str = "") -> Path:
    """Write a lock file into `folder` and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-py{python}.txt"
    header = [f"# title: {name}, for a test", f"# python: {python}", *([f"# needs: {needs}"] if needs else [])]
    path.write_text("\n".join([*header, *requirements]) + "\n", encoding="utf-8")
    return path
