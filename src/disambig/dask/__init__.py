"""Rows on the workers of a Dask cluster: the same votes, steps and labels as in memory."""

from disambig.dask.cluster import local_client
from disambig.dask.label_classifier import DaskLabelClassifier

__all__ = ["DaskLabelClassifier", "local_client"]
