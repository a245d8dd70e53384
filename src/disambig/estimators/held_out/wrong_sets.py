"""How many sets miss the truth, and which: what rows that never saw a set say about it.

A set misses the best class of the others for one of two reasons: it is wrong, or the others are.
The second is the rarer the surer they are. So the share `nu` of wrong sets is the limit of the rate
of misses towards the surest rows. With ``u`` the rank of a row among all, from the surest (0) to
the least sure (1), the rate is

    ``M(u) = nu + a u^g``,  ``g >= 1``,

where ``(nu, a)`` have the highest likelihood of the observed misses for each g, and the mean of nu
over g, weighted by these likelihoods, is taken. Only the ranks of probabilities enter. A likelihood
of the probabilities themselves would not do: a softer distribution explains sets without the best
class as well as a share of wrong sets does. The limit is right if wrong sets are as frequent where
the others are sure as they are elsewhere.

The posterior that a set S of s among K classes is wrong is

    ``nu (1 - Q(S)) q(s) / ((1 - nu) Q(S) + nu (1 - Q(S)) q(s))``.

``Q`` is proportional to a power of the probabilities P, as wrong sets had softened these.
``q(s) = (w(s) / r(s)) s / (K - s)`` has the shares w(s) of size s among the wrong and r(s) among
the right sets. Power and shares are fitted to the sets, `nu` stays fixed.

Others that are wrong even where they are sure would be taken for wrong sets. Nothing is claimed if
they are missed nearly as often as by chance, or if a power without wrong sets makes the sets
clearly more likely: sets without the best class then have the next ones, as right sets do.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import softmax
from scipy.stats import rankdata

from disambig.estimators.selection.protocol import as_counts
from disambig.notation import BoolArray, FloatArray, IntArray

# Why nothing is claimed, in words.
NOT_KNOWN = (
    "the other rows are wrong too often, even where they are sure, so that wrong sets cannot be "
    "distinguished from right ones"
)
# Log-likelihood by which wrong sets must improve the fit to be taken as real: a test at 1.4 %.
_MIN_GAIN = 3.0
# A larger limit of the rate of misses is no share of wrong sets: the others are wrong.
_MAX_WRONG_SHARE = 0.5
# The exponents g that are tried.
_EXPONENTS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_MAX_SLOPE = 0.9
# Of more rows than this, those of neighbouring ranks are added up.
_N_RANKS = 10_000
# If even the surest of the others are missed nearly as often as a class drawn by its frequency
# would be, they know too little for anything to follow from their misses.
_MAX_OF_CHANCE = 0.8
# Logarithms of the powers that are tried first.
_LOG_POWERS = np.linspace(-1.5, 3.0, 19)
_PRECISION = 0.02
_LEAST = 1e-12
# So many sets of the common sizes are added to the right and to the wrong ones.
_PRIOR_SETS = 10.0
_N_ROUNDS = 6


@dataclass(frozen=True, eq=False)
class WrongSets:
    """The share of wrong sets, and the posterior that a set is one of them.

    Attributes
    ----------
    share : float
        Among the sets that exclude a class; 0 unless the sets show it.
    is_known : bool
        False if the others know too little to tell wrong sets from right ones; the share is then 0.
    power : float
        Of the probabilities of the others, in the posterior.
    size_odds : float array (K + 1,)
        ``q(s)`` for sets of s classes; 0 at s = 0 and s = K: a set of all classes is never wrong.

    Examples
    --------
    >>> import numpy as np
    >>> found = WrongSets(0.1, True, 1.0, np.array([0.0, 0.5, 2.0, 0.0]))
    >>> P = np.array([[0.9, 0.05, 0.05], [0.9, 0.05, 0.05]])
    >>> S = np.array([[True, False, False], [False, True, True]])
    >>> found.posterior(P, S).round(3).tolist()
    [0.006, 0.667]
    """

    share: float
    is_known: bool = True
    power: float = 1.0
    size_odds: FloatArray = field(default_factory=lambda: np.zeros(1))

    def posterior(self, probabilities: FloatArray, mask: BoolArray) -> FloatArray:
        """The probability that each set misses the truth, ``(n,)``.

        Parameters
        ----------
        probabilities : float array (n, K)
            By rows that never saw the set.
        mask : bool array (n, K)
        """
        if self.share == 0.0:
            return np.zeros(len(mask))
        odds = self.size_odds[np.count_nonzero(mask, axis=1)]
        return _posterior(_JudgedSets.of(probabilities, mask).inside(self.power), odds, self.share)

    def sharpened(self, probabilities: FloatArray) -> FloatArray:
        """``Q``, proportional to the power of probabilities of the others, ``(n, K)``.

        Examples
        --------
        >>> found = WrongSets(0.1, power=2.0)
        >>> found.sharpened(np.array([[0.75, 0.25], [1.0, 0.0]])).round(2).tolist()
        [[0.9, 0.1], [1.0, 0.0]]
        """
        weights = np.exp(self.power * _logits(probabilities))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def fit_wrong_sets(
    probabilities: FloatArray,
    mask: BoolArray,
    sample_weight: FloatArray | None = None,
    chance: FloatArray | None = None,
    dependence: float = 1.0,
) -> WrongSets:
    """The share of sets that miss the truth; no true label is used.

    Parameters
    ----------
    probabilities : float array (n, K)
        Of all classes, by rows that never saw the set.
    mask : bool array (n, K)
        The sets. Those with all classes play no part.
    sample_weight : float array (n,), optional
        w means w copies of a row.
    chance : float array (n,), optional
        How often a set misses the best class of the row if the inputs say nothing; by default from
        the frequencies of the classes in all sets.
    dependence : float, default 1
        So many sets count as one, as evidence that there are wrong ones: the signs of one row
        depend on each other.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> n, truth, rows = 1000, rng.integers(5, size=1000), np.arange(1000)
    >>> sure = rng.uniform(0.8, 1.0, size=n)
    >>> P = np.repeat((1 - sure)[:, None] / 4, 5, axis=1)
    >>> P[rows, truth] = sure
    >>> mask = rng.random((n, 5)) < 0.4
    >>> mask[rows, truth] = rng.random(n) > 0.1
    >>> mask[~mask.any(axis=1), 0] = True
    >>> found = fit_wrong_sets(P, mask)
    >>> round(found.share, 2), bool(found.posterior(P, mask)[~mask[rows, truth]].mean() > 0.8)
    (0.1, True)
    """
    weights = np.ones(len(mask)) if sample_weight is None else sample_weight
    possible = mask.any(axis=0)
    n_possible = int(np.count_nonzero(possible))
    sizes = np.count_nonzero(mask, axis=1)
    used = (sizes > 0) & (sizes < n_possible) & (weights > 0)
    if not used.any():
        return WrongSets(0.0)
    P, S, sizes = probabilities[used], mask[used], sizes[used]
    weights = as_counts(weights, used)[used]
    best = P.argmax(axis=1)
    missed = ~S[np.arange(len(S)), best]
    share, gain = missed_share(P.max(axis=1), missed, weights)
    if gain <= _MIN_GAIN * dependence:
        return WrongSets(0.0)
    expected = 1.0 - np.average(S, axis=0, weights=weights)[best]
    if chance is not None:
        expected = chance[used]
    by_chance = float(np.average(expected, weights=weights))
    if share > min(_MAX_WRONG_SHARE, _MAX_OF_CHANCE * by_chance):
        return WrongSets(0.0, is_known=False)
    judged = _JudgedSets.of(P, S)
    power, odds = _fit_posterior(judged, sizes, weights, share, n_possible)
    with_wrong = _log_likelihood(judged.inside(power), odds[sizes], weights, share)
    softer = _best_power(judged, odds[sizes], weights, 0.0)
    without = _log_likelihood(judged.inside(softer), odds[sizes], weights, 0.0)
    if with_wrong < without - _MIN_GAIN * dependence:
        return WrongSets(0.0, is_known=False)
    table = np.zeros(mask.shape[1] + 1)
    table[: len(odds)] = odds
    table[n_possible:] = 0.0
    return WrongSets(share, True, power, table)


def missed_share(
    sureness: FloatArray, missed: BoolArray, sample_weight: FloatArray
) -> tuple[float, float]:
    """The limit of the rate of misses towards the surest rows, and what it gains over a limit of 0.

    Parameters
    ----------
    sureness : float array (n,)
        Only its order counts.
    missed : bool array (n,)
    sample_weight : float array (n,)

    Returns
    -------
    share, gain : float
        The gain is in units of the log-likelihood.
    """
    u = _rank_share(-sureness, sample_weight)
    u, misses, hits = _tallied(u, sample_weight * missed, sample_weight * ~missed)
    fits = [_fit_misses(u**g, misses, hits, 1.0) for g in _EXPONENTS]
    without = max(_fit_misses(u**g, misses, hits, 0.0)[0] for g in _EXPONENTS)
    values, shares = np.array(fits).T
    # Misses hardly tell one exponent from the next, and the best one alone would vary.
    return float(softmax(values) @ shares), float(values.max()) - without


def _rank_share(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Which share of the weight is below each value, and half of what is equal to it, ``(n,)``."""
    place: IntArray = rankdata(values, method="dense").astype(np.intp) - 1
    at = np.bincount(place, weights=weights)
    below = np.cumsum(at) - at
    share: FloatArray = ((below + 0.5 * at) / at.sum())[place]
    return share


def _tallied(
    u: FloatArray, misses: FloatArray, hits: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Sums over neighbouring ranks if there are many rows, with the mean rank of each."""
    if len(u) <= _N_RANKS:
        return u, misses, hits
    place = np.minimum((u * _N_RANKS).astype(np.intp), _N_RANKS - 1)
    missed: FloatArray = np.bincount(place, weights=misses).astype(np.float64)
    hit: FloatArray = np.bincount(place, weights=hits).astype(np.float64)
    used = missed + hit > 0
    total: FloatArray = np.bincount(place, weights=(misses + hits) * u).astype(np.float64)
    mean: FloatArray = total[used] / (missed + hit)[used]
    return mean, missed[used], hit[used]


def _fit_misses(
    x: FloatArray, misses: FloatArray, hits: FloatArray, most: float
) -> tuple[float, float]:
    """The highest log-likelihood of misses with rate ``nu + a x``, ``nu <= most``; and its nu."""

    def value(parameters: FloatArray) -> tuple[float, FloatArray]:
        rate = np.clip(parameters[0] + parameters[1] * x, 1e-9, 1.0 - 1e-9)
        slope = misses / rate - hits / (1.0 - rate)
        log = misses @ np.log(rate) + hits @ np.log1p(-rate)
        return -float(log), -np.array([slope.sum(), slope @ x])

    mean = float(misses.sum() / (misses.sum() + hits.sum()))
    found = minimize(
        value,
        [min(most, 0.5 * mean), 0.5 * mean + 1e-3],
        jac=True,
        bounds=[(0.0, most), (0.0, _MAX_SLOPE)],
        method="L-BFGS-B",
    )
    return -float(found.fun), float(found.x[0])


class _JudgedSets(NamedTuple):
    """Sets, and logarithms of the probabilities of all classes.

    Attributes
    ----------
    logits : float array (n, K)
        At most 0, and 0 for the most probable class.
    mask : float array (n, K)
        1 for the members of the set, else 0.
    """

    logits: FloatArray
    mask: FloatArray

    @classmethod
    def of(cls, probabilities: FloatArray, mask: BoolArray) -> "_JudgedSets":
        return cls(_logits(probabilities), mask.astype(np.float64))

    def inside(self, power: float) -> FloatArray:
        """What distributions proportional to a power of the probabilities give to the sets."""
        weights = np.exp(power * self.logits)
        within = np.einsum("ij,ij->i", weights, self.mask)
        return np.asarray(np.minimum(within / weights.sum(axis=1), 1.0))


def _logits(probabilities: FloatArray) -> FloatArray:
    """Logarithms, 0 for the most probable class of each row, ``(n, K)``."""
    logits = np.where(probabilities > 0, np.log(np.maximum(probabilities, _LEAST)), -np.inf)
    return np.asarray(logits - logits.max(axis=1, keepdims=True))


def _fit_posterior(
    judged: _JudgedSets,
    sizes: IntArray,
    weights: FloatArray,
    share: float,
    n_possible: int,
) -> tuple[float, FloatArray]:
    """The power of P, and ``q(s)`` for s up to K: by turns with the posterior, as EM does."""
    length = n_possible + 1
    base = np.bincount(sizes, weights=weights, minlength=length)
    base *= _PRIOR_SETS / base.sum()
    s = np.arange(length)
    even = np.divide(s, n_possible - s, out=np.zeros(length), where=s < n_possible)
    odds = even
    power = 1.0
    for _ in range(_N_ROUNDS):
        power = _best_power(judged, odds[sizes], weights, share)
        posterior = _posterior(judged.inside(power), odds[sizes], share)
        wrong = np.bincount(sizes, weights=weights * posterior, minlength=length) + base
        right = np.bincount(sizes, weights=weights * (1.0 - posterior), minlength=length) + base
        ratio = np.divide(wrong, right, out=np.zeros(length), where=right > 0)
        odds = even * ratio * (right.sum() / wrong.sum())
    return power, odds


def _best_power(judged: _JudgedSets, odds: FloatArray, weights: FloatArray, share: float) -> float:
    """The power under which the sets are most likely, at this share of wrong ones."""

    def loss(log: float) -> float:
        return -_log_likelihood(judged.inside(float(np.exp(log))), odds, weights, share)

    values = [loss(float(log)) for log in _LOG_POWERS]
    best = int(np.argmin(values))
    low, high = max(best - 1, 0), min(best + 1, len(values) - 1)
    found = minimize_scalar(
        loss,
        bounds=(_LOG_POWERS[low], _LOG_POWERS[high]),
        method="bounded",
        options={"xatol": _PRECISION},
    )
    return float(np.exp(found.x if found.fun < values[best] else _LOG_POWERS[best]))


def _log_likelihood(
    inside: FloatArray, odds: FloatArray, weights: FloatArray, share: float
) -> float:
    mixed = (1.0 - share) * inside + share * (1.0 - inside) * odds
    return float(weights @ np.log(np.maximum(mixed, 1e-300)))


def _posterior(inside: FloatArray, odds: FloatArray, share: float) -> FloatArray:
    wrong = share * (1.0 - inside) * odds
    total = wrong + (1.0 - share) * inside
    return np.divide(wrong, total, out=np.zeros(len(total)), where=total > 0)
