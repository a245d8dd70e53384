"""Judgements of labels by rows from which their sets were hidden."""
