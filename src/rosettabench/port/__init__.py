"""New folders for the user's own model: the model is described, and the files of its ports are written."""
