"""Partial orders of items: reading them, and the candidate sets."""
