"""Inputs in parts that are never joined, and the votes of each weighting for them."""
