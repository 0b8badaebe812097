"""TensorFlow 1's runtime: what a session is told, what it tells, and its traces."""

import tensorflow as tf
from tensorflow.python import pywrap_tensorflow  # no public name tells whether oneDNN computes

from rosetta_worker.traces import attribute


def configuration(setting):
    """Return what a session must be given to obey the setting's threads and device.

    The first session of a process makes the threads, and every later one has them, whatever it is given.
    """
    devices = {"GPU": 0} if setting.device == "cpu" else {}
    threads = setting.threads
    return tf.ConfigProto(
        intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads, device_count=devices
    )


def settings(session):
    """Return what is in force for a session. Of its threads TensorFlow 1 tells no more than what it was given."""
    given = session._config
    return {
        "threads": given.intra_op_parallelism_threads,
        "inter_op_threads": given.inter_op_parallelism_threads,
        "device": "cuda" if any(one.device_type == "GPU" for one in session.list_devices()) else "cpu",
        "autocast": False,
        "oneDNN": bool(pywrap_tensorflow.IsMklEnabled()),
    }


def layout(graph):
    """Return how a graph's convolutions take their images; None where it has none."""
    formats = {op.get_attr("data_format").decode() for op in graph.get_operations() if op.type == "Conv2D"}
    return " and ".join(sorted({"NHWC": "channels_last", "NCHW": "channels_first"}[one] for one in formats)) or None


def operations(traced):
    """Return the operations of what `tf.RunMetadata` holds of several runs, each named ``node:Type``.

    A trace tells no threads. Operations that overlap were on several, and share the time.
    """
    events = []
    for device in (device for metadata in traced for device in metadata.step_stats.dev_stats):
        for node in device.node_stats:
            start = node.all_start_micros * 1e-6
            events.append((len(events), start, start + node.all_end_rel_micros * 1e-6, name_of(node)))
    return attribute(events)


def name_of(node):
    """Return ``node:Type``; a trace writes ``node = Type(inputs)``, and of what is no operation the node alone."""
    return "%s:%s" % (node.node_name, node.timeline_label.partition(" = ")[2].partition("(")[0])
