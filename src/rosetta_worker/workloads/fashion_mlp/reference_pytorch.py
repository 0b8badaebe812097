"""fashion-mlp as formulas, on PyTorch arrays."""


def forward(w, images):
    hidden = images @ w["hidden.kernel"].T + w["hidden.bias"]
    return hidden.clamp(min=0) @ w["output.kernel"].T + w["output.bias"]
