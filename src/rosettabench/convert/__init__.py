"""Weights carried from one framework's implementation of a workload to another's, and the proof that they arrived."""
