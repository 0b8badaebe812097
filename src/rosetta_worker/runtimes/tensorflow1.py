"""TensorFlow 1's runtime: the configuration of a session, its settings, and its traces."""

import tensorflow as tf
from tensorflow.python import pywrap_tensorflow  # no public name tells whether oneDNN is used

from rosetta_worker.traces import attribute


def configuration(setting):
    """Return the configuration of a session with the setting's threads and device.

    The first session of a process creates the threads. Later sessions use them, whatever their configuration.
    """
    devices = {"GPU": 0} if setting.device == "cpu" else {}
    threads = setting.threads
    return tf.ConfigProto(
        intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads, device_count=devices
    )


def settings(session):
    """Return the settings in force for a session. TensorFlow 1 reports threads only as configured."""
    given = session._config
    return {
        "threads": given.intra_op_parallelism_threads,
        "inter_op_threads": given.inter_op_parallelism_threads,
        "device": "cuda" if any(one.device_type == "GPU" for one in session.list_devices()) else "cpu",
        "autocast": False,
        "oneDNN": bool(pywrap_tensorflow.IsMklEnabled()),
    }


def layout(graph):
    """Return the layout of images for a graph's convolutions; None without any."""
    formats = {op.get_attr("data_format").decode() for op in graph.get_operations() if op.type == "Conv2D"}
    return " and ".join(sorted({"NHWC": "channels_last", "NCHW": "channels_first"}[one] for one in formats)) or None


def operations(traced):
    """Return the operations in the `tf.RunMetadata` of several runs, each named ``node:Type``.

    A trace does not contain threads. Operations that overlap ran on several threads, and share the time.
    """
    events = []
    for device in (device for metadata in traced for device in metadata.step_stats.dev_stats):
        for node in device.node_stats:
            start = node.all_start_micros * 1e-6
            events.append((len(events), start, start + node.all_end_rel_micros * 1e-6, name_of(node)))
    return attribute(events)


def name_of(node):
    """Return ``node:Type``. A trace has ``node = Type(inputs)``, and only the node if it is not an operation."""
    return "%s:%s" % (node.node_name, node.timeline_label.partition(" = ")[2].partition("(")[0])
