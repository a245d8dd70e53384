"""Partial orders of items: reading them, and the orders themselves."""
