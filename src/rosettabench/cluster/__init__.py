"""A sweep on several machines: Ray carries contests to nodes, and their rows back into the user's store."""
