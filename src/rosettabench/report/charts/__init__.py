"""Charts, made with Altair."""
