"""gpt-decode in MXNet Gluon."""

from mxnet import nd

from rosetta_worker.layers.gpt.mxnet_gluon import PROMPT, TENSORS, Decoder  # noqa: F401


class Model(Decoder):
    """Character ids (n, 64) to the logits of each of the 128 characters that follow, (n, 128, 65)."""

    def forward(self, ids):
        caches = self.empty()
        logits = [self.step(ids, 0, caches)]
        for time in range(PROMPT, self.length - 1):
            logits.append(self.step(logits[-1].argmax(-1), time, caches))
        return nd.concat(*logits, dim=1)
