"""Read the profile files of XLA and TensorFlow, ``*.xplane.pb``, without protobuf.

The messages are those of tsl/profiler/protobuf/xplane.proto and xla/service/hlo.proto; the wire format is described in
https://protobuf.dev/programming-guides/encoding. Only the needed fields have names here.
"""

import glob
import os

PLANES, PLANE_NAME, LINES, EVENT_METADATA, STAT_METADATA = 1, 2, 3, 4, 5
LINE_START_NS, EVENTS = 3, 4
EVENT_METADATA_ID, EVENT_OFFSET_PS, EVENT_DURATION_PS, EVENT_STATS = 1, 2, 3, 4
METADATA_NAME, METADATA_STATS = 2, 5
STAT_METADATA_ID, STAT_INT64, STAT_BYTES = 1, 4, 6
KEY, VALUE = 1, 2
MODULE, COMPUTATIONS, INSTRUCTIONS, COMPUTATION_ID = 1, 3, 2, 5
NAME, OPCODE, OP_METADATA, OP_NAME, CALLED = 1, 2, 7, 2, 38


def host_events(folder):
    """Return the events of all threads of the host: (thread, start, end, name, program).

    `program` is the number of the compiled program of an event; None if the trace does not contain it.
    """
    events = []
    for plane in planes(folder):
        parts = list(fields(plane))
        if first(parts, PLANE_NAME) != b"/host:CPU":
            continue
        names, stats = metadata_names(parts, EVENT_METADATA), metadata_names(parts, STAT_METADATA)
        program = next((number for number, name in stats.items() if name == "program_id"), None)
        for number, line in enumerate(every(parts, LINES)):
            line_parts = list(fields(line))
            begin = (first(line_parts, LINE_START_NS) or 0) * 1e-9
            for event in every(line_parts, EVENTS):
                events.append((number,) + read_event(event, begin, names, program))
    return events


def metadata_names(parts, field):
    """Return {number: name} from a plane's table of names."""
    pairs = [dict(fields(entry)) for entry in every(parts, field)]
    return {pair[KEY]: text(first(list(fields(pair[VALUE])), METADATA_NAME)) for pair in pairs}


def read_event(event, begin, names, program):
    """Return (start, end, name, program) of one event. The argument `program` is the number of its stat."""
    parts = list(fields(event))
    start = begin + (first(parts, EVENT_OFFSET_PS) or 0) * 1e-12
    end = start + (first(parts, EVENT_DURATION_PS) or 0) * 1e-12
    told = None
    for stat in every(parts, EVENT_STATS) if program is not None else ():
        values = dict(fields(stat))
        if values.get(STAT_METADATA_ID) == program:
            told = values.get(STAT_INT64)
    return start, end, names[first(parts, EVENT_METADATA_ID)], told


def instructions(folder):
    """Return {(program, instruction): (name in the source, opcodes of the computation that it calls)}."""
    found = {}
    for plane in planes(folder):
        parts = list(fields(plane))
        if first(parts, PLANE_NAME) != b"/host:metadata":
            continue
        for entry in every(parts, EVENT_METADATA):
            pair = dict(fields(entry))
            for stat in every(list(fields(pair[VALUE])), METADATA_STATS):
                for proto in every(list(fields(stat)), STAT_BYTES):
                    for name, told in module_instructions(first(list(fields(proto)), MODULE)).items():
                        found[program_number(pair[VALUE]), name] = told
    return found


def program_number(metadata):
    """Return the number at the end of a program's name: ``jit_update(64)``."""
    name = text(first(list(fields(metadata)), METADATA_NAME))
    return int(name.rpartition("(")[2].rstrip(")"))


def module_instructions(module):
    """Return {instruction: (name in the source, opcodes that it calls)} of one compiled program."""
    computations = {}
    for computation in every(list(fields(module)), COMPUTATIONS):
        parts = list(fields(computation))
        computations[first(parts, COMPUTATION_ID)] = [list(fields(one)) for one in every(parts, INSTRUCTIONS)]
    found = {}
    for own in computations.values():
        for one in own:
            metadata = first(one, OP_METADATA)
            told = text(first(list(fields(metadata)), OP_NAME)) if metadata is not None else ""
            called = [number for packed in every(one, CALLED) for number in numbers(packed)]
            within = {text(first(part, OPCODE)) for number in called for part in computations.get(number, [])}
            found[text(first(one, NAME))] = told, sorted(within or {text(first(one, OPCODE))})
    return found


# -- the wire format ---------------------------------------------------------------------------------------------------


def planes(folder):
    """Return the planes of the newest profile below `folder`."""
    files = glob.glob(os.path.join(glob.escape(folder), "**", "*.xplane.pb"), recursive=True)
    with open(max(files, key=os.path.getmtime), "rb") as file:
        content = memoryview(file.read())
    return every(list(fields(content)), PLANES)


def fields(message):
    """Yield (field number, value): whole numbers, or else the bytes of the field."""
    place, end = 0, len(message)
    while place < end:
        key, place = varint(message, place)
        kind = key & 7
        if kind == 0:
            value, place = varint(message, place)
        else:
            if kind == 2:
                size, place = varint(message, place)
            else:
                size = 8 if kind == 1 else 4
            value = message[place : place + size]
            place += size
        yield key >> 3, value


def varint(message, place):
    """Return a variable-length whole number, and the position after it."""
    number = shift = 0
    while True:
        byte = message[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, place
        shift += 7


def numbers(packed):
    """Return the whole numbers of a repeated field, packed or not."""
    if isinstance(packed, int):
        return [packed]
    found, place = [], 0
    while place < len(packed):
        number, place = varint(packed, place)
        found.append(number)
    return found


def every(parts, number):
    """Return all values of a field."""
    return [value for key, value in parts if key == number]


def first(parts, number):
    """Return the first value of a field; None if it is not set."""
    return next((value for key, value in parts if key == number), None)


def text(value):
    """Return a field's bytes as text; "" if it is not set."""
    return "" if value is None else bytes(value).decode("utf-8", "replace")
