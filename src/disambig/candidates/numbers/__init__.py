"""Intervals and unions of intervals: reading them, and the sets themselves."""
