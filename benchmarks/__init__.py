"""What is measured: accuracy beside time, on seeded workloads. `python -m benchmarks`."""
