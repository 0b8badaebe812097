"""The formats of a report: terminal output, pages and files."""
