"""The training loop of TensorFlow 1's Estimator, let go for so many steps at a time.

Each call of `Estimator.train` makes a graph and a session anew and reads the weights back from a checkpoint, and it
comes back when training is over. So it is called once, in a thread of its own, and a hook lets it wait between blocks.
"""

import tempfile
from queue import Queue
from threading import Thread

import tensorflow as tf


class Turnstile(tf.train.SessionRunHook):
    """Lets so many steps pass as `blocks` says next, and tells the sum of their losses in `answers`.

    The first answer is the session.
    """

    def __init__(self):
        self.blocks = Queue()
        self.answers = Queue()
        self.loss = None
        """The tensor; known when the model's function has been called."""
        self.watched = None
        """What has been traced of each step so far, where somebody wants to see it."""
        self.left = 0
        self.total = 0.0

    def after_create_session(self, session, coord):
        self.answers.put(session)

    def before_run(self, run_context):
        if not self.left:
            self.left = self.blocks.get()
        if self.watched is None:
            return tf.train.SessionRunArgs(self.loss)
        return tf.train.SessionRunArgs(self.loss, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE))

    def after_run(self, run_context, run_values):
        if self.watched is not None:
            self.watched.append(run_values.run_metadata)
        self.total += run_values.results
        self.left -= 1
        if not self.left:
            self.answers.put(self.total)
            self.total = 0.0


class Loop(object):
    """An Estimator that trains. `session` is its own, which may be asked for anything as long as the loop waits."""

    def __init__(self, draw, inputs, labels, config):
        """Begin; the first step waits for `train`.

        `draw` makes the graph from the tensors of inputs and labels, and returns (step, loss); `inputs` and `labels`
        are (type, shape) of each; `config` is that of the session.
        """
        self.cuts = Queue()
        self.turnstile = Turnstile()
        kinds, shapes = zip(inputs, labels)

        def input_fn():  # prefetching would wait for the next block in a thread of the session, perhaps its only one
            return tf.data.Dataset.from_generator(self.read, kinds, shapes)

        def model_fn(features, labels, mode):
            step, self.turnstile.loss = draw(features, labels)
            with tf.control_dependencies([step]):
                counted = tf.assign_add(tf.train.get_global_step(), 1)  # what an Estimator knows its steps by
            return tf.estimator.EstimatorSpec(mode, loss=self.turnstile.loss, train_op=counted.op)

        run = tf.estimator.RunConfig(
            tempfile.mkdtemp(prefix="estimator-", dir="."),
            save_summary_steps=0,
            save_checkpoints_steps=None,  # nobody else writes any between steps
            save_checkpoints_secs=None,
            session_config=config,
            log_step_count_steps=None,
        )
        self.estimator = tf.estimator.Estimator(model_fn, config=run)
        self.thread = Thread(target=self.run, args=(input_fn,), daemon=True)
        self.thread.start()
        self.session = self.answer()

    def run(self, input_fn):
        """Train until there are no more batches; what goes wrong is the next answer."""
        try:
            self.estimator.train(input_fn, hooks=[self.turnstile])
        except Exception as error:  # noqa: BLE001 (raised again by `answer`, in the thread that asks)
            self.turnstile.answers.put(error)

    def read(self):
        """Yield batches, as `train` asks for them."""
        for cut in iter(self.cuts.get, None):
            yield cut()

    def answer(self):
        """Return what the loop answers next; when it has failed, that is its answer for ever."""
        answer = self.turnstile.answers.get()
        if isinstance(answer, Exception):
            self.turnstile.answers.put(answer)
            raise answer
        return answer

    def train(self, cuts):
        """Take a step on each batch that one of `cuts`, functions, returns; return the sum of the losses."""
        for cut in cuts:
            self.cuts.put(cut)
        self.turnstile.blocks.put(len(cuts))
        return self.answer()

    def close(self):
        """End the loop, and with it the session."""
        self.turnstile.blocks.put(1)
        self.cuts.put(None)
        self.thread.join()
