"""The objective of inputs that are sets, and its exact steps: what `DisambiguatedInputs` minimises.

For draws ``x_im`` of row i, embedded targets ``t_i`` and a smooth predictor f

    ``J(f, w, t) = sum_i s_i (sum_m w_im |f(x_im) - t_i|^2 + tau sum_m w_im log(m w_im))
    + ridge |f|^2``.

The draws come from what is known of the row, without its target; the second term is the divergence
of the weights from equal ones. Each of three steps is a minimisation, so J never rises: f is a
ridge regression, ``w_im`` is proportional to ``exp(-|f(x_im) - t_i|^2 / tau)``, and a target moves
where that costs less. See `docs/mathematics/inputs.md`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import pdist
from scipy.special import logsumexp
from sklearn.utils import check_random_state

from disambig.inputs.distribution import InputDraws
from disambig.notation import BoolArray, FloatArray
from disambig.threads import threads_for
from disambig.weights.kernels.random_features import draw_fourier_features

# Features of the smooth predictor, half of them cosines.
_N_FEATURES = 128
# Rows whose distances give the bandwidth, and its multiples and ridges that are tried.
_MAX_ROWS, _BANDWIDTHS = 300, (0.5, 1.0, 2.0)
_RIDGES = 10.0 ** np.arange(-5.0, 1.0)
_MAX_STEPS, _SMALL = 30, 1e-4
# Entries of features that are kept, and that are computed at a time.
_KEPT_ENTRIES, _BLOCK_ENTRIES = 2**24, 2**22


@dataclass(frozen=True, eq=False)
class CellChoice:
    """A choice among the draws of each row, and the predictor that goes with it.

    Attributes
    ----------
    weights : float array (r, m)
        Of the draws of open rows, with sum one in each row.
    coefficients : float array (p, q)
        Of the features, for q embedded targets.
    objective : float
    trace : tuple of float
        The objective after every step of this run; it never rises.

    Examples
    --------
    See `CellProblem`.

    >>> choice = CellChoice(np.array([[0.9, 0.1]]), np.zeros((2, 1)), 0.5, (0.7, 0.5))
    >>> choice.weights.argmax(axis=1).tolist()
    [0]
    """

    weights: FloatArray
    coefficients: FloatArray
    objective: float
    trace: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class CellProblem:
    """Weights of draws, by which targets become a smooth function of the inputs.

    Attributes
    ----------
    draws : InputDraws, n rows
    sample_weight : float array (n,)
    features : callable (k, d) -> (k, p)
    ridge : float
        Of the predictor.
    temperature : float
        tau: what a divergence of one costs, in squared distances of embedded targets.
    noise : float
        The variance of a coordinate of the targets about a prediction without its row.

    Examples
    --------
    The third row is at -1 or at 1. Its target is that of the rows at 1.

    >>> known = np.array([[-1.0], [1.0], [0.0], [1.1], [-1.1]])
    >>> draws = InputDraws(known, np.array([2]), np.array([[[-1.0], [1.0]]]))
    >>> targets = np.array([[-1.0], [1.0], [1.0], [1.0], [-1.0]])
    >>> problem = CellProblem.of(draws, targets - targets.mean(), 0.5)
    >>> found = problem.solve(targets - targets.mean())
    >>> found.weights.argmax(axis=1).tolist(), draws.means(found.weights)[2, 0] > 0.5
    ([1], np.True_)
    """

    draws: InputDraws
    sample_weight: FloatArray
    features: Any
    ridge: float
    temperature: float
    noise: float

    @classmethod
    def of(
        cls,
        draws: InputDraws,
        targets: FloatArray,
        temperature: float,
        sample_weight: FloatArray | None = None,
        seed: int = 0,
    ) -> Self:
        """The problem with a bandwidth and a ridge that predict targets without their row best.

        Parameters
        ----------
        draws : InputDraws, n rows
        targets : float array (n, q)
            Embedded targets with mean zero, since the predictor has no constant.
        temperature : float
            In units in which targets are as likely as in normal noise at 1; tau is this times twice
            the variance of the noise.
        sample_weight : float array (n,), optional
        seed : int
        """
        weights = np.ones(len(targets)) if sample_weight is None else sample_weight
        inputs = draws.means()
        with threads_for(*inputs.shape):
            found = _smoothness(inputs, targets, weights, seed)
        tau = 2.0 * temperature * found.noise
        return cls(draws, weights, found.features, found.ridge, tau, found.noise)

    # ------------------------------------------------------------------ the three steps

    def predictor(self, targets: FloatArray, weights: FloatArray) -> FloatArray:
        """The coefficients that minimise J for given targets and weights, ``(p, q)``.

        Parameters
        ----------
        targets : float array (n, q)
        weights : float array (r, m)
        """
        p = self.features.rank
        gram, sums = self.ridge * np.eye(p), np.zeros((p, targets.shape[1]))
        for part in self._parts:
            phi = part.phi(self)
            scale = part.scale(self.sample_weight, weights)
            gram += (phi * scale[:, None]).T @ phi
            sums += (phi * scale[:, None]).T @ np.repeat(targets[part.rows], part.copies, axis=0)
        return np.linalg.solve(gram, sums)

    def costs(self, coefficients: FloatArray, targets: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Squared distances of targets to predictions: of rows that are known, and of draws.

        Parameters
        ----------
        coefficients : float array (p, q)
        targets : float array (n, q)

        Returns
        -------
        float array (n,), float array (r, m)
            The first is 0 in open rows.
        """
        n, m = len(targets), self.draws.values.shape[1]
        known, drawn = np.zeros(n), np.zeros((len(self.draws.rows), m))
        for part in self._parts:
            away = part.phi(self) @ coefficients
            away -= np.repeat(targets[part.rows], part.copies, axis=0)
            squares = np.einsum("kq,kq->k", away, away)
            if part.places is None:
                known[part.rows] = squares
            else:
                drawn[part.places] = squares.reshape(-1, m)
        return known, drawn

    def weights(self, costs: FloatArray) -> FloatArray:
        """The weights of draws that minimise J for given costs of them, ``(r, m)``.

        Parameters
        ----------
        costs : float array (r, m)
        """
        scaled = -(costs - costs.min(axis=1, keepdims=True)) / self.temperature
        return np.asarray(np.exp(scaled - logsumexp(scaled, axis=1, keepdims=True)))

    def objective(
        self, coefficients: FloatArray, weights: FloatArray, targets: FloatArray
    ) -> float:
        """J, divided by the total weight of the rows.

        Parameters
        ----------
        coefficients : float array (p, q)
        weights : float array (r, m)
        targets : float array (n, q)
        """
        known, drawn = self.costs(coefficients, targets)
        m = drawn.shape[1]
        logs = np.log(np.where(weights > 0, m * weights, 1.0))
        each = known.copy()
        each[self.draws.rows] = (weights * (drawn + self.temperature * logs)).sum(axis=1)
        total = self.sample_weight @ each + self.ridge * float((coefficients**2).sum())
        return float(total / self.sample_weight.sum())

    def better_targets(
        self, choice: CellChoice, targets: FloatArray, proposed: FloatArray
    ) -> BoolArray:
        """Rows in which proposed targets cost less than the present ones, ``(n,)``.

        Parameters
        ----------
        choice : CellChoice
        targets, proposed : float array (n, q)
        """
        now, new = (self._row_costs(choice, one) for one in (targets, proposed))
        return np.asarray(new < now)

    def _row_costs(self, choice: CellChoice, targets: FloatArray) -> FloatArray:
        known, drawn = self.costs(choice.coefficients, targets)
        known[self.draws.rows] = (choice.weights * drawn).sum(axis=1)
        return known

    # ------------------------------------------------------------------ alternation

    def solve(self, targets: FloatArray, start: CellChoice | None = None) -> CellChoice:
        """Alternate between predictor and weights, with the targets as they are.

        Parameters
        ----------
        targets : float array (n, q)
        start : CellChoice, optional
            By default all draws of a row weigh the same.
        """
        r, m = self.draws.values.shape[:2]
        weights = np.full((r, m), 1.0 / m) if start is None else start.weights
        with threads_for(*self.draws.known.shape):
            return self._descend(targets, weights)

    def _descend(self, targets: FloatArray, weights: FloatArray) -> CellChoice:
        r = len(weights)
        trace: list[float] = []
        while True:
            coefficients = self.predictor(targets, weights)
            weights = self.weights(self.costs(coefficients, targets)[1])
            trace.append(self.objective(coefficients, weights, targets))
            # Known rows have nothing to choose.
            is_last = not r or len(trace) == _MAX_STEPS
            if is_last or (len(trace) > 1 and trace[-2] - trace[-1] <= _SMALL * abs(trace[-1])):
                return CellChoice(weights, coefficients, trace[-1], tuple(trace))

    # ------------------------------------------------------------------ features of all draws

    @cached_property
    def _parts(self) -> list["_Part"]:
        return list(_parts(self.draws, self.features.rank))


@dataclass(eq=False)
class _Part:
    """Some rows and their inputs, as many as are computed at a time.

    Attributes
    ----------
    rows : int array (k,)
    inputs : float array (k * copies, d)
    copies : int
    places : slice or None
        Of these among the open rows; None for known rows.
    is_kept : bool
        Whether features are kept.
    """

    rows: Any
    inputs: FloatArray
    copies: int
    places: slice | None
    is_kept: bool
    kept: FloatArray | None = None

    def phi(self, problem: CellProblem) -> FloatArray:
        if self.kept is not None:
            return self.kept
        found: FloatArray = problem.features(self.inputs)
        if self.is_kept:
            self.kept = found
        return found

    def scale(self, sample_weight: FloatArray, weights: FloatArray) -> FloatArray:
        if self.places is None:
            return np.asarray(sample_weight[self.rows])
        return np.asarray((sample_weight[self.rows, None] * weights[self.places]).ravel())


def _parts(draws: InputDraws, p: int) -> Iterator[_Part]:
    n, d = draws.known.shape
    r, m = draws.values.shape[:2]
    is_kept = (n - r + r * m) * p <= _KEPT_ENTRIES
    known = np.setdiff1d(np.arange(n), draws.rows)
    step = max(1, _BLOCK_ENTRIES // p)
    for start in range(0, len(known), step):
        rows = known[start : start + step]
        yield _Part(rows, draws.known[rows], 1, None, is_kept)
    step = max(1, step // m)
    for start in range(0, r, step):
        places = slice(start, min(r, start + step))
        inputs = draws.values[places].reshape(-1, d)
        yield _Part(draws.rows[places], inputs, m, places, is_kept)


@dataclass(frozen=True, eq=False)
class _ScaledFeatures:
    """Fourier features of columns in units of their spread."""

    inner: Any
    center: FloatArray
    unit: FloatArray

    @property
    def rank(self) -> int:
        return int(self.inner.rank)

    def __call__(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.inner((X - self.center) / self.unit))


@dataclass(frozen=True, eq=False)
class _Smoothness:
    features: _ScaledFeatures
    ridge: float
    noise: float


def _mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    return np.asarray(weights @ values / weights.sum())


def _smoothness(
    inputs: FloatArray, targets: FloatArray, weights: FloatArray, seed: int
) -> _Smoothness:
    """Bandwidth and ridge with the least squared leave-one-out error, and this error."""
    center = _mean(inputs, weights)
    unit = np.sqrt(_mean((inputs - center) ** 2, weights))
    unit = np.where(unit > 1e-12 * np.abs(center), unit, 1.0)
    scaled = (inputs - center) / unit
    sample = scaled[np.random.default_rng(seed).permutation(len(scaled))[:_MAX_ROWS]]
    between = pdist(sample)
    typical = float(np.median(between)) if between.size and np.median(between) > 0 else 1.0
    total = weights.sum()
    roots = np.sqrt(weights)[:, None]
    best: _Smoothness | None = None
    for multiple in _BANDWIDTHS:
        random = check_random_state(seed)
        inner = draw_fourier_features(
            "gaussian", inputs.shape[1], _N_FEATURES, multiple * typical, random
        )
        phi = roots * inner(scaled)
        values, vectors = np.linalg.eigh(phi.T @ phi)
        rotated = phi @ vectors
        products = rotated.T @ (roots * targets)
        for ridge in _RIDGES * total:
            inverse = 1.0 / (np.maximum(values, 0.0) + ridge)
            leverage = np.einsum("np,p,np->n", rotated, inverse, rotated)
            away = roots * targets - rotated @ (inverse[:, None] * products)
            away /= np.maximum(1.0 - leverage, 1e-6)[:, None]
            error = float((away**2).sum() / total)
            if best is None or error < best.noise:
                features = _ScaledFeatures(inner, center, unit)
                best = _Smoothness(features, float(ridge), error)
    assert best is not None
    rank = max(1, int(np.linalg.matrix_rank(targets)))
    # Without any error there is still rounding.
    least = np.finfo(np.float64).eps * max(1.0, float((targets**2).mean()))
    return _Smoothness(best.features, best.ridge, max(best.noise / rank, least))
