"""A PyTorch model as its users have it, without ties: ``native.py IMPLEMENTATION save|load FILE.npz``.

``save`` writes the state_dict of a new model, every number drawn. ``load`` loads one, strictly, and writes its
outputs, ``FILE.out.npy``. A program of its own: the environment's Python runs it.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import torch

SHAPES = {"fashion_cnn": (1, 28, 28), "cifar_resnet56": (3, 32, 32), "imdb_lstm": (500,)}

implementation, what, path = sys.argv[1:]
sys.path.insert(0, str(Path(implementation).parents[3]))
spec = importlib.util.spec_from_file_location("implementation", implementation)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
torch.manual_seed(1)
model = module.Model().eval()
if what == "save":
    with torch.no_grad():
        for tensor in [one for one in model.parameters() if one.requires_grad]:  # others stay as they are fixed
            tensor.add_(torch.rand_like(tensor) / 50)
        for name, tensor in model.named_buffers():
            if tensor.is_floating_point():  # variances around 1 and means around 0, or every unit would be dead
                tensor.copy_(torch.rand_like(tensor) + (-0.5 if name.endswith("mean") else 0.5))
            else:
                tensor.fill_(17)
    np.savez(path, **{name: tensor.numpy() for name, tensor in model.state_dict().items()})
else:
    with np.load(path, allow_pickle=False) as arrays:
        model.load_state_dict({name: torch.from_numpy(arrays[name]) for name in arrays.files}, strict=True)
    shape = SHAPES[Path(implementation).parent.name]
    inputs = torch.rand(4, *shape) if len(shape) > 1 else torch.randint(0, 5000, (4, *shape))
    with torch.no_grad():
        np.save(path.replace(".npz", ".out.npy"), model(inputs).numpy())
