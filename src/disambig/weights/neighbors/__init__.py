"""Weights of nearest neighbours, exact and approximate."""
