"""Solvers for real targets: convex programs with a certificate, alternation, unions."""
