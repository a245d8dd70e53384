"""The selection where class shares of bags are known: held-out bags as well as hidden sets.

The rows of a hidden part are open and in no bag, and the votes of the others predict them. With
many bags, whole bags are hidden, and the mean prediction is compared with the shares of the bag.
With few bags these are few equations; random halves of all bags are hidden, and the score is the
likelihood of the bag that each hidden row is in. It counts rows, not bags.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from disambig.candidates import LabelSets
from disambig.candidates.labels.assignment import counted_labels
from disambig.candidates.labels.bag_information import informed_rows
from disambig.candidates.labels.class_counts import ClassCounts
from disambig.estimators.fitting import take_inputs
from disambig.estimators.held_out.bag_regression import bag_regression
from disambig.estimators.prediction import shares
from disambig.estimators.selection.few_labels import few_rows
from disambig.estimators.selection.hidden_sets import HiddenSets
from disambig.estimators.selection.labels import LabelSelection
from disambig.estimators.selection.protocol import HeldOutTrial, Score, Trial
from disambig.estimators.selection.sampling import sample_rows
from disambig.estimators.selection.scales import scaled_inputs, unit_scales
from disambig.estimators.selection.space import SearchSpace
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.solvers import AnnealedMinimization, Solver
from disambig.votes import Votes
from disambig.weights import NystromWeights, ScaledWeights, Weights

# With at least so many bags, whole bags are hidden.
_MIN_BAGS_TO_HIDE = 20
# Of few bags, halves.
_N_HALVES = 2
# A sample takes whole bags if they have at most so many rows on average.
_MAX_ROWS_OF_WHOLE_BAGS = 50
# What is tried with few bags, and on how many rows.
_SMOOTH_BANDWIDTHS = (0.7, 1.4, 2.8, 5.6)
_SMOOTH_RIDGES = (1e-1, 1e-2, 1e-3, 1e-4)
_N_ROWS_OF_FEW_BAGS = 2000
_N_LANDMARKS_OF_FEW_BAGS = 400
_NO_SCREEN = 10_000
# Logistic regression, which is compared with the best of them: penalties, falling, and rows.
_PENALTIES = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
_N_ROWS_OF_REGRESSION = 50_000
# Of a hidden row in its bag, relative to chance.
_LEAST_LIKELIHOOD = 1e-3
# Rounding of a share times the rows of a bag.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class BagSelection(LabelSelection):
    """Labels in bags as a `SelectionKind`; what is tried is always annealed with the shares.

    Parameters
    ----------
    sets, loss, method, solver, couples_rows
        As of `LabelSelection`.
    bags : int array (n,)
        The bag of each row.
    share_bounds : float array (B, K, 2)
        The smallest and largest share of each class in each bag.
    is_informed : bool array (n,)
        Rows of bags of which some share is known.
    hides_bags : bool
        Whether whole bags are hidden, not halves.
    """

    bags: IntArray
    share_bounds: FloatArray
    is_informed: BoolArray
    hides_bags: bool

    exclusion = "exclude a class or are in a bag of known shares"

    @classmethod
    def of_counts(cls, counts: ClassCounts, loss: FiniteLoss) -> "BagSelection":
        """The selection on sets in bags."""
        sizes = counts.bag_sizes
        return cls(
            counts.sets,
            loss,
            "disambiguation",
            None,
            couples_rows=True,
            bags=counts.bag_of_row,
            share_bounds=counts.bag_bounds / np.maximum(sizes, 1)[:, None, None],
            is_informed=informed_rows(counts),
            hides_bags=bool(np.count_nonzero(sizes) >= _MIN_BAGS_TO_HIDE),
        )

    @property
    def informative(self) -> BoolArray:
        return self.sets.informative | self.is_informed

    @property
    def together(self) -> IntArray | None:
        """Bags that a sample takes whole; None for large bags, of which parts say enough.

        None also for few bags: halves of them are hidden.
        """
        most = _MAX_ROWS_OF_WHOLE_BAGS * np.unique(self.bags).size
        return self.bags if self.hides_bags and len(self.bags) <= most else None

    def take(self, rows: IntArray) -> Self:
        return replace(
            self, sets=self.sets[rows], bags=self.bags[rows], is_informed=self.is_informed[rows]
        )

    def keys(self) -> list[AnyArray]:
        # Equal rows of a bag are several of its rows: none is a copy of another.
        return [*super().keys(), np.arange(len(self.bags))[:, None].view(np.uint8)]

    def table(self) -> FloatArray:
        middle = self.share_bounds.mean(axis=2)[self.bags]
        inside = self.sets.distribution() * (middle + _ROUNDING)
        table: FloatArray = inside / inside.sum(axis=1, keepdims=True)
        return table

    def _folds(self, numbers: IntArray, space: SearchSpace) -> IntArray:
        if not self.hides_bags:
            return numbers % _N_HALVES
        rank = np.unique(self.bags, return_inverse=True)[1].ravel()
        folds: IntArray = rank % space.n_folds(len(self.sets))
        return folds

    def _hidden_sets(self, folds: IntArray, sample_weight: FloatArray) -> "HiddenBags":
        return HiddenBags(self, folds, sample_weight)

    def outside(
        self, X: Any, sample_weight: FloatArray, groups: IntArray, best: Trial
    ) -> Trial | None:
        """Linear votes, if logistic regression finds the bags of hidden rows likelier than `best`.

        They are as smooth as the regression, and are annealed to a temperature that neither
        sharpens nor flattens them: 1 / K, where the softmax of equal votes has slope one.
        """
        if self.hides_bags or self.sets.informative.any():
            return None
        rows, numbers = sample_rows(groups, self, sample_weight, _N_ROWS_OF_REGRESSION)
        part, weight, hidden = self.take(rows), sample_weight[rows], numbers % _N_HALVES == 0
        inputs = take_inputs(X, rows, None)
        units = unit_scales(inputs, weight)
        if not units.any() or hidden.all() or not hidden.any():
            return None
        compared = part.compare([HeldOutTrial(None, best)], inputs, weight, hidden)[0].trial
        score, ridge = part.regression_score(scaled_inputs(inputs, units), weight, hidden)
        if score.value >= compared.score:
            return None
        weights = NystromWeights(
            "linear",
            n_landmarks=_N_LANDMARKS_OF_FEW_BAGS,
            regularization=ridge,
            intercept=True,
        )
        solver = AnnealedMinimization(temperatures=(1.0 / self.sets.n_classes,))
        return Trial(ScaledWeights(weights, units), solver, score.loss, score.value)

    def regression_score(
        self, X: Any, sample_weight: FloatArray, hidden: BoolArray
    ) -> tuple[Score, float]:
        """The best score of a logistic regression at hidden rows, and its ridge."""
        scored = self._hidden_sets(np.where(hidden, 0, -1), sample_weight)
        visible = np.flatnonzero(~hidden & self.is_informed)
        ratios, overall = self.ratios
        found, start = [], None
        for penalty in _PENALTIES:
            start = bag_regression(
                take_inputs(X, visible, None), ratios[self.bags[visible]], overall, penalty, start
            )
            found.append((scored.membership_score(start(X)), start.ridge))
        return min(found, key=lambda one: one[0].value)

    @property
    def ratios(self) -> tuple[FloatArray, FloatArray]:
        """The class shares of each bag over those of all rows, ``(B, K)``; the latter, ``(K,)``."""
        middle = self.share_bounds.mean(axis=2)
        middle = middle / np.maximum(middle.sum(axis=1, keepdims=True), _ROUNDING)
        weights = np.bincount(self.bags[self.is_informed], minlength=len(middle))
        overall = weights @ middle / weights.sum()
        return middle / np.maximum(overall, _ROUNDING), overall

    def fallback(
        self, X: Any, sample_weight: FloatArray, groups: IntArray
    ) -> tuple[Weights, Solver, str]:
        described = "kernel ridge is used, on features of unit variance, annealed"
        return few_rows(X, sample_weight)[0], AnnealedMinimization(), described


class HiddenBags(HiddenSets):
    """`HiddenSets` with bags: rows of hidden parts are open and in no bag; shares are scored.

    Parameters
    ----------
    kind : BagSelection of n rows
    folds : int (n,)
        The fold in which a row is hidden; -1 for never.
    sample_weight : float (n,)
    """

    def __init__(self, kind: BagSelection, folds: IntArray, sample_weight: FloatArray) -> None:
        super().__init__(kind.sets, kind.loss, folds, sample_weight)
        self._kind = kind
        self._rows_of_parts = kind.is_informed & (folds >= 0)
        self._opened = self._in_bags(self._opened)  # type: ignore[assignment]

    def _in_bags(self, opened: LabelSets) -> ClassCounts:
        """The opened sets of all folds, each fold with bags of its own and one of hidden rows."""
        kind, n_bags = self._kind, len(self._kind.share_bounds)
        codes = np.where(self._hidden, n_bags, kind.bags)
        codes = (codes + (n_bags + 1) * np.arange(self.n_folds)[:, None]).ravel()
        free = np.tile([0.0, 1.0], (1, kind.sets.n_classes, 1))
        bounds = np.tile(np.concatenate([kind.share_bounds, free]), (self.n_folds, 1, 1))
        sizes = np.bincount(codes, minlength=len(bounds)).astype(np.float64)[:, None]
        slack = _ROUNDING * np.maximum(sizes, 1.0)
        low = np.floor(bounds[..., 0] * sizes + slack)
        high = np.ceil(bounds[..., 1] * sizes - slack)
        # Of a part of a bag the shares hold up to chance: its sets go first.
        only, some = np.zeros_like(low), np.zeros_like(low)
        np.add.at(only, codes[opened.is_single], opened.mask[opened.is_single])
        np.add.at(some, codes, opened.mask)
        table = np.stack([np.minimum(low, some), np.maximum(high, only)], axis=2)
        return ClassCounts(opened, table, codes)

    def solver_score(self, votes: Votes, solver: Solver) -> Score:
        # The labels need not keep the shares of parts, which hold up to chance.
        assert isinstance(solver, AnnealedMinimization)
        return list(self.path_scores(votes, solver))[-1][1]

    def constant_score(self) -> Score:
        n, known = len(self.sets), self._kind.is_informed
        constant = (
            np.tile(self._mean_shares, (n, 1)) if known.any() else self._prior[None].repeat(n, 0)
        )
        found = super().constant_score() if self._is_scored.any() else None
        return self._combined(found, constant)

    @cached_property
    def _mean_shares(self) -> FloatArray:
        mean: FloatArray = self._kind.table()[self._kind.is_informed].mean(axis=0)
        return mean

    def _score(self, votes: Votes, distributions: FloatArray) -> Score:
        predicted = self._hidden_scores(votes, distributions)
        probabilities = shares(predicted, self._prior)
        found = None
        if self._is_scored.any():
            found = self._loss_score(self.loss.expected_losses(predicted), probabilities)
        return self._combined(found, probabilities)

    def _combined(self, of_sets: Score | None, probabilities: FloatArray) -> Score:
        """The score of sets and that of bags, weighted by their rows."""
        if not self._rows_of_parts.any():
            assert of_sets is not None
            return of_sets
        of_bags = self._bag_score(probabilities)
        if of_sets is None:
            return of_bags
        n_sets = np.count_nonzero(self._is_scored)
        part = n_sets / (n_sets + np.count_nonzero(self._rows_of_parts))
        return Score(*(part * a + (1 - part) * b for a, b in zip(of_sets, of_bags, strict=True)))

    def _bag_score(self, probabilities: FloatArray) -> Score:
        """The score of the hidden rows in bags."""
        rows = np.flatnonzero(self._rows_of_parts)
        if not self._kind.hides_bags:
            return self.membership_score(probabilities)
        return self._mean_score(probabilities[rows], rows)

    def membership_score(self, probabilities: FloatArray) -> Score:
        """Minus the log-likelihood ratio of the bags of hidden rows, mean over these rows.

        If the inputs of a class look alike in all bags, a row with probabilities p is in bag b with
        probability ``P(b) sum_k p_k share_bk / share_k``. A constant prediction has score 0.
        """
        rows = np.flatnonzero(self._rows_of_parts)
        ratios, overall = self._kind.ratios
        probabilities = probabilities[rows]
        # Calibrated in the large: the mean prediction has the shares of all bags.
        calibrated = probabilities * overall / np.maximum(probabilities.mean(axis=0), _ROUNDING)
        calibrated /= np.maximum(calibrated.sum(axis=1, keepdims=True), _ROUNDING)
        likelihoods = (calibrated * ratios[self._kind.bags[rows]]).sum(axis=1)
        losses = -np.log(np.maximum(likelihoods, _LEAST_LIKELIHOOD))
        loss = float(losses.mean())
        return Score(loss, loss, float(losses.std() / np.sqrt(len(losses))))

    def _mean_score(self, probabilities: FloatArray, rows: IntArray) -> Score:
        """The squared distance to the shares of the bags, mean over the rows of the bags.

        Half of it is that of the mean probabilities, half that of the shares of the predictions,
        which have the class shares of all bags together; see `class_prices`.
        """
        part, codes = np.unique(self._kind.bags[rows], return_inverse=True)
        sizes = np.bincount(codes.ravel())
        bounds = self._kind.share_bounds[part]
        squares = np.zeros(len(part))
        for predicted in (probabilities, self._predicted(probabilities, bounds, sizes)):
            means = np.zeros((len(part), predicted.shape[1]))
            np.add.at(means, codes.ravel(), predicted)
            means /= sizes[:, None]
            off = np.maximum(np.maximum(bounds[..., 0] - means, means - bounds[..., 1]), 0.0)
            squares += (off**2).sum(axis=1) / 2
        loss = float(np.average(squares, weights=sizes))
        error = float(np.sqrt(np.average((squares - loss) ** 2, weights=sizes) / len(part)))
        return Score(loss, loss, error)

    def _predicted(
        self, probabilities: FloatArray, bounds: FloatArray, sizes: IntArray
    ) -> FloatArray:
        """One for the class that is predicted for each row, with the shares of all bags."""
        rows = bounds * sizes[:, None, None]
        ends = np.floor(rows[..., 0]).sum(axis=0), np.ceil(rows[..., 1]).sum(axis=0)
        total = np.stack(ends, axis=1)
        whole = LabelSets.from_mask(np.ones(probabilities.shape, dtype=np.bool_))
        total[:, 1] = np.minimum(total[:, 1], len(probabilities))
        codes = counted_labels(-probabilities, ClassCounts(whole, total)).codes
        found = np.zeros_like(probabilities)
        found[np.arange(len(found)), codes] = 1.0
        return found


def bag_space(space: SearchSpace, counts: ClassCounts) -> SearchSpace:
    """The search space for bags: no screen on few rows, of which a bag would have too few.

    With few bags smooth functions only, since few equations determine nothing else; and more rows,
    since a row says little by its bag.
    """
    if np.count_nonzero(counts.bag_sizes) >= _MIN_BAGS_TO_HIDE:
        return replace(space, finalists=_NO_SCREEN)
    return replace(
        space,
        kernels={"gaussian": _SMOOTH_BANDWIDTHS},
        ridges=_SMOOTH_RIDGES,
        neighbors=(),
        largest_sample=_N_ROWS_OF_FEW_BAGS,
        landmarks=_N_LANDMARKS_OF_FEW_BAGS,
        finalists=_NO_SCREEN,
    )
