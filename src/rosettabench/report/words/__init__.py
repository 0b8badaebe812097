"""The sentences of a report, made from the data of summary/."""
