"""What a run says, as data: numbers, findings and doubts. No table, no text: report/ makes these."""
