"""Losses between class labels."""
