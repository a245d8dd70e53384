"""Weights from the Laplacian of a graph over the samples."""
