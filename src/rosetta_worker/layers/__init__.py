"""Corrected layers, for frameworks that compute a layer less exactly than others, or differently; one file each."""
