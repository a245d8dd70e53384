"""Inputs that are larger than memory: rows in files, read in chunks, and sizes of memory."""
