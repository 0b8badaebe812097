"""The charts, as Altair makes them."""
