"""CNTK: functions that are built once, and a trainer that is fed at each step."""

import cntk as C
import numpy as np

from rosetta_worker.framework import Framework, Setting, labels_as, resolve
from rosetta_worker.optimizers.cntk import learning_rate
from rosetta_worker.runtimes import cntk as runtime
from rosetta_worker.runtimes.mkl import mkl_cpu_type
from rosetta_worker.surroundings import readable

DESCRIPTION = {
    "title": "CNTK",
    "modes": {"compiled": "a function is made once and fed at each step, it knows no other mode"},
    "mode": "compiled",
    "packages": ["cntk"],
    "locks": ["cntk@2.7"],
}


class Adapter(Framework):
    """CNTK 2.7, on the CPU."""

    lacks = {
        "embedding_gradient": "CNTK's Adam takes no sparse gradients on a CPU",
        "precision": "CNTK has no bfloat16",
        "precision=tf32": "CNTK has no switch for TF32",
        "schedule": "CNTK's learners are made with their schedule: the adapter gives them none",
    }

    def build(self, weights):
        if self.setting.device != "cpu":
            raise NotImplementedError("this package of CNTK is the one for CPUs; that for GPUs is cntk-gpu")
        C.try_set_default_device(C.cpu())
        C.cntk_py.set_max_num_cputhreads(self.setting.threads)
        self.model = self.implementation.Model()
        self.inputs, self.labels = self.model.inputs, C.input_variable(())
        self.logits = C.as_composite(self.model(self.inputs))
        if self.trains:
            self.draw()
        self.set_parameters(weights)

    def draw(self):
        """Build the loss, one for each sample, and the trainer, which takes the mean."""
        for layer in runtime.dropouts(self.logits):
            if not self.dropout:
                layer.set_attribute("dropoutRate", 0.0)
        losses = self.loss(self.model, self.logits, self.labels)
        hyper = Setting(**dict(vars(self.setting.optimizer), minibatch_size=self.setting.batch_size))
        self.optimizer = self.implementation.optimizer(self.logits, hyper)
        self.trainer = C.Trainer(self.logits, losses, [self.optimizer])
        self.both = C.combine([self.logits, losses])

    def variable(self, own):
        """Return the parameter, or the kept constant, of the name `own`."""
        return resolve(self.model, own)

    def get(self, own):
        return self.variable(own).value

    def set(self, own, array):
        self.variable(own).value = array

    def load(self, inputs, labels):
        return inputs.astype("float32", copy=False), labels_as(labels, "float32")  # its inputs take only float32

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return inputs[ids], labels[ids]

    def fed(self, inputs, labels):
        """Return the arguments of the trainer for a batch."""
        return {self.inputs: inputs, self.labels: labels}

    def train(self, dataset, batches):
        total = 0.0
        for inputs, labels in self.feed(dataset, batches):
            self.trainer.train_minibatch(self.fed(inputs, labels))
            total += self.trainer.previous_minibatch_loss_average
        return total / len(batches)

    def gradients(self, dataset, ids):
        slopes, outputs = self.differentiate(*self.batch(dataset, ids))
        logits, losses = (outputs[output] for output in self.both.outputs)
        return logits, losses.mean(), self.canonical(lambda own: slopes[self.variable(own)] / len(ids))

    def differentiate(self, inputs, labels, as_numpy=True):
        """Return {parameter: gradient}, of the sum over the samples, and {output: value}."""
        _, losses = self.both.outputs
        return self.both.grad(
            self.fed(inputs, labels), self.logits.parameters, self.both.outputs, as_numpy=as_numpy, grad_root=losses
        )

    def evaluate(self, dataset, batches):
        return self.infer(self.batch(dataset, ids)[0] for ids in batches)

    def infer(self, batches):
        return np.concatenate([self.logits.eval({self.inputs: batch}) for batch in batches])

    def synchronize(self):
        """Do nothing: on a CPU, CNTK has finished when it returns."""

    def linger(self, size, repeats):
        return self.product(np.full((size, size), 1.0 / size, "float32"), "float32")(repeats)

    def array(self, tensor):
        return tensor.value if isinstance(tensor, C.Parameter) else np.asarray(tensor)

    def learning_rate(self):
        step = self.trainer.total_number_of_samples_seen // self.setting.batch_size
        return learning_rate(self.optimizer, step)

    def updates(self):
        return self.trainer.total_number_of_samples_seen // self.setting.batch_size

    def settings(self):
        first = self.logits.parameters[0]
        found = {
            "threads": C.cntk_py.get_max_num_cputhreads(),
            "device": "cpu" if C.use_default_device() == C.cpu() else "cuda",
            "precision": np.dtype(first.dtype).name,
            "autocast": False,
            "mode": "compiled",
            "compiler": "CompositeFunction",
            "loader_workers": 0,
        }
        found.update(readable(blas=runtime.blas, layout=lambda: runtime.layout(self.logits), mkl_cpu_type=mkl_cpu_type))
        return found

    def train_fetched(self, fetched, steps):
        total = 0.0
        for step in range(steps):
            self.trainer.train_minibatch(self.fed(*fetched[step % len(fetched)]))
            total += self.trainer.previous_minibatch_loss_average
        return total / steps

    def backpropagate(self, fetched, steps):
        for step in range(steps):
            self.differentiate(*fetched[step % len(fetched)], as_numpy=False)

    def keep_gradients(self, inputs, labels):
        slopes, _ = self.differentiate(inputs, labels)
        self.kept = {one: C.NDArrayView.from_data(slope / len(inputs)) for one, slope in slopes.items()}

    def apply_gradients(self, steps):
        for _ in range(steps):  # the form into which Learner.update converts NumPy's arrays each time
            C.cntk_py.Learner._update(self.optimizer, self.kept, 1, False)

    def product(self, matrix, precision):
        if precision not in ("float32", "float64"):
            raise NotImplementedError("CNTK multiplies no %s" % precision)
        right = C.constant(matrix.astype(precision))
        left = C.parameter(init=right.value, dtype=right.dtype)
        multiplied = C.assign(left, C.times(left, right))

        def multiply(times):
            left.value = right.value
            for _ in range(times):
                multiplied.eval(as_numpy=False)
            return left

        return multiply

    def copies(self, array):
        source, target = C.constant(array), C.parameter(init=np.zeros_like(array))
        assigned = C.assign(target, source)

        def copy(times):
            for _ in range(times):
                assigned.eval(as_numpy=False)
            return target

        return {"memory": copy}
