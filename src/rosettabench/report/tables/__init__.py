"""The tables: what stands in them, for whoever prints them."""
