"""A threshold on the confidence that keeps the share of wrong labels above it below a risk.

With probability ``1 - delta`` over the draw of the answers, at most a share `risk` of the rows with
a confidence of at least the threshold is wrong. Thresholds are tested from the highest to the
lowest, each by an exact binomial test at level delta, and the first that fails ends the search
("Learn then Test": Angelopoulos, Bates, Candes, Jordan and Lei, 2021). No correction for several
tests is needed, because a threshold above the risk is certified only if the first such threshold in
the sequence is, which happens with probability delta at most. For that the sequence must be fixed
without the outcomes: `threshold_grid` takes quantiles of the confidences of all rows.

Orders and bits can be right in part. The risk is then the mean share of wrong pairs or bits, and
the test is a sequence of bets against a mean above the risk (Waudby-Smith and Ramdas, 2024), which
gains from the small variance of shares: with 50 answers of a mean of .05, in sixths, it certifies a
risk of .1 in 60 of 100 draws, the bound of Hoeffding and Bentkus in 2.
"""

from math import ceil, log, log1p
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import bdtr

from disambig.metrics.confidence import checked_confidence, checked_shares
from disambig.notation import BoolArray, FloatArray
from disambig.parameters import check_integer, check_number

if TYPE_CHECKING:
    from disambig.trust.examination import Examination

N_STEPS = 20
# Of the largest bet that cannot lose more than everything.
_MAX_BET = 0.999


class Acceptance(NamedTuple):
    """The rows whose labels are accepted at a risk.

    Attributes
    ----------
    rows : bool array (n,)
    threshold : float or None
        The least confidence of an accepted row, before answers recalibrated it; None if nothing
        could be promised, and no row is accepted.
    promise : str

    Examples
    --------
    >>> import numpy as np
    >>> Acceptance(np.array([True, False]), 0.8, "At most 5% of the labels are wrong.").rows.sum()
    np.int64(1)
    """

    rows: BoolArray
    threshold: float | None
    promise: str


class CertifiedThreshold(NamedTuple):
    """What is promised about the rows with a confidence of at least a threshold.

    Attributes
    ----------
    threshold : float or None
        None if no threshold could be certified.
    n_answers : int
        The answers at or above the threshold; if there is none, those of the first threshold, which
        failed.
    errors : float
        How many of them are wrong: an integer, or the sum of their wrong shares.
    promise : str
        The same in words.
    """

    threshold: float | None
    n_answers: int
    errors: float
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

    The p-value of a threshold with k answers above it, w of them wrong, is ``P(Bin(k, risk) <=
    w)``; it passes at `delta` or below. If some answers are wrong in part, it is the inverse of the
    largest capital of a gambler who bets that the mean of the wrong shares is below `risk`.

    Parameters
    ----------
    confidence : array-like (m,)
        Of the answered rows. Answers must be drawn at random, all with the same probability.
    is_right : array-like (m,) of bool, or of float from 0 to 1
        Shares of pairs or bits that are right; with True and False, or 1 and 0 only, the test is
        exact.
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
    right = checked_shares(owner, is_right, len(values))
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
    wrong_above = np.append(np.cumsum((1.0 - right[ascending])[::-1])[::-1], 0)
    k, errors = len(values) - start, wrong_above[start]
    is_exact = bool(((right == 0) | (right == 1)).all())
    if is_exact:
        passed = bdtr(errors, k, risk) <= delta
    else:
        # Answers are sorted by row, and rows may be sorted by what they are.
        order = np.random.default_rng(0).permutation(len(values))
        shuffled, losses = values[order], 1.0 - right[order]
        passed = np.array(
            [_betting(losses[shuffled >= limit], risk, delta) <= delta for limit in thresholds]
        )
    n_passed = int(np.argmin(passed)) if not passed.all() else len(passed)
    last = max(n_passed - 1, 0)
    threshold = float(thresholds[last]) if n_passed else None
    wrong = int(errors[last]) if is_exact else float(errors[last])
    promise = (_promise if is_exact else _promise_of_shares)(
        threshold, int(k[last]), wrong, risk, delta
    )
    return CertifiedThreshold(threshold, int(k[last]), wrong, promise)


def _betting(losses: FloatArray, risk: float, delta: float) -> float:
    """A p-value of the hypothesis that the mean of losses in [0, 1] is above `risk`.

    The capital ``prod_i (1 - b_i (l_i - risk))`` has a mean of at most 1 under it, if every bet b_i
    depends on earlier losses only, so it reaches ``1 / p`` with probability p at most. Bets are
    those for which the capital grows fastest if the variance stays what it was so far.
    """
    if not losses.size:
        return 1.0
    count = np.arange(2, losses.size + 2)
    means = (0.5 + np.cumsum(losses)) / count
    variances = (0.25 + np.cumsum((losses - means) ** 2)) / count
    earlier = np.concatenate([[0.25], variances[:-1]])
    # Larger bets could lose everything.
    largest = _MAX_BET / (1.0 - risk)
    bets = np.minimum(np.sqrt(2.0 * log(1.0 / delta) / (losses.size * earlier)), largest)
    capital = np.cumsum(np.log1p(-bets * (losses - risk)))
    return float(np.exp(-max(capital.max(), 0.0)))


def _promise_of_shares(
    threshold: float | None, k: int, errors: float, risk: float, delta: float
) -> str:
    share = f"{100 * errors / max(k, 1):.3g}%"
    if threshold is None:
        return (
            f"No threshold promises a risk of {risk:g} with probability {1 - delta:g}: {share} of "
            f"the pairs or bits of the {k} most confident answers are wrong. More answers, or a "
            "larger risk, may help."
        )
    return (
        f"With probability {1 - delta:g}, at most {100 * risk:g}% of the pairs or bits of labels "
        f"with a confidence of at least {threshold:.3g} are wrong ({share} of those of {k} answers "
        "were)."
    )


def _promise(threshold: float | None, k: int, errors: float, risk: float, delta: float) -> str:
    if threshold is None:
        return (
            f"No threshold promises a risk of {risk:g} with probability {1 - delta:g}: {errors} of "
            f"the {k} most confident answers are wrong. More answers, or a larger risk, may help."
        )
    return (
        f"With probability {1 - delta:g}, at most {100 * risk:g}% of the labels with a confidence "
        f"of at least {threshold:.3g} are wrong ({errors} of {k} answers were)."
    )


def accepted(examination: "Examination", risk: float, delta: float) -> Acceptance:
    """The rows whose labels may be used at a risk; see `Examination.accept`."""
    if examination.answers is None:
        raise ValueError(
            "accept needs true labels of some rows, drawn at random: with_answers(rows, "
            "labels) first."
        )
    is_open, before = ~examination._is_single(), examination.confidence_by_sets
    answers = examination.answers.part(is_open[examination.answers.rows])
    if not is_open.any():
        promise = "No row has several candidates: every label is that of its set."
        return Acceptance(np.ones(len(examination), dtype=np.bool_), None, promise)
    if not answers.is_uniform:
        raise ValueError(
            "accept needs answers that were drawn with equal probabilities; these have "
            "different inclusion probabilities. Draw some rows at random."
        )
    grid = threshold_grid(before[is_open], max(len(answers), 1), risk, delta)
    found = certified_threshold(
        before[answers.rows], examination._rightness(answers), risk, delta, grid
    )
    is_accepted = ~is_open
    if found.threshold is not None:
        is_accepted |= before >= found.threshold
    return Acceptance(is_accepted, found.threshold, found.promise)
