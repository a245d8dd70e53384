"""Losses on orders of items."""
