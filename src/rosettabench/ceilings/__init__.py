"""Ceilings: the measured highest rates of a machine."""
