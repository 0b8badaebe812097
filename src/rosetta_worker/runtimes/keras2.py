"""The back ends of Keras 2, and their differences."""

import os

import numpy as np

if os.environ.get("KERAS_BACKEND") == "theano":  # sets Theano's flags, before Keras imports it
    import rosetta_worker.runtimes.theano  # noqa: F401

from keras import backend as K

from rosetta_worker.surroundings import openblas, readable

FORMATS = {"tensorflow": "channels_last"}
"""The image format of each back end: the one of its own convolutions on a CPU, channels first except on TensorFlow.

With another format, Keras would transpose images before and after each convolution.
"""

K.set_image_data_format(FORMATS.get(K.backend(), "channels_first"))  # before any layer is made


class Graph(object):
    """The common part of TensorFlow, Theano and CNTK: a graph, whose variables also hold the optimiser's state."""

    compiling = {}
    """Further arguments of `compile`."""

    def __init__(self, setting):
        self.setting = setting

    def clear(self):
        """Delete earlier graphs."""

    def adopt(self, model):
        """Complete what making a model, or `compile`, has left undone."""

    def restart(self, model, optimizer):
        """Reset the state of the model's optimiser; `optimizer` returns a new one."""
        K.batch_set_value([(weight, np.zeros(K.int_shape(weight))) for weight in model.optimizer.weights])
        K.set_value(model.optimizer.lr, self.setting.optimizer.learning_rate)

    def updates(self, model):
        """Return the number of updates that the model's optimiser has counted."""
        return int(K.get_value(model.optimizer.iterations))

    def differentiation(self, model):
        """Return a function from the inputs of a training step to its loss, logits and gradients, without an update.

        The gradients are those of the model's trainable weights, in their order.
        """
        slopes = model.optimizer.get_gradients(model.total_loss, model.trainable_weights)
        function = K.function(fed(model), [model.total_loss, model.output] + self.dense(slopes))
        return lambda feed: split(function(feed))

    def dense(self, slopes):
        """Return gradients as dense arrays of complete weights."""
        return slopes

    def synchronize(self):
        """Do nothing: functions of Keras return host arrays."""

    def linger(self, size, repeats):
        """Return the last of a chain of products, each requested when the one before is done."""
        left = K.placeholder((size, size))
        multiply = K.function([left], [K.dot(left, K.constant(np.full((size, size), 1.0 / size)))])
        product = np.full((size, size), 1.0 / size, "float32")
        for _ in range(repeats):
            (product,) = multiply([product])
        return product

    def settings(self):
        """Return the settings in force, by the keys of docs/explanation/fairness.md."""
        raise NotImplementedError


class OnTensorFlow(Graph):
    """TensorFlow 1: a graph that a session runs."""

    def __init__(self, setting):
        super(OnTensorFlow, self).__init__(setting)
        from rosetta_worker.runtimes import tensorflow1

        self.runtime = tensorflow1

    def clear(self):
        import tensorflow as tf

        K.clear_session()
        K.set_session(tf.Session(config=self.runtime.configuration(self.setting)))

    def dense(self, slopes):
        import tensorflow as tf

        return [tf.convert_to_tensor(slope) for slope in slopes]  # that of an embedding is a tf.IndexedSlices

    def settings(self):
        return dict(self.runtime.settings(K.get_session()), compiler="Session")


class OnTheano(Graph):
    """Theano: functions that are compiled to C at their first call."""

    def settings(self):
        from rosetta_worker.runtimes import theano

        return theano.settings()


class OnCntk(Graph):
    """CNTK: its learner updates. Keras passes its optimisers to it as functions of a placeholder for the gradient."""

    def __init__(self, setting):
        super(OnCntk, self).__init__(setting)
        import cntk

        self.cntk = cntk
        cntk.cntk_py.set_max_num_cputhreads(setting.threads)

    def differentiation(self, model):
        """Ask CNTK itself: Keras' own `gradients` returns only a placeholder."""
        both = self.cntk.combine([model.total_loss, model.output])
        return lambda feed: self.differentiate(model, both, feed)

    def differentiate(self, model, both, feed):
        values = dict(zip(fed(model), feed))
        if model._uses_dynamic_learning_phase():
            K.learning_phase().value = np.asarray(values.pop(K.learning_phase()))
        values = {one: np.asarray(values[one], "float32") for one in both.arguments}
        loss, logits = both.outputs
        slopes, found = both.grad(values, model.trainable_weights, both.outputs, grad_root=loss)
        return float(found[loss]), found[logits], [slopes[weight] for weight in model.trainable_weights]

    def settings(self):
        return {
            "threads": self.cntk.cntk_py.get_max_num_cputhreads(),
            "device": "cpu" if self.cntk.use_default_device() == self.cntk.cpu() else "cuda",
            "autocast": False,
            "compiler": "Trainer",
        }


class OnMXNet(Graph):
    """MXNet: symbols that a BucketingModule binds, and MXNet's own optimisers under Keras' names."""

    compiling = {"context": ["cpu"]}

    def clear(self):
        K.clear_session()

    def adopt(self, model):
        """Pass on the weights of a recurrence that is not unrolled, which Keras forgets (docs/findings.md)."""
        for weight in model.weights:
            if weight.name in model._arg_names:
                model._args.setdefault(weight.name, weight.get_bind_values()[weight.name])

    def restart(self, model, optimizer):
        model.optimizer = optimizer()
        if model._module.binded:
            model._module.init_optimizer(kvstore=model._kvstore, optimizer=model.optimizer, force_init=True)

    def updates(self, model):
        return model.optimizer.num_update

    def differentiation(self, model):
        """Read the executor's results: Keras' own `gradients` does not exist on MXNet."""
        return lambda feed: self.differentiate(model, feed)

    def differentiate(self, model, feed):
        import mxnet as mx

        data, labels, key, shapes, label_shapes = model._adjust_module(feed, "train")
        batch = mx.io.DataBatch(data, labels, bucket_key=key, provide_data=shapes, provide_label=label_shapes)
        logits = self.logits(model, data)  # before the backward pass, which changes the running means
        model._module.forward_backward(batch)
        model._weights_dirty = True
        slopes = self.executor(model).grad_dict
        (loss,) = model._module.get_outputs()[:1]
        return loss.asnumpy().mean(), logits, [slopes[weight.name].asnumpy() for weight in model.trainable_weights]

    def logits(self, model, data):
        """Return the model's outputs in training mode, computed with the arrays of the step's executor."""
        held, symbol = self.executor(model), model.output._train_sym
        arguments = dict(held.arg_dict, **dict(zip(model._data_names, data)))
        executor = symbol.bind(
            data[0].context,
            {name: arguments[name] for name in symbol.list_arguments()},
            aux_states={name: held.aux_dict[name].copy() for name in symbol.list_auxiliary_states()},
        )
        return executor.forward(is_train=True)[0].asnumpy()

    def executor(self, model):
        """Return the executor of the model's steps."""
        return model._module._curr_module._exec_group.execs[0]

    def synchronize(self):
        import mxnet as mx

        mx.nd.waitall()

    def linger(self, size, repeats):
        import mxnet as mx

        matrix = mx.nd.full((size, size), 1.0 / size)
        product = matrix
        for _ in range(repeats):
            product = mx.nd.dot(product, matrix)
        return product

    def settings(self):
        import mxnet as mx

        found = {
            "threads": mx.base._LIB.omp_get_max_threads(),
            "device": "cpu",
            "autocast": False,
            "compiler": "symbol",
        }
        return dict(found, **readable(blas=lambda: openblas(mx.base._LIB)))


def fed(model):
    """Return the placeholders of a training step."""
    phase = [K.learning_phase()] if model._uses_dynamic_learning_phase() else []
    return model._feed_inputs + model._feed_targets + model._feed_sample_weights + phase


def split(results):
    """Return (loss, logits, gradients) from a list of all of them."""
    return results[0], results[1], results[2:]


BACKENDS = {"tensorflow": OnTensorFlow, "theano": OnTheano, "cntk": OnCntk, "mxnet": OnMXNet}
"""{Keras' name of a back end: class of its differences}."""
