"""Adapters of references that can change a formula: what another framework may compute."""
