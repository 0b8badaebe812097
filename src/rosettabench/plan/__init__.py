"""A request becomes contests and trials."""
