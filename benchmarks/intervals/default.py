"""`IntervalRegressor()` without arguments, on inputs and targets in their own units.

It chooses by itself, on the training rows: kernels, bandwidths, ridges, neighbours, scales of the
features, a margin, linear functions, trees and boosting, and the shares of their mixture. Its
search was designed on other data: the censored sets of ``benchmarks/censored_data.py``, a sample of
its neuroblastoma data, columns predicted from others in wine and breast cancer (scikit-learn),
glass, vehicle, segment, svmguide2 and vowel (LIBSVM), bodyfat, emotions and lost, scikit-learn's
diabetes data and made-up functions, all with simulated intervals. It was fixed before it was run
here.
"""

import warnings

import numpy as np

from benchmarks.intervals.method import Method, Predict
from disambig import IntervalRegressor
from disambig.notation import FloatArray

__all__ = ["DEFAULT"]


def fit_default(X: FloatArray, lower: FloatArray, upper: FloatArray, *, seed: int) -> Predict:
    with warnings.catch_warnings():
        # It says so where it has too few rows to choose.
        warnings.filterwarnings("ignore", message="weights='auto'")
        predict: Predict = IntervalRegressor().fit(X, np.column_stack([lower, upper])).predict
    return predict


DEFAULT = Method("disambig, default", fit_default, is_raw=True)
