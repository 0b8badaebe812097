"""imdb-gru:reset-before as formulas, on PyTorch arrays."""

import torch


def forward(w, tokens):
    from_input = w["embedding"][tokens] @ w["gru.kernel"].T + w["gru.bias"]
    of_gates, of_new = w["gru.recurrent_kernel"].split([200, 100])
    h = from_input.new_zeros(len(tokens), 100)
    for from_token in from_input.unbind(dim=1):
        reset_x, update_x, new_x = from_token.split(100, dim=1)
        reset_h, update_h = (h @ of_gates.T).split(100, dim=1)
        reset = torch.sigmoid(reset_x + reset_h)
        update = torch.sigmoid(update_x + update_h)
        new = torch.tanh(new_x + (reset * h) @ of_new.T)  # the reset gate acts before the recurrent product
        h = (1 - update) * new + update * h
    return h @ w["output.kernel"].T + w["output.bias"]
