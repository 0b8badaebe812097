"""The environments of frameworks: interpreters with locked sets of packages."""
