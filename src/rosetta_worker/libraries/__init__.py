"""Libraries whose own estimators are trained as shipped, one file each; nothing of them is ever ranked as equal work.

A file holds the literal DESCRIPTION, which the laboratory reads without running it, and the class ``Library``.
"""
