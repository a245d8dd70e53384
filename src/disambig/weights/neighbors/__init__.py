"""Nearest-neighbour weights, exact and approximate."""
