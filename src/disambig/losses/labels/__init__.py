"""Losses on labels."""
