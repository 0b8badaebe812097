"""What is read of an installation, and what is said of it: each rule with what it finds, and with what it must not."""

import pytest

from rosettabench.verify.causes import Installation, causes, unreadable
from rosettabench.verify.hardware import Hardware, isa_level, processor_isa

SETTINGS = {
    "threads": 2,
    "processors": [0, 1],
    "device": "cpu",
    "blas": "Intel(R) oneAPI Math Kernel Library Version 2024.2",
    "isa": "AVX2",
    "debug": False,
    "oneDNN": True,
    "process_threads": 7,
}
PLAIN = Hardware("AVX2", ())


def said(hardware=PLAIN, managed=SETTINGS, packages=None, without=(), **changed):
    """What is said of an installation that differs from a managed one in `changed`."""
    own = {name: value for name, value in {**SETTINGS, **changed}.items() if name not in without}
    other = Installation(managed, {}) if managed is not None else None
    return [cause.what for cause in causes(Installation(own, packages or {}), other, hardware, 2)]


def test_nothing_is_said_of_one_that_is_like_the_managed_release():
    assert said() == []
    assert said(process_threads=9) == []


def test_one_thread_of_a_framework_that_cannot_use_more_is_no_cause():
    one = {**SETTINGS, "threads": 1}
    assert causes(Installation(one, {}, most_threads=1), Installation(one, {}), PLAIN, 2) == []
    assert causes(Installation({**one, "processors": [1]}, {}, most_threads=1), None, PLAIN, 2) != []


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"threads": 1}, "one thread where 2 are allowed"),
        ({"processors": [1]}, "1 of the 2 processors"),
        ({"blas": "OpenBLAS 0.3.20"}, "its BLAS is OpenBLAS 0.3.20"),
        ({"isa": "DEFAULT"}, "its kernels use DEFAULT, and the processor has AVX2"),
        ({"debug": True}, "it is a debug build"),
        ({"oneDNN": False}, "its setting oneDNN is no, the managed release's yes"),
    ],
)
def test_one_thing_that_was_read_is_said(changed, what):
    [found] = said(**changed)
    assert what in found


def test_a_debug_build_of_python():
    own = Installation(SETTINGS, {}, debug_python=True)
    assert [one.what for one in causes(own, None, PLAIN, 2)] == ["its Python is a debug build"]


def test_without_a_managed_release_what_speaks_for_itself_is_said():
    assert len(said(managed=None, threads=1, debug=True, isa="NO AVX", blas="OpenBLAS", oneDNN=False)) == 3


def test_what_the_managed_release_does_too_is_no_cause():
    narrow = {**SETTINGS, "isa": "AVX2"}
    assert said(Hardware("AVX512", ()), narrow) == []
    assert len(said(Hardware("AVX512", ()), {**SETTINGS, "isa": "AVX512"})) == 1


def test_a_missing_key_is_no_cause_and_is_told_as_unreadable():
    assert said(without=("threads", "blas", "isa", "debug", "processors")) == []
    assert unreadable(SETTINGS) == []
    assert unreadable({"threads": 1, "blas": None}) == [
        "the BLAS",
        "the instruction set",
        "whether it is a debug build",
    ]


def test_a_build_for_processors_on_a_machine_with_a_card():
    card = Hardware("AVX2", ("NVIDIA H100",))
    [found] = said(card, packages={"torch": "2.13.0+cpu"})
    assert found == "torch 2.13.0+cpu is a build for processors, and this machine has NVIDIA H100"
    assert len(said(card, packages={"tensorflow-cpu": "2.21.0"})) == 1
    assert said(packages={"torch": "2.13.0+cpu"}) == [], "there is no card"
    assert said(card, packages={"torch": "2.13.0", "nvidia-cudnn-cu13": "9.1"}) == [], "it has its CUDA"
    assert said(card, packages={"torch": "2.13.0"}) == [], "nothing says for what it was built"
    managed = {**SETTINGS, "device": "cuda"}
    assert said(card, managed, {"torch": "2.13.0+cpu"}, device="cuda") == [], "it does compute on the card"


@pytest.mark.parametrize(
    ("words", "level"),
    [("DEFAULT", -1), ("NO AVX", -1), ("AVX", 1), ("AVX2 FMA", 2), ("AVX512", 3), ("avx512_core_amx", 4), ("?", None)],
)
def test_names_of_instruction_sets(words, level):
    assert isa_level(words) == level
    assert isa_level(None) is None


def test_the_processor_is_asked(tmp_path):
    file = tmp_path / "cpuinfo"
    file.write_text("processor : 0\nflags\t\t: fpu sse sse2 sse4_2 avx avx2 fma\n")
    assert processor_isa(file) == "AVX2"
    file.write_text("processor : 0\nFeatures\t: asimd\n")
    assert processor_isa(file) is None
    assert processor_isa(tmp_path / "nothing") is None
