"""Measurements of accuracy and time on seeded problems; run them by `python -m benchmarks`."""
