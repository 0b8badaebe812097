"""Rows of sample ids on their way to a loader."""

import threading

ENDLESS = 2**62
"""More rows than anybody will ever ask for."""


class Rows(object):
    """The rows that a loader was asked for: one after the other, or by number, counted from the first one ever.

    Some loaders begin anew for every block and iterate over its rows. Others, for whom that would be dear, run on for
    ever: they ask for row after row by number, and whoever comes before its row has been asked for waits, without
    using the processor.
    """

    def __init__(self):
        self.first = 0
        self.asked = []
        self.closed = False
        self.change = threading.Condition()

    def ask(self, rows):
        """Let the loader have `rows`; the batches of all those before have been taken."""
        with self.change:
            self.first += len(self.asked)
            self.asked = list(rows)
            self.change.notify_all()

    def close(self):
        """Let everybody go who waits for a row."""
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
