"""The worker's own tests, in the standard library's unittest: they run under every interpreter a worker may meet.

pytest runs them under the laboratory's Python, and test_oldest.py runs them under the oldest interpreter at hand.
"""

import json
import os
import shutil
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NUMPY = os.path.join(ROOT, "tests", "third_party", "rosetta_numpy")
sys.path.insert(0, os.path.join(ROOT, "src"))

from rosetta_worker import PROTOCOL, clock, protocol  # noqa: E402
from rosetta_worker.loop import Worker  # noqa: E402

SHAPES = {"hidden.kernel": (128, 784), "hidden.bias": (128,), "output.kernel": (10, 128), "output.bias": (10,)}
OPTIMIZER = {"name": "adam", "learning_rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}


class WorkerTest(unittest.TestCase):
    """A worker with the NumPy framework, asked in the same process."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        random = np.random.RandomState(0)
        self.weights = {name: self.save(name, 0.05 * random.randn(*shape)) for name, shape in SHAPES.items()}
        self.inputs = self.save("inputs", random.rand(50, 784))
        self.labels = self.save("labels", random.randint(0, 10, 50), "int32")
        self.worker = Worker()

    def save(self, name, array, kind="float32"):
        path = os.path.join(self.folder, name + ".npy")
        np.save(path, array.astype(kind))
        return path

    def ask(self, do, **fields):
        reply = self.worker.answer(dict(fields, id=1, do=do))
        self.assertTrue(reply["ok"], reply)
        return reply

    def prepare(self):
        setting = {"mode": "eager", "precision": "float32", "threads": 1, "batch_size": 8, "optimizer": OPTIMIZER}
        framework = os.path.join(NUMPY, "frameworks", "numpy.py")
        implementation = os.path.join(NUMPY, "workloads", "fashion_mlp", "numpy.py")
        self.ask("hello", protocol=PROTOCOL)
        self.assertIn(
            "numpy", self.ask("open", framework=framework, implementation=implementation, setting=setting)["packages"]
        )
        self.ask("build", weights=self.weights)
        for part in ("train", "test"):
            self.ask("data", part=part, inputs=self.inputs, labels=self.labels)
        self.ask("batches", path=self.save("batches", np.arange(48).reshape(6, 8), "int64"))

    def test_one_block_ends_where_single_steps_end(self):
        self.prepare()
        for step in range(6):
            self.ask("train", first=step, steps=1)
        single = self.read(self.ask("parameters", folder=os.path.join(self.folder, "single")))
        self.ask("build", weights=self.weights)
        reply = self.ask("train", first=0, steps=6)
        block = self.read(self.ask("parameters", folder=os.path.join(self.folder, "block")))
        self.assertEqual(reply["samples"], 48)
        self.assertEqual(reply["learning_rate"], 1e-3)
        for name in SHAPES:
            np.testing.assert_array_equal(single[name], block[name])

    def read(self, reply):
        return {name: np.load(path) for name, path in reply["files"].items()}

    def test_gradients_are_those_of_finite_differences(self):
        self.prepare()
        files = self.read(self.ask("gradients", step=0, folder=os.path.join(self.folder, "g")))
        kernel = np.load(self.weights["output.kernel"]).astype("float64")
        losses = []
        for shift in (1e-2, -1e-2):
            moved = kernel.copy()
            moved[3, 5] += shift
            self.ask("build", weights=dict(self.weights, **{"output.kernel": self.save("moved", moved)}))
            losses.append(self.ask("gradients", step=0, folder=os.path.join(self.folder, "h"))["loss"])
        self.assertAlmostEqual((losses[0] - losses[1]) / 2e-2, float(files["output.kernel"][3, 5]), places=4)

    def test_evaluation_keeps_the_last_partial_batch(self):
        self.prepare()
        reply = self.ask("evaluate", part="test", samples=21, batch_size=8, folder=os.path.join(self.folder, "e"))
        self.assertEqual(reply["samples"], 21)
        logits = self.read(reply)["logits"]
        self.assertEqual(logits.shape, (21, 10))
        self.assertEqual(reply["correct"], int((logits.argmax(1) == np.load(self.labels)[:21]).sum()))

    def prepare_inference(self):
        """A worker of a workload that only infers: no optimiser, and no labels that anybody reads."""
        setting = {"mode": "eager", "precision": "float32", "threads": 1, "batch_size": 8, "optimizer": None}
        framework = os.path.join(NUMPY, "frameworks", "numpy.py")
        implementation = os.path.join(NUMPY, "workloads", "tiny_features", "numpy.py")
        self.ask("hello", protocol=PROTOCOL)
        self.ask("open", framework=framework, implementation=implementation, setting=setting)
        random = np.random.RandomState(1)
        shapes = {"hidden.kernel": (6, 12), "hidden.bias": (6,)}
        weights = {name: self.save(name, random.randn(*shape)) for name, shape in shapes.items()}
        self.ask("build", weights=weights)
        vectors = random.rand(20, 12)
        self.ask("data", part="train", inputs=self.save("vectors", vectors), labels=self.labels)
        kernel, bias = np.load(weights["hidden.kernel"]), np.load(weights["hidden.bias"])
        return np.maximum(vectors.astype("float32") @ kernel.T + bias, 0)

    def infer(self, **fields):
        reply = self.ask("infer", folder=os.path.join(self.folder, "out"), batch_size=8, **fields)
        return reply, self.read(reply)["outputs"]

    def test_inference_keeps_order_and_the_last_partial_batch(self):
        features = self.prepare_inference()
        reply, outputs = self.infer(first=0, samples=13)
        self.assertEqual(reply["samples"], 13)
        np.testing.assert_allclose(outputs, features[:13], rtol=1e-5, atol=1e-6)

    def test_inference_goes_round_the_whole_batches(self):
        """Of 20 samples, 16 are whole batches of 8: behind the second comes the first again."""
        features = self.prepare_inference()
        _, outputs = self.infer(first=3, samples=20)
        expected = np.concatenate([features[8:16], features[:8], features[8:12]])
        np.testing.assert_allclose(outputs, expected, rtol=1e-5, atol=1e-6)

    def test_who_only_infers_does_not_train_and_the_other_way_round(self):
        self.prepare_inference()
        self.ask("batches", path=self.save("rows", np.arange(16).reshape(2, 8), "int64"))
        for request in ("train", "reuse", "feed", "backpropagate", "update"):
            reply = self.worker.answer({"id": 5, "do": request, "first": 0, "steps": 1})
            self.assertEqual(reply["error"]["kind"], "unsupported", request)
            self.assertIn("only infers", reply["error"]["message"])
        self.prepare()
        reply = self.worker.answer({"id": 6, "do": "infer", "first": 0, "samples": 8, "batch_size": 8})
        self.assertEqual(reply["error"]["kind"], "unsupported")

    def test_batches_that_run_out_are_an_error(self):
        self.prepare()
        reply = self.worker.answer({"id": 4, "do": "train", "first": 5, "steps": 2})
        self.assertFalse(reply["ok"])
        self.assertIn("only 1 batches are left", reply["error"]["message"])

    def test_errors_have_their_kind(self):
        for raised, kind in (
            (MemoryError("no"), "out_of_memory"),
            (RuntimeError("CUDA out of memory"), "out_of_memory"),
            (ImportError("no module"), "missing_package"),
            (NotImplementedError("no GRU"), "unsupported"),
            (SystemExit(2), "error"),
        ):
            worker = Worker()
            worker.do_provoke = self.raiser(raised)
            reply = worker.answer({"id": 9, "do": "provoke"})
            self.assertEqual((reply["ok"], reply["id"], reply["error"]["kind"]), (False, 9, kind))

    @staticmethod
    def raiser(error):
        def provoke():
            raise error

        return provoke

    def test_a_file_that_is_not_there_is_an_answer(self):
        reply = self.worker.answer({"id": 1, "do": "build", "weights": {"a": "/nowhere.npy"}})
        self.assertFalse(reply["ok"])


class ChannelTest(unittest.TestCase):
    """Messages over real pipes."""

    def test_a_request_and_a_reply(self):
        request_read, request_write = os.pipe()
        reply_read, reply_write = os.pipe()
        channel = protocol.Channel(request_read, reply_write)
        os.write(request_write, b'{"id": 1, "do": "hello", "protocol": 0}\n{"id": 2, "do": "close"}\n')
        Worker().serve(channel)
        with os.fdopen(reply_read) as replies:
            first, second = json.loads(replies.readline()), json.loads(replies.readline())
        self.assertEqual((first["id"], first["ok"], second["id"], second["ok"]), (1, False, 2, True))
        os.close(request_write)

    def test_numbers_that_are_not_finite_become_null(self):
        self.assertEqual(
            protocol.finite({"a": [float("nan"), 1.5, float("inf")], "b": {"c": -float("inf")}}),
            {"a": [None, 1.5, None], "b": {"c": None}},
        )


class StopwatchTest(unittest.TestCase):
    """The order of what a stopwatch does: wait, read the clock, work, wait, read the clock."""

    def test_the_device_is_idle_at_both_readings(self):
        order = []
        self.addCleanup(setattr, clock, "perf_counter", clock.perf_counter)
        clock.perf_counter = lambda: order.append("clock") or float(len(order))
        with clock.Stopwatch(lambda: order.append("wait")) as watch:
            order.append("work")
        self.assertEqual(order, ["wait", "clock", "work", "wait", "clock"])
        self.assertEqual(watch.elapsed, 3.0)


if __name__ == "__main__":
    unittest.main()
