"""imdb-gru as formulas, on PyTorch arrays."""

import torch


def forward(w, tokens):
    x = w["embedding"][tokens]
    h = x.new_zeros(len(x), 100)
    for t in range(x.shape[1]):
        from_input = x[:, t] @ w["gru.kernel"].T + w["gru.bias"]
        from_state = h @ w["gru.recurrent_kernel"].T + w["gru.recurrent_bias"]
        reset_x, update_x, new_x = from_input.split(100, dim=1)
        reset_h, update_h, new_h = from_state.split(100, dim=1)
        reset = torch.sigmoid(reset_x + reset_h)
        update = torch.sigmoid(update_x + update_h)
        new = torch.tanh(new_x + reset * new_h)  # the reset gate acts after the recurrent product
        h = (1 - update) * new + update * h
    return h @ w["output.kernel"].T + w["output.bias"]
