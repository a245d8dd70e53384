"""Losses between tag vectors."""
