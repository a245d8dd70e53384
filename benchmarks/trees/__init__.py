"""Comparison of two source trees: their results and their layout."""
