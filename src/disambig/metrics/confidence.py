"""Metrics of confidences against what is right: calibration, and the risk of what is accepted.

These need the truth: `is_right` says for each row whether its label is the true one. All of them
depend on the confidences and on `is_right` only, so they serve every kind of target.
"""

import reprlib
from typing import Any, Literal, NamedTuple

import numpy as np

from disambig.metrics.scorer import row_weights
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.parameters import check_choice, check_integer


class ReliabilityCurve(NamedTuple):
    """Confidences and what is right, by bins; one entry for each of the b bins with rows in them.

    Attributes
    ----------
    mean_confidence : float array (b,)
        Increasing.
    share_right : float array (b,)
        Equal to `mean_confidence` if the confidences are calibrated.
    weight : float array (b,)
        The sum of the sample weights in each bin; without weights, the number of rows.
    """

    mean_confidence: FloatArray
    share_right: FloatArray
    weight: FloatArray


class RiskCoverageCurve(NamedTuple):
    """What is accepted and how much of it is wrong, for every distinct confidence as threshold.

    Attributes
    ----------
    coverage : float array (t,)
        The share of rows with a confidence of at least the threshold; increasing, the last is 1.
    risk : float array (t,)
        The share of wrong ones among these.
    threshold : float array (t,)
        The distinct confidences, decreasing.
    """

    coverage: FloatArray
    risk: FloatArray
    threshold: FloatArray


def expected_calibration_error(
    confidence: Any, is_right: Any, *, n_bins: int = 10, sample_weight: Any = None
) -> float:
    """``sum_b w_b |mean confidence - share right| / sum_b w_b`` over bins of equal width.

    0 if the confidences are calibrated in every bin. Bins with few rows add a term that is due to
    chance: with n rows in a bin, about ``0.8 sqrt(p (1 - p) / n)`` for calibrated confidences.

    Parameters
    ----------
    confidence : array-like (n,)
        From 0 to 1: the probability that the label of the row is right.
    is_right : array-like (n,) of bool, or of 0 and 1
        Whether it is right.
    n_bins : int, default 10
        Bin b is ``[b / n_bins, (b + 1) / n_bins)``; the last one has both ends.
    sample_weight : array-like (n,), optional

    Returns
    -------
    float

    See Also
    --------
    reliability_curve : The terms of this sum.

    Examples
    --------
    >>> round(expected_calibration_error([0.9, 0.9, 0.6, 0.6], [1, 1, 1, 0]), 3)
    0.1
    """
    curve = _curve(
        "expected_calibration_error", confidence, is_right, n_bins, "uniform", sample_weight
    )
    gaps = np.abs(curve.mean_confidence - curve.share_right)
    return float(curve.weight @ gaps / curve.weight.sum())


def reliability_curve(
    confidence: Any,
    is_right: Any,
    *,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
    sample_weight: Any = None,
) -> ReliabilityCurve:
    """The mean confidence and the share of right labels in every bin that has rows.

    Parameters
    ----------
    confidence, is_right, sample_weight
        See `expected_calibration_error`.
    n_bins : int, default 10
        At most so many bins.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of equal width, or of about equal weight. Rows of equal confidence are always in one
        bin.

    Returns
    -------
    ReliabilityCurve
        Named tuple of ``mean_confidence``, ``share_right`` and ``weight``, arrays with one entry
        for each bin that has rows.

    Examples
    --------
    >>> curve = reliability_curve([0.9, 0.9, 0.6, 0.6, 0.6], [1, 1, 1, 0, 0])
    >>> curve.mean_confidence.round(2).tolist(), curve.share_right.round(2).tolist()
    ([0.6, 0.9], [0.33, 1.0])
    >>> curve.weight.tolist()
    [3.0, 2.0]
    """
    return _curve("reliability_curve", confidence, is_right, n_bins, strategy, sample_weight)


def risk_coverage_curve(
    confidence: Any, is_right: Any, *, sample_weight: Any = None
) -> RiskCoverageCurve:
    """The share of wrong labels among the rows whose confidence is at least a threshold.

    Every distinct confidence is a threshold, so that rows of equal confidence are accepted
    together and their order does not matter.

    Parameters
    ----------
    confidence, is_right, sample_weight
        See `expected_calibration_error`.

    Returns
    -------
    RiskCoverageCurve
        Named tuple of ``coverage``, ``risk`` and ``threshold``, from the highest threshold to the
        lowest. Its last entry accepts every row.

    Examples
    --------
    >>> curve = risk_coverage_curve([0.9, 0.5, 0.8, 0.5], [1, 0, 0, 1])
    >>> curve.threshold.tolist(), curve.coverage.tolist()
    ([0.9, 0.8, 0.5], [0.25, 0.5, 1.0])
    >>> curve.risk.tolist()
    [0.0, 0.5, 0.5]
    """
    values, right, weights = _checked("risk_coverage_curve", confidence, is_right, sample_weight)
    ascending, group = np.unique(values, return_inverse=True)
    accepted = np.cumsum(np.bincount(group, weights)[::-1])
    wrong = np.cumsum(np.bincount(group, weights * ~right)[::-1])
    # Two sums of the same terms may differ in the last digit; a share is at most one.
    risk = np.minimum(wrong / accepted, 1.0)
    return RiskCoverageCurve(accepted / accepted[-1], risk, ascending[::-1])


def _curve(
    metric: str, confidence: Any, is_right: Any, n_bins: int, strategy: str, sample_weight: Any
) -> ReliabilityCurve:
    """`reliability_curve`, with errors that name the metric."""
    check_integer(metric, "n_bins", n_bins, least=1)
    check_choice(metric, "strategy", strategy, ("uniform", "quantile"))
    values, right, weights = _checked(metric, confidence, is_right, sample_weight)
    bins = (_equal_widths if strategy == "uniform" else _equal_weights)(values, weights, n_bins)
    total: FloatArray = np.bincount(bins, weights, minlength=n_bins).astype(np.float64)
    used = total > 0
    confident = np.bincount(bins, weights * values, minlength=n_bins)[used]
    right_weight = np.bincount(bins, weights * right, minlength=n_bins)[used]
    return ReliabilityCurve(confident / total[used], right_weight / total[used], total[used])


def _equal_widths(values: FloatArray, weights: FloatArray, n_bins: int) -> IntArray:
    """The bin of each row, ``(n,)``: bin b begins at ``b / n_bins``."""
    # Rounding first: 0.29 * 100 is 28.999999999999996, but 0.29 begins a bin.
    bins = np.floor(np.round(values * n_bins, 9)).astype(np.intp)
    return np.asarray(np.minimum(bins, n_bins - 1))


def _equal_weights(values: FloatArray, weights: FloatArray, n_bins: int) -> IntArray:
    """The bin of each row, ``(n,)``: by the middle of its confidence's share of the weight."""
    distinct, group = np.unique(values, return_inverse=True)
    own = np.bincount(group, weights, minlength=len(distinct))
    middle = (np.cumsum(own) - own / 2) / own.sum()
    return np.asarray(np.minimum((middle * n_bins).astype(np.intp), n_bins - 1)[group])


def _checked(
    metric: str, confidence: Any, is_right: Any, sample_weight: Any
) -> tuple[FloatArray, BoolArray, FloatArray]:
    """Confidences, what is right and weights of the rows of positive weight."""
    values = checked_confidence(metric, confidence)
    right = checked_outcomes(metric, is_right, len(values))
    weights = row_weights(sample_weight, len(values))
    counted = weights > 0
    if not counted.any():
        raise ValueError(
            f"{metric}: {len(values)} rows with a positive weight in none; at least one is needed."
        )
    return values[counted], right[counted], weights[counted]


def checked_confidence(owner: str, confidence: Any, what: str = "confidence") -> FloatArray:
    """Confidences as a float array ``(n,)``; raises unless they are numbers from 0 to 1.

    Examples
    --------
    >>> checked_confidence("expected_calibration_error", [0.5, 1]).tolist()
    [0.5, 1.0]
    """
    try:
        values = np.asarray(confidence, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{owner}: {what} must hold one number from 0 to 1 for each row; got "
            f"{reprlib.repr(confidence)}."
        ) from None
    if values.ndim != 1:
        raise ValueError(
            f"{owner}: {what} must have one dimension, one number for each row; got shape "
            f"{values.shape}."
        )
    # NaN fails every comparison.
    invalid = ~((values >= 0) & (values <= 1))
    if invalid.any():
        row = int(np.argmax(invalid))
        advice = f"Leave rows without a {what} out." if np.isnan(values[row]) else ""
        raise ValueError(
            f"{owner}: {what} must be a number from 0 to 1; got {values[row]} in row {row} "
            f"({int(invalid.sum())} such rows). {advice}".rstrip()
        )
    return values


def checked_outcomes(owner: str, is_right: Any, n: int) -> BoolArray:
    """What is right as a bool array ``(n,)``; raises unless it holds True and False, or 1 and 0.

    Examples
    --------
    >>> checked_outcomes("expected_calibration_error", [1, 0], 2).tolist()
    [True, False]
    """
    given: AnyArray = np.asarray(is_right)
    if given.shape != (n,):
        raise ValueError(
            f"{owner}: confidence has {n} rows and is_right has shape {given.shape}; expected one "
            "entry for each row."
        )
    if given.dtype == np.bool_:
        return given
    if given.dtype.kind in "iuf":
        invalid = (given != 0) & (given != 1)
    else:
        invalid = np.array([value not in (0, 1) for value in given.tolist()], dtype=np.bool_)
    if invalid.any():
        row = int(np.argmax(invalid))
        raise ValueError(
            f"{owner}: is_right must hold True and False, or 1 and 0; got {given[row]!r} in row "
            f"{row}. Compare labels first, as in labels == truth."
        )
    return np.asarray(given == 1)


def checked_shares(owner: str, is_right: Any, n: int) -> FloatArray:
    """How far each label is right, ``(n,)``; raises unless it holds numbers from 0 to 1.

    True and False, or 1 and 0, are labels that are right and wrong; a share is that of the pairs of
    an order or of the bits that are right.

    Examples
    --------
    >>> checked_shares("fit_recalibration", [True, False], 2).tolist()
    [1.0, 0.0]
    """
    try:
        given = np.asarray(is_right, dtype=np.float64)
    except (TypeError, ValueError):
        # The same error in words, with the first entry that is no number.
        return checked_outcomes(owner, is_right, n).astype(np.float64)
    if given.shape != (n,):
        return checked_outcomes(owner, is_right, n).astype(np.float64)
    invalid = ~((given >= 0) & (given <= 1))
    if invalid.any():
        row = int(np.argmax(invalid))
        raise ValueError(
            f"{owner}: is_right must hold True and False, or 1 and 0, or shares from 0 to 1; got "
            f"{given[row]} in row {row}. Compare labels first, as in labels == truth."
        )
    return given
