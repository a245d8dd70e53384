"""Votes in files: blocks of rows in a folder, and their transpose."""
