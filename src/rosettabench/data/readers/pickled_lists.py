"""Read lists of whole numbers from a pickled NumPy object array without unpickling anything.

A pickle is a program for a small stack machine. Two of its instructions (REDUCE and BUILD) call what the file names, so
unpickling a file runs its code. The machine below has the same stack but never calls anything. A call stays on the
stack as a note of what would be called (`Call`). At the end, the stack must hold exactly the note that NumPy writes for
an object array, and the lists are taken from it. A file is refused if it contains a name or an instruction that NumPy
does not use for such arrays. Instructions: the comments of Python's pickletools module.
"""

from __future__ import annotations

import pickletools
import struct
from array import array
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class PickleRefused(ValueError):
    """The pickle is truncated, or holds something other than lists of whole numbers."""


class Name(NamedTuple):
    """A name that the pickle mentions."""

    module: str
    name: str


class Call:
    """A note of a call that the pickle requests, and of the state for its result."""

    def __init__(self, function: Name, arguments: tuple[Any, ...]) -> None:
        """`function` would be called with `arguments`. The instruction BUILD sets `state`; until then it is None."""
        self.function = function
        self.arguments = arguments
        self.state: Any = None


RECONSTRUCT = {Name("numpy.core.multiarray", "_reconstruct"), Name("numpy._core.multiarray", "_reconstruct")}
NDARRAY = Name("numpy", "ndarray")
DTYPE = Name("numpy", "dtype")
ENCODE = Name("_codecs", "encode")
"""The function in pickles that stands for the byte string b"b", in a form that Python 2 can read."""

ALLOWED = RECONSTRUCT | {NDARRAY, DTYPE, ENCODE}


def lists_of_numbers(pickle: bytes) -> list[NDArray[np.int64]]:
    """Return the elements of the one-dimensional object array in `pickle`, each a list of whole numbers.

    Raises PickleRefused for anything else.
    """
    try:
        call = Machine(pickle).run()
        if not isinstance(call, Call) or call.function not in RECONSTRUCT or call.arguments[0] != NDARRAY:
            raise PickleRefused("it holds no NumPy array")
        _version, (length,), dtype, _fortran, elements = call.state
        if dtype.function != DTYPE or dtype.arguments[0] not in ("O8", "O4") or len(elements) != length:
            raise PickleRefused("it holds no array of lists")
        return [_numbers(element) for element in elements]
    except (IndexError, KeyError, TypeError, ValueError, AttributeError, OverflowError, struct.error) as error:
        if isinstance(error, PickleRefused):
            raise
        raise PickleRefused(f"it is cut off or malformed ({error})") from error


def _numbers(element: object) -> NDArray[np.int64]:
    """Return one list as an array. Anything but a list of whole numbers is refused, by `array` or here."""
    if not isinstance(element, list):
        raise PickleRefused("an element of the array is not a list")
    return np.frombuffer(array("q", element), np.int64)


class Machine:
    """The stack machine of pickles, without the ability to call."""

    def __init__(self, pickle: bytes) -> None:
        """Begin at the first byte of `pickle` with an empty stack; `run` executes the instructions."""
        self.pickle = pickle
        self.at = 0
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def run(self) -> object:
        """Execute the instructions to the end, and return the final top of the stack."""
        while True:
            self.integers()
            code = chr(self.pickle[self.at])
            self.at += 1
            if code == ".":
                return self.stack.pop()
            act = INSTRUCTIONS.get(code)
            if act is None:
                names = {opcode.code: opcode.name for opcode in pickletools.opcodes}
                raise PickleRefused(f"it uses {names.get(code, repr(code))}, which no list of numbers needs")
            act(self)

    def integers(self) -> None:
        """Push the numbers that come next: BININT1, BININT2 and BININT are nearly all of the file."""
        pickle, at, found = self.pickle, self.at, []
        while True:
            code = pickle[at]
            if code == 75:
                found.append(pickle[at + 1])
                at += 2
            elif code == 77:
                found.append(pickle[at + 1] | pickle[at + 2] << 8)
                at += 3
            elif code == 74:
                found.append(int.from_bytes(pickle[at + 1 : at + 5], "little", signed=True))
                at += 5
            else:
                break
        self.at = at
        self.stack.extend(found)

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        piece = self.pickle[self.at : self.at + count]
        if len(piece) < count:
            raise PickleRefused("it is cut off")
        self.at += count
        return piece

    def number(self, size: int) -> int:
        """Return the next `size` bytes as an unsigned number."""
        return int.from_bytes(self.take(size), "little")

    def line(self) -> str:
        """Return the text up to the end of the line."""
        end = self.pickle.index(b"\n", self.at)
        return self.take(end + 1 - self.at)[:-1].decode("ascii")

    def push(self, thing: object) -> None:
        """Push `thing` on the stack."""
        self.stack.append(thing)

    def pop_to_mark(self) -> list[Any]:
        """Pop everything above the last mark."""
        mark = self.marks.pop()
        things = self.stack[mark:]
        del self.stack[mark:]
        return things

    def pop(self, count: int) -> tuple[Any, ...]:
        """Pop the topmost `count` things."""
        if count > len(self.stack):
            raise PickleRefused("it takes more from its stack than is there")
        things = tuple(self.stack[-count:])
        del self.stack[-count:]
        return things

    def name(self, module: str, name: str) -> None:
        """Push a name. Refuse the file if NumPy would not have written it."""
        found = Name(module, name)
        if found not in ALLOWED:
            raise PickleRefused(f"it wants to use {module}.{name}, which no list of numbers needs")
        self.push(found)

    def note_call(self) -> None:
        """Push a note of the call that REDUCE requests. Byte strings of Python 3 are built here, without a call."""
        function, arguments = self.pop(2)
        if function == ENCODE:
            self.push(arguments[0].encode("latin1"))
        else:
            self.push(Call(function, arguments))

    def note_state(self) -> None:
        """Write the state into the note below it, which stays on the stack."""
        (state,) = self.pop(1)
        if not isinstance(self.stack[-1], Call):
            raise PickleRefused("it gives a state to something that has none")
        self.stack[-1].state = state

    def grow(self, things: list[Any]) -> None:
        """Append `things` to the list on top of the stack."""
        if not isinstance(self.stack[-1], list):
            raise PickleRefused("it appends to something that is not a list")
        self.stack[-1].extend(things)


INSTRUCTIONS: dict[str, Callable[[Machine], object]] = {
    "\x80": lambda m: m.take(1),  # PROTO
    "\x95": lambda m: m.take(8),  # FRAME
    "(": lambda m: m.marks.append(len(m.stack)),  # MARK
    "]": lambda m: m.push([]),  # EMPTY_LIST
    ")": lambda m: m.push(()),  # EMPTY_TUPLE
    "t": lambda m: m.push(tuple(m.pop_to_mark())),  # TUPLE
    "\x85": lambda m: m.push(m.pop(1)),  # TUPLE1
    "\x86": lambda m: m.push(m.pop(2)),  # TUPLE2
    "\x87": lambda m: m.push(m.pop(3)),  # TUPLE3
    "a": lambda m: m.grow(list(m.pop(1))),  # APPEND
    "e": lambda m: m.grow(m.pop_to_mark()),  # APPENDS
    "N": lambda m: m.push(None),  # NONE
    "\x88": lambda m: m.push(True),  # NEWTRUE
    "\x89": lambda m: m.push(False),  # NEWFALSE
    "U": lambda m: m.push(m.take(m.number(1)).decode("latin1")),  # SHORT_BINSTRING
    "T": lambda m: m.push(m.take(m.number(4)).decode("latin1")),  # BINSTRING
    "\x8c": lambda m: m.push(m.take(m.number(1)).decode()),  # SHORT_BINUNICODE
    "X": lambda m: m.push(m.take(m.number(4)).decode()),  # BINUNICODE
    "C": lambda m: m.push(m.take(m.number(1))),  # SHORT_BINBYTES
    "B": lambda m: m.push(m.take(m.number(4))),  # BINBYTES
    "q": lambda m: m.memo.__setitem__(m.number(1), m.stack[-1]),  # BINPUT
    "r": lambda m: m.memo.__setitem__(m.number(4), m.stack[-1]),  # LONG_BINPUT
    "\x94": lambda m: m.memo.__setitem__(len(m.memo), m.stack[-1]),  # MEMOIZE
    "h": lambda m: m.push(m.memo[m.number(1)]),  # BINGET
    "j": lambda m: m.push(m.memo[m.number(4)]),  # LONG_BINGET
    "c": lambda m: m.name(m.line(), m.line()),  # GLOBAL
    "\x93": lambda m: m.name(*m.pop(2)),  # STACK_GLOBAL
    "R": lambda m: m.note_call(),  # REDUCE
    "b": lambda m: m.note_state(),  # BUILD
}
