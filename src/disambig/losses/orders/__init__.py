"""Losses between orders of items."""
