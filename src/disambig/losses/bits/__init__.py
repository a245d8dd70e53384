"""Losses on bits: vectors of tags, each yes or no."""
