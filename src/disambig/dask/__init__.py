"""Rows on the workers of a Dask cluster: the same estimators, votes and steps as in memory."""

from disambig.dask.cluster import local_client
from disambig.dask.estimator import DaskEstimator, dask_rows

__all__ = ["DaskEstimator", "dask_rows", "local_client"]
