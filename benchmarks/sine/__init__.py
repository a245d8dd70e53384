"""What the benchmarks on the paper's regression problem, a sine wave seen in intervals, share."""
