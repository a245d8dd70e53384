"""Recalibration: a monotone map from confidences to the share of them that answers show as right.

Three maps, by the number of answers: ``"identity"`` below 10; ``"platt"`` (Platt, 1999), ``p =
sigmoid(a + b logit(c))``, below 200; and ``"isotonic"``, a monotone step function that is shrunk
towards Platt's map, from 200 on. The limits and the prior were chosen on made-up confidences
(``python -m benchmarks.recalibration``): mean and worst ``E |map(c) - P(right | c)|`` of 14 cases,

========  ============  ============  ============  ============  ============
answers   identity      Platt, with   Platt, with   isotonic      isotonic,
                        his targets   a prior                     shrunk
========  ============  ============  ============  ============  ============
5         .115 / .200   .177 / .223   .100 / .135   .205 / .251   .130 / .175
10        .115 / .200   .137 / .163   .096 / .141   .171 / .236   .105 / .155
25        .115 / .200   .084 / .134   .066 / .121   .115 / .143   .072 / .104
50        .115 / .200   .068 / .126   .060 / .118   .095 / .115   .064 / .093
100       .115 / .200   .057 / .121   .052 / .116   .073 / .089   .054 / .078
200       .115 / .200   .047 / .115   .045 / .113   .056 / .066   .044 / .062
400       .115 / .200   .038 / .111   .038 / .111   .041 / .051   .034 / .047
1000      .115 / .200   .034 / .109   .033 / .109   .030 / .038   .027 / .034
========  ============  ============  ============  ============  ============

The prior on ``(a, b)``, normal around (0, 1), is better than Platt's smoothed targets with few
answers, because it knows the map that changes nothing. Below 10 answers confidences stay as they
are: the gain is small, and calibrated ones would lose. From 200 on shrunk steps are as good on
average and far better in the worst case, a step that Platt's map cannot follow. The cases are also
those on which the spread of the prior (of 0.5 to 2) and `PRIOR_ANSWERS` (of 5 and 20) were chosen.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.isotonic import isotonic_regression

from disambig.metrics.confidence import checked_confidence, checked_shares
from disambig.notation import FloatArray
from disambig.parameters import check_choice

Method = Literal["identity", "platt", "isotonic"]

METHODS = ("identity", "platt", "isotonic")
LEAST_FOR_PLATT = 10
LEAST_FOR_ISOTONIC = 200
# Standard deviations of the prior around intercept 0 and slope 1.
INTERCEPT_SPREAD, SLOPE_SPREAD = 1.0, 0.5
# Every step of the isotonic map has so many answers from Platt's map beside its own.
PRIOR_ANSWERS = 20.0
# Logits are taken of confidences this far from 0 and 1: a confidence of exactly 1 would otherwise
# decide the slope alone.
_CLOSEST_TO_CERTAIN = 1e-3
# No map returns exactly 0 or 1.
_SMALLEST = 1e-6


@dataclass(frozen=True, eq=False)
class Recalibration:
    """A monotone map from confidences to calibrated confidences; call it with an array.

    Attributes
    ----------
    method : {"identity", "platt", "isotonic"}
    n_answers : int
        How many answers it was fitted on.
    intercept, slope : float
        Of Platt's map; the identity has 0 and 1. The slope is not negative.
    knots, values : float array (t,), or None
        Of the isotonic map, which is linear between knots and constant beyond them.
    """

    method: Method
    n_answers: int
    intercept: float = 0.0
    slope: float = 1.0
    knots: FloatArray | None = None
    values: FloatArray | None = None

    def __call__(self, confidence: Any) -> FloatArray:
        """Calibrated confidences, ``(n,)``, in ``(0, 1)`` unless the map is the identity."""
        given = checked_confidence("recalibration", confidence)
        if self.method == "identity":
            return given
        if self.knots is not None and self.values is not None:
            found: FloatArray = np.interp(given, self.knots, self.values)
        else:
            found = _platt_values(given, self.intercept, self.slope)
        return np.asarray(np.clip(found, _SMALLEST, 1 - _SMALLEST))

    def to_dict(self) -> dict[str, Any]:
        """The map as plain data, for JSON."""
        fields: dict[str, Any] = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }
        return fields

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "Recalibration":
        """The map of such plain data."""
        arrays = {
            name: None if fields[name] is None else np.array(fields[name], dtype=np.float64)
            for name in ("knots", "values")
        }
        return cls(**{**fields, **arrays})


def fit_recalibration(
    confidence: Any,
    is_right: Any,
    weights: Any = None,
    method: Literal["auto", "identity", "platt", "isotonic"] = "auto",
) -> Recalibration:
    """Fit the map from confidence to the probability of being right, on answered rows.

    Parameters
    ----------
    confidence : array-like (m,)
        Confidences of the answered rows.
    is_right : array-like (m,) of bool, or of float from 0 to 1
        Whether the recovered label equals the answer, or the share of it that does: of the pairs of
        an order, or of bits.
    weights : array-like (m,), optional
        The inverse of the probability with which each row was drawn. Unequal weights say less than
        as many equal ones: they count as ``(sum w)^2 / sum w^2`` answers.
    method : {"auto", "identity", "platt", "isotonic"}, default "auto"
        "auto" chooses by the number of answers; see the top of this module.

    Returns
    -------
    Recalibration

    Examples
    --------
    >>> import numpy as np
    >>> confidence = np.full(60, 0.9)
    >>> recalibrate = fit_recalibration(confidence, np.arange(60) % 3 > 0)
    >>> recalibrate.method, recalibrate.n_answers
    ('platt', 60)
    >>> recalibrate([0.5, 0.9]).round(2).tolist()
    [0.34, 0.68]
    """
    owner = "fit_recalibration"
    check_choice(owner, "method", method, ("auto", *METHODS))
    given = checked_confidence(owner, confidence)
    right = checked_shares(owner, is_right, len(given))
    counts = _counts(owner, weights, len(given))
    if method == "auto":
        # Rounding first: m equal weights must count as m answers.
        method = _chosen(round(float(counts.sum()), 6))
    if method == "identity":
        return Recalibration("identity", len(given))
    intercept, slope = _fit_platt(given, right, counts)
    if method == "platt":
        return Recalibration("platt", len(given), intercept, slope)
    knots, values = _fit_isotonic(given, right, counts, intercept, slope)
    return Recalibration("isotonic", len(given), intercept, slope, knots, values)


def _chosen(n_answers: float) -> Method:
    if n_answers < LEAST_FOR_PLATT:
        return "identity"
    return "platt" if n_answers < LEAST_FOR_ISOTONIC else "isotonic"


def _counts(owner: str, weights: Any, m: int) -> FloatArray:
    """Weights that sum to the number of answers that they are worth."""
    if weights is None:
        return np.ones(m)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (m,) or not (np.isfinite(given) & (given > 0)).all():
        raise ValueError(
            f"{owner}: weights must hold one positive finite number for each of the {m} answers; "
            f"got {weights!r}."
        )
    # Squares of extreme weights would overflow.
    scaled = given / given.max(initial=0.0) if m else given
    return np.asarray(scaled * (scaled.sum() / (scaled @ scaled))) if m else scaled


def _logits(confidence: FloatArray) -> FloatArray:
    return np.asarray(logit(np.clip(confidence, _CLOSEST_TO_CERTAIN, 1 - _CLOSEST_TO_CERTAIN)))


def _platt_values(confidence: FloatArray, intercept: float, slope: float) -> FloatArray:
    return np.asarray(expit(intercept + slope * _logits(confidence)))


def _fit_platt(
    confidence: FloatArray, right: FloatArray, counts: FloatArray
) -> tuple[float, float]:
    """The most probable intercept and slope, ``slope >= 0``, under the prior."""
    z = _logits(confidence)

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        a, b = parameters
        u = a + b * z
        excess = counts * (expit(u) - right)
        prior = np.array([a / INTERCEPT_SPREAD**2, (b - 1) / SLOPE_SPREAD**2])
        value = counts @ (np.logaddexp(0, u) - right * u) + prior @ [a, b - 1] / 2
        return float(value), np.array([excess.sum(), excess @ z]) + prior

    found = minimize(
        loss,
        np.array([0.0, 1.0]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None), (0, None)],
        options={"ftol": 1e-14, "gtol": 1e-9},
    ).x
    return float(found[0]), float(found[1])


def _fit_isotonic(
    confidence: FloatArray, right: FloatArray, counts: FloatArray, intercept: float, slope: float
) -> tuple[FloatArray, FloatArray]:
    """Knots and values of the monotone step function, each step shrunk towards Platt's map."""
    knots, group = np.unique(confidence, return_inverse=True)
    weight = np.bincount(group, counts)
    shares = np.bincount(group, counts * right) / weight
    fitted = isotonic_regression(shares, sample_weight=weight)
    # Rows of one step share their value; steps differ by more than rounding.
    step = np.cumsum(np.concatenate([[0], np.diff(fitted) > 1e-12]))
    answers = np.bincount(step, weight)[step]
    platt = _platt_values(knots, intercept, slope)
    shrunk = (answers * fitted + PRIOR_ANSWERS * platt) / (answers + PRIOR_ANSWERS)
    # A short step moves further than a long one, so that their order can break: fitted again.
    return knots, np.asarray(isotonic_regression(shrunk, sample_weight=weight))
