"""Compiled functions on orders of items; those of the prefix lattice are one folder above."""
