"""gpt-decode in Keras as one would write it without a laboratory: one file, one loop.

Nothing is trained: a text of 64 characters on the host gets 128 more, each the likeliest, and comes back to the host.
For the comparison it takes turns: it reads a number of batches from standard input, continues them, and prints the
seconds and, in place of a loss, the mean of the new ids. Arguments: the .npy files of inputs, labels (which it leaves
alone) and batches (consecutive sample ids, one row a batch), and the number of threads.
KERAS_BACKEND names what Keras runs on, and the number of threads comes by the environment, too.
"""

import sys
from time import perf_counter

import keras
import numpy as np
from keras import layers, ops

PROMPT, COUNT = 64, 128


class Block(layers.Layer):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = layers.LayerNormalization(epsilon=1e-5, center=False)
        self.qkv = layers.Dense(3 * width, use_bias=False)
        self.projection = layers.Dense(width, use_bias=False)
        self.norm2 = layers.LayerNormalization(epsilon=1e-5, center=False)
        self.up = layers.Dense(4 * width, activation="gelu", use_bias=False)
        self.down = layers.Dense(width, use_bias=False)

    def call(self, x, cache, begin, seen):
        """Return what goes into the next block, and the cache with the keys and values from the place `begin` on."""
        _, length, width = x.shape
        qkv = ops.reshape(self.qkv(self.norm1(x)), (-1, length, 3, self.heads, width // self.heads))
        cache = ops.slice_update(cache, (0, begin, 0, 0, 0), qkv[:, :, 1:])
        y = ops.dot_product_attention(qkv[:, :, 0], cache[:, :, 0], cache[:, :, 1], mask=seen)
        x = x + self.projection(ops.reshape(y, (-1, length, width)))
        return x + self.down(self.up(self.norm2(x))), cache


class GPT(keras.Model):
    """Character ids (n, 64) to the 128 that follow."""

    def __init__(self):
        super().__init__()
        self.token = layers.ReversibleEmbedding(65, 384)
        self.position = layers.Embedding(256, 384)
        self.blocks = [Block(384, 6) for _ in range(6)]
        self.norm = layers.LayerNormalization(epsilon=1e-5, center=False)

    def choose(self, ids, caches, begin):
        """Return the likeliest next character (n, 1) and the new caches."""
        places = begin + ops.arange(ids.shape[1])
        x = self.token(ids) + self.position(places)
        seen = (ops.arange(PROMPT + COUNT) <= ops.expand_dims(places, 1))[None, None]
        new = []
        for block, cache in zip(self.blocks, caches, strict=True):
            x, cache = block(x, cache, begin=begin, seen=seen)
            new.append(cache)
        logits = self.token(self.norm(x[:, -1:]), reverse=True)
        return ops.cast(ops.argmax(logits, axis=-1), "int32"), new

    def call(self, ids):
        """Return the new characters."""
        n = ops.shape(ids)[0]
        caches = [ops.zeros((n, PROMPT + COUNT, 2, 6, 64)) for _ in self.blocks]
        last, caches = self.choose(ids, caches, 0)
        text = ops.slice_update(ops.zeros((n, COUNT), "int32"), (0, 0), last)

        def unfinished(place, last, text, caches):
            return place < PROMPT + COUNT - 1

        def extend(place, last, text, caches):
            last, caches = self.choose(last, caches, place)
            return place + 1, last, ops.slice_update(text, (0, place - PROMPT + 1), last), caches

        return ops.while_loop(unfinished, extend, (PROMPT, last, text, caches))[2]


inputs, batches = np.load(sys.argv[1]), np.load(sys.argv[3])
model = GPT()
model.choose(ops.zeros((1, 1), "int32"), [ops.zeros((1, PROMPT + COUNT, 2, 6, 64))] * 6, 0)  # makes the weights
done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    found = []
    for ids in batches[done : done + steps]:
        found.append(model.predict_on_batch(inputs[ids[0] : ids[0] + len(ids)]))
    texts = np.concatenate(found)
    print(perf_counter() - start, texts.mean(), flush=True)
    done += steps
