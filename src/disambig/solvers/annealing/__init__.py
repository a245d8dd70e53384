"""Deterministic annealing: an objective with entropies, at falling temperatures."""
