"""The training loop of TensorFlow 1's Estimator, run for a number of steps at a time.

Each call of `Estimator.train` makes a new graph and session, reads the weights from a checkpoint, and returns when the
training is over. So it is called once, in a separate thread, and a hook makes it wait between blocks.
"""

import tempfile
from queue import Queue
from threading import Thread

import tensorflow as tf


class Turnstile(tf.train.SessionRunHook):
    """Lets the numbers of steps in `blocks` pass, and puts the sum of their losses into `answers`.

    The first answer is the session.
    """

    def __init__(self):
        self.blocks = Queue()
        self.answers = Queue()
        self.loss = None
        """The loss tensor, known after the model's function has been called."""
        self.watched = None
        """The list of the steps' traces while they are traced; otherwise None."""
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
    """A training Estimator. Its `session` can be used while the loop waits."""

    def __init__(self, draw, inputs, labels, config):
        """Start the loop. Its first step waits for `train`.

        `draw` builds the graph from the tensors of inputs and labels, and returns (step, loss). `inputs` and `labels`
        are (dtype, shape). `config` is the session's.
        """
        self.cuts = Queue()
        self.turnstile = Turnstile()
        kinds, shapes = zip(inputs, labels)

        def input_fn():  # a prefetch would wait for the next block in a thread of the session, perhaps its only one
            return tf.data.Dataset.from_generator(self.read, kinds, shapes)

        def model_fn(features, labels, mode):
            step, self.turnstile.loss = draw(features, labels)
            with tf.control_dependencies([step]):
                counted = tf.assign_add(tf.train.get_global_step(), 1)  # by which an Estimator counts its steps
            return tf.estimator.EstimatorSpec(mode, loss=self.turnstile.loss, train_op=counted.op)

        run = tf.estimator.RunConfig(
            tempfile.mkdtemp(prefix="estimator-", dir="."),
            save_summary_steps=0,
            save_checkpoints_steps=None,  # so that no checkpoint is written between steps
            save_checkpoints_secs=None,
            session_config=config,
            log_step_count_steps=None,
        )
        self.estimator = tf.estimator.Estimator(model_fn, config=run)
        self.thread = Thread(target=self.run, args=(input_fn,), daemon=True)
        self.thread.start()
        self.session = self.answer()

    def run(self, input_fn):
        """Train until there are no more batches. An exception becomes the next answer."""
        try:
            self.estimator.train(input_fn, hooks=[self.turnstile])
        except Exception as error:  # noqa: BLE001 (raised again by `answer`, in the calling thread)
            self.turnstile.answers.put(error)

    def read(self):
        """Yield batches, as `train` asks for them."""
        for cut in iter(self.cuts.get, None):
            yield cut()

    def answer(self):
        """Return the next answer of the loop. After a failure, every answer raises it."""
        answer = self.turnstile.answers.get()
        if isinstance(answer, Exception):
            self.turnstile.answers.put(answer)
            raise answer
        return answer

    def train(self, cuts):
        """Take a step on each batch that the functions `cuts` return. Return the sum of the losses."""
        for cut in cuts:
            self.cuts.put(cut)
        self.turnstile.blocks.put(len(cuts))
        return self.answer()

    def close(self):
        """End the loop and its session."""
        self.turnstile.blocks.put(1)
        self.cuts.put(None)
        self.thread.join()
