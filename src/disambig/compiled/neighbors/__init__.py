"""Searches of nearest rows."""
