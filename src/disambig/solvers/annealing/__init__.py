"""Deterministic annealing: the objective with an entropy and a falling temperature."""
