"""Solvers of many small problems at once, for the figures and the benchmarks."""
