"""Interval regression beside other methods: the methods, how they choose, what is kept of a run."""
