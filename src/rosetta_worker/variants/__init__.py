"""Adapters of references that can replace a formula by another form, which a contender may compute by mistake."""
