"""Libraries whose own estimators are trained as shipped, one file each. They are never ranked, as work is not equal."""
