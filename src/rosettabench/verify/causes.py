"""Find usual causes of a slow installation in its settings and packages. Nothing here is guessed.

The keys of the settings are those that adapters report (docs/explanation/fairness.md). A missing key could not be read,
and is reported as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rosettabench.history.identity import VOLATILE, value_words
from rosettabench.verify.hardware import Hardware, isa_level

WANTED = {
    "threads": "the number of threads",
    "blas": "the BLAS",
    "isa": "the instruction set",
    "debug": "whether it is a debug build",
}
"""Settings that reveal causes, and their names in words."""

ELSEWHERE = frozenset({*WANTED, *VOLATILE, "processors", "processor_isa", "libraries", "oneDNN_version", "mode"})
"""Settings that have their own rule, or whose difference means nothing."""

CPU_BUILD = re.compile(r"\+cpu\b")
"""The local version of a wheel built without CUDA."""

FOR_CPU = frozenset({"tensorflow-cpu", "intel-tensorflow", "mxnet"})
"""Distributions without CUDA, whose CUDA builds have another name."""

CUDA_PARTS = re.compile(r"nvidia-|jax-cuda|.*-cu\d+$")
"""Distributions that come only with a build for NVIDIA cards."""


@dataclass(frozen=True)
class Installation:
    """One side of a verification: settings in force, packages by lower-case name, Python's build.

    `most_threads` are the threads of a framework that cannot use more; None for one that uses as many as allowed.
    """

    settings: Mapping[str, Any]
    packages: Mapping[str, str]
    debug_python: bool = False
    most_threads: int | None = None


@dataclass(frozen=True)
class Cause:
    """A usual cause of a slow framework that was found, and its remedy."""

    what: str
    remedy: str


def causes(own: Installation, managed: Installation | None, hardware: Hardware, threads: int) -> list[Cause]:
    """Return the usual causes of slowness that were found in an installation, the likeliest first.

    `managed` is the managed release, None if there is none; `threads` is the number of threads allowed.
    """
    return [
        *thread_causes(own, threads),
        *library_causes(own.settings, managed.settings if managed else {}),
        *isa_causes(own.settings, managed.settings if managed else {}, hardware),
        *debug_causes(own),
        *build_causes(own, hardware),
        *other_causes(own.settings, managed.settings if managed else {}),
    ]


def unreadable(settings: Mapping[str, Any]) -> list[str]:
    """Return, in words, the settings of WANTED that were not reported."""
    return [words for name, words in WANTED.items() if settings.get(name) is None]


def thread_causes(own: Installation, allowed: int) -> Iterator[Cause]:
    """Yield a cause for fewer threads than the framework can use, or fewer processors, than allowed."""
    found = own.settings.get("threads")
    if isinstance(found, int) and found < min(allowed, own.most_threads or allowed):
        word = "one thread" if found == 1 else f"{found} threads"
        yield Cause(
            f"it computes with {word} where {allowed} are allowed",
            "Look for set_num_threads and for OMP_NUM_THREADS in what this interpreter runs at its start "
            "(sitecustomize, .pth files, a wrapper).",
        )
    processors = own.settings.get("processors")
    if isinstance(processors, list) and len(processors) < allowed:
        yield Cause(
            f"it may run on {len(processors)} of the {allowed} processors that it was given",
            "Something in this interpreter's start narrows its affinity: taskset, sched_setaffinity, a binding of "
            "OpenMP (OMP_PROC_BIND, KMP_AFFINITY).",
        )


def library_causes(own: Mapping[str, Any], managed: Mapping[str, Any]) -> Iterator[Cause]:
    """Yield a cause for another BLAS than the managed release's."""
    mine, theirs = own.get("blas"), managed.get("blas")
    if mine is not None and theirs is not None and plain(mine) != plain(theirs):
        yield Cause(
            f"its BLAS is {value_words(mine)}, the managed release's {value_words(theirs)}",
            "Install the framework's own wheel, which brings the BLAS that it was tuned for.",
        )


def isa_causes(own: Mapping[str, Any], managed: Mapping[str, Any], hardware: Hardware) -> Iterator[Cause]:
    """Yield a cause for kernels narrower than the processor's instruction set and the managed release's kernels."""
    mine, theirs, offered = (isa_level(words) for words in (own.get("isa"), managed.get("isa"), hardware.isa))
    if mine is None or offered is None or mine >= offered or (theirs is not None and mine >= theirs):
        return
    yield Cause(
        f"its kernels use {value_words(own.get('isa'))}, and the processor has {hardware.isa}",
        "Unset what limits it (ATEN_CPU_CAPABILITY, ONEDNN_MAX_CPU_ISA), or install a build for this processor.",
    )


def debug_causes(own: Installation) -> Iterator[Cause]:
    """Yield a cause for a debug build of the framework or of Python."""
    if own.settings.get("debug") is True:
        yield Cause("it is a debug build", "Install a release build.")
    if own.debug_python:
        yield Cause("its Python is a debug build", "Install the framework beside a release build of Python.")


def build_causes(own: Installation, hardware: Hardware) -> Iterator[Cause]:
    """Yield a cause for a CPU build on a machine with an NVIDIA card."""
    if not hardware.cards or own.settings.get("device") != "cpu":
        return
    marked = [f"{name} {version}" for name, version in own.packages.items() if CPU_BUILD.search(version)]
    named = sorted(FOR_CPU & own.packages.keys())
    if (marked or named) and not any(CUDA_PARTS.match(name) for name in own.packages):
        yield Cause(
            f"{(marked or named)[0]} is a build for processors, and this machine has {hardware.cards[0]}",
            "Install the build with CUDA, and verify with --set device=cuda.",
        )


def other_causes(own: Mapping[str, Any], managed: Mapping[str, Any]) -> Iterator[Cause]:
    """Yield a cause for every other setting that differs from the managed release's."""
    for name in sorted(own.keys() & managed.keys() - ELSEWHERE):
        if own[name] != managed[name]:
            yield Cause(
                f"its setting {name} is {value_words(own[name])}, the managed release's {value_words(managed[name])}",
                "Find out what sets it: an environment variable, or code at this interpreter's start.",
            )


def plain(words: object) -> str:
    """Return a library's name in a form that is equal for all builds of one release."""
    return re.sub(r"\W+", " ", str(words)).strip().casefold()
