"""Comparison of methods for candidate sets of labels: ``python -m benchmarks.accuracy``."""
