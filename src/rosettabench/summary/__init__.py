"""What a run says, as data: figures, findings and the sentences that state them; no table, no chart, no page."""
