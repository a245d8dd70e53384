"""Losses between numbers."""
