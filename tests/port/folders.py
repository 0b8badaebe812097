"""Folders of workloads of one's own, for tests: the models, and their ports by hand."""

import re
from pathlib import Path

import numpy as np
from laboratory import BATCH, environment

from rosettabench.catalogue.workload import Workload, read_folder
from rosettabench.client.batches import draw_rows
from rosettabench.client.session import Work
from rosettabench.data.prepare import prepare_data
from rosettabench.places import cache_dir
from rosettabench.plan.proof_steps import STEPS
from rosettabench.plan.setting import Setting
from rosettabench.port.description import read_inputs
from rosettabench.port.folder import make_folder
from rosettabench.proof.weights import draw_weights, save_weights

MODELS = Path(__file__).parent / "models"
"""PyTorch models, and beside each its port's Model: ``gpt.py``, ``gpt_jax.py``."""

CLASSES = {"gpt": "GPT", "unet": "UNet", "towers": "TwoTowers", "ranker": "Ranker"}

INPUTS = {"ranker": ["user=int[]<50", "history=int[5]<80", "context=float[2,3]"]}
"""The inputs of models whose first layer does not tell them."""


def pytorch():
    """The environment in which models are described."""
    return environment("pytorch@2.13.0")


def new_folder(place: Path, model: str | None, *frameworks: str) -> Workload:
    """A new folder of one of MODELS, or of the small model of our own, ported to frameworks; the workload in it."""
    source = (MODELS / f"{model}.py", CLASSES[model]) if model else None
    make_folder(place, frameworks, source, pytorch(), read_inputs(INPUTS.get(model, ())))
    for framework in frameworks if model else ():
        file = f"{framework.replace('-', '_')}.py"
        port(place / file, (MODELS / f"{model}_{file}").read_text())
    return read_folder(place)


def port(path: Path, ported: str) -> None:
    """Put a ported Model in the place of the one that is left to port, with what it imports."""
    text = path.read_text()
    ported = ported.replace("from flax import nnx\n", "")
    head, own = re.fullmatch(r"((?:(?:import|from) [^\n]*\n)*)\s*(.*?)\s*", ported, re.DOTALL).groups()
    own, _, arrange = own.partition("\n\n\ndef arrange")
    text = re.sub(r"class Model\(.*?(?=\n\n\ndef loss)", lambda _: own, text, flags=re.DOTALL)
    text = re.sub(r'^(""".*?"""\n\n)', lambda top: top[1] + head, text, flags=re.DOTALL)
    path.write_text(f"{text}\n\ndef arrange{arrange}\n" if arrange else text)


def own_work(workload: Workload, folder: Path, batch_size: int = BATCH) -> Work:
    """The work of a contest of such a workload at a small batch."""
    folder.mkdir(parents=True, exist_ok=True)
    setting = Setting(batch_size, "cpu", "float32", 0, 1)
    data = prepare_data(workload, data_dir=None, cache=cache_dir())
    np.save(folder / "batches.npy", draw_rows(workload, data, setting, 3 * STEPS))
    weights = save_weights(draw_weights(workload, 0), folder / "weights")
    return Work(workload, setting, data, weights, folder / "batches.npy")
