"""Rows to classes with bounds on class counts in bags: exact, and in expectation."""
