"""Vectors of bits of which some are known: reading them, and the candidate sets."""
