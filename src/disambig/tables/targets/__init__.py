"""Columns to candidate sets: which kind of target they hold, and how it is written."""
