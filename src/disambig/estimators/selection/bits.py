"""The selection for bits: weightings with annealing, and a classifier for each tag, mixed.

Scores go by the known bits of hidden rows: the share of wrong ones, and the squared error of the
probabilities, which the shares of the mixture minimise.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

from disambig.candidates import PartialBits
from disambig.estimators.held_out.tag_shares import mixed_shares
from disambig.estimators.mixture import Mixture
from disambig.estimators.selection.protocol import Score, mean_score
from disambig.estimators.selection.space import (
    Entry,
    EntryWeightings,
    SearchSpace,
    entries_of,
    family_of,
    unit_neighbors,
)
from disambig.estimators.tags.models import PerTagClassifier
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.solvers import AnnealedMinimization, Solver

BIT_SPACE = SearchSpace(
    kernels={"gaussian": (0.7, 1.4), "laplacian": (0.5,)},
    ridges=(1e-2, 1e-4),
    neighbors=(10, 25),
    standardizes=True,
    folds=(3, 5),
)
MAX_BIT_MEMBERS = 5
# Shares are drawn to equal ones as by so many rows.
BIT_PULL = 20.0
# Of annealing: the first is close to the average of the known bits, the last to sharp targets.
_TEMPERATURES = ((10.0,), (1.0, 0.6, 0.36, 0.2), (1.0, 0.6, 0.36, 0.2, 0.1, 0.05, 0.02))
_INVERSE_PENALTIES = (1.0, 0.1)
_N_TREES = 50
# A forest for each tag would take longer than all other members together.
_MAX_TREE_TAGS = 50
# Weight of the squared error of probabilities in the score: it separates equal shares of errors.
_SQUARED_ERROR_WEIGHT = 0.5

# An estimator of bits from its weights and solver.
MakeEstimator = Callable[[Any, Any], Any]


class BitEntry(NamedTuple):
    """What is tried: a weighting with the temperatures of its annealing, or a model.

    Attributes
    ----------
    weighting : Entry or None
    temperatures : tuple of float
        Empty: the solver of the user, or a baseline.
    model : str
        "linear" or "trees"; empty for a weighting.
    size : float
        The inverse penalty of a linear model.
    """

    weighting: Entry | None
    temperatures: tuple[float, ...] = ()
    model: str = ""
    size: float = 0.0


@dataclass(frozen=True, eq=False)
class BitMembers:
    """Bits as `Members`.

    Parameters
    ----------
    candidates : PartialBits
    tag_weights : float array (m,)
        Of the Hamming loss, with sum one.
    method : {"disambiguation", "infimum", "average"}
    solver : Solver or None
        None: annealing, whose last temperature is selected.
    estimator : callable
        ``estimator(weights, solver)`` is an unfitted estimator with ``predict_proba``.
    by_squares : bool
        Whether the score is the squared error of probabilities alone. For one-sided tags: where few
        rows that have a value are recorded, "not recorded" is the best guess everywhere, and errors
        cannot tell good probabilities from bad ones.
    """

    candidates: PartialBits
    tag_weights: FloatArray
    method: str
    solver: Solver | None
    estimator: MakeEstimator
    by_squares: bool = False

    exclusion = "have a known bit"

    @property
    def width(self) -> int:
        return self.candidates.n_tags

    def take(self, rows: IntArray) -> "BitMembers":
        return replace(self, candidates=self.candidates[rows])

    def keys(self) -> list[AnyArray]:
        return [np.ascontiguousarray(self.candidates.bits).view(np.uint8)]

    def table(self) -> FloatArray:
        return self.candidates.means()

    def entries(self, space: SearchSpace, has_scales: bool) -> Sequence[BitEntry]:
        if self.method != "disambiguation" or self.solver is not None:
            return [BitEntry(entry) for entry in entries_of(space, has_scales)]
        paths = _TEMPERATURES
        found = [BitEntry(entry, path) for entry in entries_of(space, has_scales) for path in paths]
        found += [BitEntry(None, model="linear", size=size) for size in _INVERSE_PENALTIES]
        if self.candidates.n_tags <= _MAX_TREE_TAGS:
            found.append(BitEntry(None, model="trees"))
        return found

    def family_of(self, entry: Hashable, member: Any) -> str:
        weighting, _, model, _ = cast(BitEntry, entry)
        if weighting is None:
            return model
        return "landmarks" if family_of(member.weights) == "landmarks" else weighting.kind

    def member(self, entry: Hashable, weightings: EntryWeightings) -> tuple[Any, Any] | None:
        weighting, temperatures, model, size = cast(BitEntry, entry)
        if weighting is None:
            one = _linear(size) if model == "linear" else _trees()
            return one, one
        made = weightings.both(weighting)
        if made is None:
            return None
        solver = AnnealedMinimization(temperatures=temperatures) if temperatures else self.solver
        on_sample, for_all = made
        return self.estimator(on_sample, solver), self.estimator(for_all, solver)

    def predict(self, fitted: Any, X: Any) -> FloatArray:
        return mixed_shares(fitted, X)

    def score(self, predictions: FloatArray, sample_weight: FloatArray) -> Score:
        known, bits = self.candidates.known, self.candidates.bits
        share = known * self.tag_weights
        gaps = (share * (predictions - bits) ** 2).sum(axis=1)
        if self.by_squares:
            return mean_score(gaps, sample_weight)
        wrong = (share * ((predictions > 0.5) != (bits == 1))).sum(axis=1)
        score = mean_score(wrong, sample_weight)
        squares = float(np.average(gaps, weights=sample_weight))
        return score._replace(value=score.value + _SQUARED_ERROR_WEIGHT * squares)

    def mixing_objective(
        self, predictions: FloatArray, sample_weight: FloatArray
    ) -> Callable[[FloatArray], tuple[float, FloatArray]] | None:
        if self.method != "disambiguation" or self.solver is not None:
            return None
        share = self.candidates.known * self.tag_weights * sample_weight[:, None]
        share /= sample_weight.sum()

        def objective(shares: FloatArray) -> tuple[float, FloatArray]:
            gap = np.tensordot(shares, predictions, axes=1) - self.candidates.bits
            return float((share * gap**2).sum()), 2.0 * np.einsum(
                "mnt,nt->m", predictions, share * gap
            )

        return objective

    def constant_loss(self, sample_weight: FloatArray) -> float:
        known = self.candidates.known * sample_weight[:, None]
        ones = (known * (self.candidates.bits == 1)).sum(axis=0)
        totals = known.sum(axis=0)
        fewer = np.minimum(ones, totals - ones)
        if self.by_squares:
            fewer = ones * (totals - ones) / np.maximum(totals, 1e-300)
        informative = self.candidates.informative
        return float(fewer @ self.tag_weights / sample_weight[informative].sum())

    def fallback(self, X: Any, sample_weight: FloatArray) -> tuple[Any, Any, str]:
        if self.by_squares:
            # Few rows are recorded: the nearest ones often have none among them.
            described = "a logistic regression for each tag is used, with a strong penalty"
            return Mixture([_linear(_INVERSE_PENALTIES[-1])]), None, described
        described = "the 10 nearest neighbours are used, on features of unit variance"
        return unit_neighbors(X, sample_weight), self.solver, described


def _linear(size: float) -> PerTagClassifier:
    return PerTagClassifier(LogisticRegression(C=size, max_iter=1000), standardize=True)


def _trees() -> PerTagClassifier:
    trees = ExtraTreesClassifier(_N_TREES, min_samples_leaf=2, max_features=0.5, random_state=0)
    return PerTagClassifier(trees)
