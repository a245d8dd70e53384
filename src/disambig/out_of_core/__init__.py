"""Estimators of rows that do not fit in memory: inputs and graphs in files, on one machine."""

from disambig.out_of_core.estimator import OutOfCoreEstimator

__all__ = ["OutOfCoreEstimator"]
