"""gpt-decode in Keras."""

from keras import ops

from rosetta_worker.layers.gpt.keras import PROMPT, TENSORS, Decoder  # noqa: F401


class Model(Decoder):
    """Character ids (n, 64) to the logits of each of the 128 characters that follow, (n, 128, 65)."""

    def call(self, ids):
        def follow(time, logits, caches, written):
            logits, caches = self.step(ops.argmax(logits, axis=-1), time, caches)
            return time + 1, logits, caches, ops.slice_update(written, (0, time - PROMPT + 1, 0), logits)

        n = ops.shape(ids)[0]
        first, caches = self.step(ids, 0, self.empty(n))
        written = ops.slice_update(ops.zeros((n, self.length - PROMPT, 65)), (0, 0, 0), first)
        state = PROMPT, first, caches, written
        return ops.while_loop(lambda time, *_: time < self.length - 1, follow, state)[-1]
