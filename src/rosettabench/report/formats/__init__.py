"""The forms that a report has: a terminal, a page, a file."""
