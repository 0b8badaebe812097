"""The content of a run as data: numbers, findings and doubts. report/ makes tables and texts of them."""
