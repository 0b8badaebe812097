"""TensorFlow's runtime, below Keras and below custom training loops."""

import re

import tensorflow as tf

from rosetta_worker.traces import attribute
from rosetta_worker.xplane import host_events

OPERATION = re.compile(r"[^: ]+:[A-Za-z_]\w*$|EagerLocalExecute: (?!__inference_|SyncDevice)\w+$")
"""The names of operations in a trace: ``node:Type`` in a graph, ``EagerLocalExecute: Type`` outside."""


def start(setting):
    """Apply the setting's threads, device and precision, which must happen before TensorFlow's first operation."""
    tf.config.threading.set_intra_op_parallelism_threads(setting.threads)
    tf.config.threading.set_inter_op_parallelism_threads(setting.threads)
    tf.config.experimental.enable_tensor_float_32_execution(setting.precision == "tf32")
    if setting.device == "cpu":
        tf.config.set_visible_devices([], "GPU")


def synchronize():
    """Wait until every device is idle."""
    tf.test.experimental.sync_devices()


def settings(tensor):
    """Return the settings in force for a tf.Variable."""
    from tensorflow.python.framework.config import is_op_determinism_enabled  # only the setter is public
    from tensorflow.python.util import _pywrap_util_port  # no public name tells whether oneDNN is used

    found = {
        "threads": tf.config.threading.get_intra_op_parallelism_threads(),
        "inter_op_threads": tf.config.threading.get_inter_op_parallelism_threads(),
        "device": "cuda" if ":GPU:" in tensor.device else "cpu",
        "oneDNN": _pywrap_util_port.IsMklEnabled(),
        "deterministic": is_op_determinism_enabled(),
    }
    if found["device"] == "cuda":
        found["tf32"] = tensor_float32()
    return found


def tensor_float32():
    """Return whether a GPU may round float32 to TF32."""
    return tf.config.experimental.tensor_float_32_execution_enabled()


def profile(work, folder):
    """Profile with TensorFlow's profiler. Among its events, OPERATION selects those that compute."""
    profiler = tf.profiler.experimental
    profiler.start(folder, options=profiler.ProfilerOptions(python_tracer_level=0))
    elapsed = work()
    profiler.stop()
    return elapsed, attribute(event[:4] for event in host_events(folder) if OPERATION.match(event[3]))
