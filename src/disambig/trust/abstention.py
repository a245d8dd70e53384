"""A threshold on the confidence that keeps the share of wrong labels above it below a risk.

With probability ``1 - delta`` over the draw of the answers, at most a share `risk` of the rows with
a confidence of at least the threshold is wrong. Thresholds are tested from the highest to the
lowest, each by an exact binomial test at level delta, and the first that fails ends the search
("Learn then Test": Angelopoulos, Bates, Candes, Jordan and Lei, 2021). No correction for several
tests is needed, because a threshold above the risk is certified only if the first such threshold in
the sequence is, which happens with probability delta at most. For that the sequence must be fixed
without the outcomes: `threshold_grid` takes quantiles of the confidences of all rows.
"""

from math import ceil, log, log1p
from typing import Any, NamedTuple

import numpy as np
from scipy.special import bdtr

from disambig.metrics.confidence import checked_confidence, checked_outcomes
from disambig.notation import FloatArray
from disambig.parameters import check_integer, check_number

N_STEPS = 20


class CertifiedThreshold(NamedTuple):
    """What is promised about the rows with a confidence of at least a threshold.

    Attributes
    ----------
    threshold : float or None
        None if no threshold could be certified.
    n_answers, errors : int
        The answers at or above the threshold, and how many of them are wrong; if there is none,
        those of the first threshold, which failed.
    promise : str
        The same in words.
    """

    threshold: float | None
    n_answers: int
    errors: int
    promise: str


def least_answers(risk: float, delta: float) -> int:
    """The smallest n with ``(1 - risk)^n <= delta``: fewer answers promise nothing.

    Examples
    --------
    >>> least_answers(0.05, 0.1), least_answers(0.1, 0.1)
    (45, 22)
    """
    check_number("least_answers", "risk", risk, positive=True, below=1)
    check_number("least_answers", "delta", delta, positive=True, below=1)
    n = max(ceil(log(delta) / log1p(-risk)), 1)
    # The quotient may be off by rounding.
    while n > 1 and bdtr(0, n - 1, risk) <= delta:
        n -= 1
    while bdtr(0, n, risk) > delta:
        n += 1
    return n


def threshold_grid(
    confidence: Any, n_answers: int, risk: float, delta: float, n_steps: int = N_STEPS
) -> FloatArray:
    """Thresholds to test, decreasing: quantiles of the confidences of all rows.

    The first threshold accepts few rows and the last accepts all. Above the first, half of the
    answers are to be expected, at most four times `least_answers`, and in any case so many that
    with two standard deviations fewer a promise is still possible. With fewer a single wrong answer
    would end the search at its beginning.

    Parameters
    ----------
    confidence : array-like (n,)
        Of all rows, answered or not. Their outcomes play no part.
    n_answers : int
        How many answers there will be.
    risk, delta : float
        See `certified_threshold`.
    n_steps : int, default 20
        At most so many thresholds; equal ones are dropped.

    Examples
    --------
    >>> import numpy as np
    >>> threshold_grid(np.linspace(0, 1, 101), 100, 0.1, 0.1, n_steps=3).round(2).tolist()
    [0.5, 0.25, 0.0]
    """
    owner = "threshold_grid"
    check_integer(owner, "n_steps", n_steps, least=1)
    check_integer(owner, "n_answers", n_answers, least=1)
    values = checked_confidence(owner, confidence)
    first = _first_answers(n_answers, least_answers(risk, delta)) / n_answers
    # A single threshold accepts all rows.
    accepted = np.linspace(1.0, first, n_steps)
    found = np.quantile(values, 1 - accepted, method="lower")
    return np.asarray(np.unique(found)[::-1])


def _first_answers(n: int, least: int) -> float:
    """How many of n answers to expect above the first threshold."""
    expected = np.arange(1, n + 1)
    safe = expected - 2 * np.sqrt(expected * (1 - expected / n)) >= least
    fewest = int(expected[np.argmax(safe)]) if safe.any() else n
    return max(fewest, min(n / 2, 4.0 * least))


def certified_threshold(
    confidence: Any, is_right: Any, risk: float = 0.05, delta: float = 0.1, grid: Any = None
) -> CertifiedThreshold:
    """The lowest threshold of the grid down to which every threshold passes its test.

    The p-value of a threshold with k answers above it, e of them wrong, is ``P(Bin(k, risk) <=
    e)``; it passes at `delta` or below.

    Parameters
    ----------
    confidence : array-like (m,)
        Of the answered rows. Answers must be drawn at random, all with the same probability.
    is_right : array-like (m,) of bool
    risk : float, default 0.05
        The largest share of wrong labels among what is accepted.
    delta : float, default 0.1
        The probability with which the promise may fail.
    grid : array-like (t,), optional
        Thresholds, decreasing, from `threshold_grid` on the confidences of all rows. Any grid is
        valid that was fixed without the answers. None: from the confidences of the answered rows;
        the proof does not cover this, a simulation among the tests does.

    Returns
    -------
    CertifiedThreshold

    Raises
    ------
    ValueError
        If there are fewer answers than any promise needs.

    Examples
    --------
    >>> import numpy as np
    >>> confidence = np.linspace(0.5, 1, 400)
    >>> found = certified_threshold(confidence, (confidence > 0.7) | (np.arange(400) % 2 == 0))
    >>> round(found.threshold, 2), found.n_answers, found.errors
    (0.69, 250, 5)
    >>> print(found.promise)
    With probability 0.9, at most 5% of the labels with a confidence of at least 0.688 are wrong
    (5 of 250 answers were).
    """
    owner = "accept"
    values = checked_confidence(owner, confidence)
    right = checked_outcomes(owner, is_right, len(values))
    least = least_answers(risk, delta)
    if len(values) < least:
        raise ValueError(
            f"{owner}: {len(values)} answers cannot promise a risk of {risk:g} with probability "
            f"{1 - delta:g}: even if all are right, {least} are needed. Give at least {least} "
            "answers (more, as some will be wrong), or allow a larger risk or delta."
        )
    if grid is None:
        thresholds = threshold_grid(values, len(values), risk, delta)
    else:
        thresholds = checked_confidence(f"{owner}: grid", grid)
        if not thresholds.size or (np.diff(thresholds) >= 0).any():
            raise ValueError(
                f"{owner}: grid must hold decreasing thresholds, at least one; got {grid!r}."
            )
    ascending = np.argsort(values)
    start = np.searchsorted(values[ascending], thresholds, side="left")
    wrong_above = np.append(np.cumsum(~right[ascending][::-1])[::-1], 0)
    k, errors = len(values) - start, wrong_above[start]
    passed = bdtr(errors, k, risk) <= delta
    n_passed = int(np.argmin(passed)) if not passed.all() else len(passed)
    last = max(n_passed - 1, 0)
    threshold = float(thresholds[last]) if n_passed else None
    promise = _promise(threshold, int(k[last]), int(errors[last]), risk, delta)
    return CertifiedThreshold(threshold, int(k[last]), int(errors[last]), promise)


def _promise(threshold: float | None, k: int, errors: int, risk: float, delta: float) -> str:
    if threshold is None:
        return (
            f"No threshold promises a risk of {risk:g} with probability {1 - delta:g}: {errors} of "
            f"the {k} most confident answers are wrong. More answers, or a larger risk, may help."
        )
    return (
        f"With probability {1 - delta:g}, at most {100 * risk:g}% of the labels with a confidence "
        f"of at least {threshold:.3g} are wrong ({errors} of {k} answers were)."
    )
