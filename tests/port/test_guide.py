"""The guide "Port a model": what it shows is what the tests port, and its commands say what it says."""

import re
import shlex
from pathlib import Path

import pytest
from folders import MODELS, port

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "port-a-model.md"
EPSILON = ("LayerNorm", "rngs=rngs)", "epsilon=1e-5, rngs=rngs)")
ERF = ("gelu", "self.norm2(x)))", "self.norm2(x)), approximate=False)")


def blocks(language):
    """The blocks of a language in the guide."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [body for own, body in found if own == language]


def corrected(ported, *mistakes):
    """The port with mistakes corrected, as the guide says."""
    for where, old, new in mistakes:
        ported = "\n".join(line.replace(old, new) if where in line else line for line in ported.split("\n"))
    return ported


def test_it_shows_what_the_tests_port():
    model, jax, *others = blocks("python")[:4]
    assert model == (MODELS / "gpt.py").read_text()
    assert corrected(jax, EPSILON, ERF) == (MODELS / "gpt_jax.py").read_text()
    assert others == [(MODELS / f"gpt_{framework}.py").read_text() for framework in ("keras", "mxnet_gluon")]


@pytest.mark.slow
@pytest.mark.environment
def test_its_commands_say_what_it_says(rosetta, tmp_path):
    model, jax, keras, mxnet, *_ = blocks("python")
    (tmp_path / "my_model.py").write_text(model)
    new, prove = (next(one for one in blocks("") if one.startswith(f"rosetta {word}")) for word in ("new", "prove"))
    code, out, err = rosetta(*shlex.split(new)[1:])
    assert code == 0, err
    folder = tmp_path / "my-gpt"
    fresh = (folder / "jax.py").read_text()
    said = [one for one in blocks("") if one.startswith("my-gpt · jax")]
    for number, mistakes in enumerate([(), (EPSILON,), (EPSILON, ERF)]):
        (folder / "jax.py").write_text(fresh)
        port(folder / "jax.py", corrected(jax, *mistakes))
        code, out, _ = rosetta(*shlex.split(prove)[1:])
        assert code == (0 if number == 2 else 5)
        for part in re.findall(r"adds 1e-06|GELU in its approximation|blocks\.0\.\w+|equal work, proven", said[number]):
            assert part in out
    port(folder / "keras.py", keras)
    port(folder / "mxnet_gluon.py", mxnet)
    code, out, err = rosetta("prove", "./my-gpt")
    assert code == 0, out
    assert out.count("equal work, proven") == 4
    code, out, err = rosetta("run", "./my-gpt", "--processes", "1", "--rounds", "12", "--no-control")
    assert code == 0, err
    assert "jax (compiled)" in out
    assert "mxnet-gluon" in out
    code, out, _ = rosetta("show", "./my-gpt", "-f", "pytorch,jax")
    assert code == 0
    assert "class Model(nnx.Module):" in out
