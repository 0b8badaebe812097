"""Rows of sample ids for a loader."""

import threading

ENDLESS = 2**62
"""More rows than anybody will ever request."""


class Rows(object):
    """The rows that a loader was asked for: iterated in order, or accessed by number, counted from the first one ever.

    Some loaders start again for every block and iterate over its rows. For others, starting is expensive: they run for
    ever and request row after row by number. A request for a row that does not exist yet waits, without using the
    processor.
    """

    def __init__(self):
        self.first = 0
        self.asked = []
        self.closed = False
        self.change = threading.Condition()

    def ask(self, rows):
        """Pass `rows` to the loader. The batches of all earlier rows have been taken."""
        with self.change:
            self.first += len(self.asked)
            self.asked = list(rows)
            self.change.notify_all()

    def close(self):
        """Release everything that waits for a row."""
        with self.change:
            self.closed = True
            self.change.notify_all()

    def __iter__(self):
        return iter(self.asked)

    def __len__(self):
        return len(self.asked)

    def __getitem__(self, number):
        with self.change:
            self.change.wait_for(lambda: self.closed or number < self.first + len(self.asked))
            if self.closed or number < self.first:
                raise IndexError("row %d is none of those that the loader is asked for" % number)
            return self.asked[number - self.first]
