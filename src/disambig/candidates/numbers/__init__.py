"""Candidate sets of numbers: intervals, boxes and unions of intervals, and their parsers."""
