"""A clear error where a metric of scikit-learn is given candidate sets."""

import sys

from disambig.exceptions import CandidateError

# Modules with metrics; scorers, in `_scorer`, only call them.
_METRICS = ("sklearn.metrics._classification", "sklearn.metrics._ranking")
_REGRESSION_METRICS = "sklearn.metrics._regression"
# Frames between a metric and the conversion of its argument to an array.
_MAX_DEPTH = 12


def refuse_metrics(owner: str, scorers: str) -> None:
    """Raise if a metric of scikit-learn is about to read the sets as plain targets.

    A mask of candidates looks like multilabel targets: some metrics then raise an error that does
    not help (``scoring="accuracy"``), others return a number that means nothing
    (``scoring="neg_log_loss"``).

    Parameters
    ----------
    owner : str
        The candidates, named in the error.
    scorers : str
        What to use instead.
    """
    frame = sys._getframe(2)
    for _ in range(_MAX_DEPTH):
        module = frame.f_globals.get("__name__", "")
        if module in _METRICS or module == _REGRESSION_METRICS:
            raise CandidateError(
                f"{owner}: the metrics of scikit-learn compare predictions with one target a row "
                f"and cannot read candidate sets. Use scoring={scorers}, of disambig.metrics, or "
                "no scoring at all: score() of the estimator reads sets."
            )
        if frame.f_back is None:
            return
        frame = frame.f_back
