"""The parameter `class_shares`: read, checked, kept by solvers and graphs, and what was reached."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from disambig.candidates import LabelSets
from disambig.candidates.labels.classes import listed, preview
from disambig.estimators.balance.graphs import informed_graph, with_class_shares
from disambig.estimators.fitting import FittedWeightings
from disambig.estimators.rows.kept import KeptRows
from disambig.exceptions import warn
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.parameters import as_array
from disambig.solvers import AnnealedMinimization, Solver
from disambig.solvers.annealing.balance import average_shares
from disambig.weights import ScaledWeights

_NAME = "class_shares"
# Given shares are kept strictly. Those of average candidates are an estimate, from which many votes
# may differ; see docs/guide/mixed.md for what both are worth.
_GIVEN_STRENGTH, _AVERAGE_STRENGTH = 30.0, 3.0
# A share of zero counts as this many rows: no class is impossible because of its share.
_LEAST_ROWS = 0.5


@dataclass(frozen=True, eq=False)
class ClassShares:
    """Shares that labels are held near, and the shares of the labels.

    Attributes
    ----------
    classes : array (K,)
    asked : float array (K,)
        With sum one; a share of 0 counts as half a row.
    strength : float
        How strictly they are kept: `share_strength` of `AnnealedMinimization`.
    reached : float array (K,) or None
        The shares of the recovered labels, weighted by sample weights; None before the fit.

    Examples
    --------
    >>> import numpy as np
    >>> ClassShares(np.array(["a", "b"]), np.array([0.25, 0.75]), 30.0, np.array([0.3, 0.7]))
    ClassShares(a: asked 0.250, reached 0.300; b: asked 0.750, reached 0.700)
    """

    classes: AnyArray
    asked: FloatArray
    strength: float
    reached: FloatArray | None = None

    @classmethod
    def of(cls, owner: str, given: Any, sets: LabelSets, sample_weight: FloatArray) -> Self:
        """The shares of the parameter `class_shares`, which is not None.

        Parameters
        ----------
        owner : str
        given : {"average"}, mapping of class to share, or array-like (K,)
        sets : LabelSets
            Of the rows that take part.
        sample_weight : float array (n,)
        """
        if isinstance(given, str) and given == "average":
            asked = average_shares(sets.distribution(), sample_weight)
            strength = _AVERAGE_STRENGTH
        else:
            asked, strength = _given_shares(owner, given, sets.classes), _GIVEN_STRENGTH
            _warn_of_impossible(owner, asked, sets, sample_weight)
        possible = np.asarray(sets.mask.any(axis=0))
        asked = np.where(possible, np.maximum(asked, _LEAST_ROWS / len(sets)), 0.0)
        return cls(sets.classes, asked / asked.sum(), strength)

    def __repr__(self) -> str:
        reached = self.asked if self.reached is None else self.reached
        what = "; ".join(
            f"{name}: asked {one:.3f}" + ("" if self.reached is None else f", reached {other:.3f}")
            for name, one, other in zip(listed(self.classes), self.asked, reached, strict=True)
        )
        return f"ClassShares({what})"

    @property
    def parameters(self) -> dict[str, Any]:
        """Of an `AnnealedMinimization` that keeps them."""
        return {"class_shares": self.asked, "share_strength": self.strength}

    def on(self, used: BoolArray) -> Self:
        """The shares of some of the classes."""
        asked = self.asked[used]
        return replace(self, classes=self.classes[used], asked=asked / asked.sum())

    def kept_by(self, solver: Solver | None, weights: Any = None) -> Solver:
        """An annealing that keeps the shares; on a graph of informed rows, the votes do."""
        annealing = AnnealedMinimization() if solver is None else clone(solver)
        is_graph = getattr(_inner(weights), "informed_only", False)
        kept: dict[str, Any] = {_NAME: None} if is_graph else self.parameters
        balanced: Solver = annealing.set_params(**kept)
        return balanced

    def kept_by_votes(
        self, weightings: FittedWeightings, sets: LabelSets, sample_weight: FloatArray
    ) -> FittedWeightings:
        """The weightings; on a graph of informed rows, with constants that keep the shares."""
        weights = weightings.weights
        if informed_graph(weights) is None:
            return weightings
        kept = with_class_shares(weights, sets, sample_weight, self.asked, self.strength)
        same = weightings.predict_weights is weights
        return replace(
            weightings, weights=kept, predict_weights=kept if same else weightings.predict_weights
        )


def class_shares_of(model: Any, candidates: Any, kept: KeptRows) -> ClassShares | None:
    """The class shares of a classifier; None if it has none. Raises what cannot keep them."""
    given, owner, named = model.class_shares, type(model).__name__, model._named_solver()
    if given is None:
        return None
    if model.method != "disambiguation":
        raise ValueError(
            f"{owner}: {_NAME} are shares of recovered labels, and method={model.method!r} "
            f"recovers none. Use method='disambiguation', or {_NAME}=None."
        )
    if candidates.couples_rows:
        raise ValueError(
            f"{owner}: {_NAME} cannot be combined with class counts, which fix the shares already. "
            f"Use {_NAME}=None, or pass the sets alone."
        )
    if named is not None and not isinstance(named, AnnealedMinimization):
        raise ValueError(
            f"{owner}: {_NAME} cannot be kept by {type(named).__name__}. Use solver='auto' or "
            f"solver='annealed', or {_NAME}=None."
        )
    if isinstance(named, AnnealedMinimization) and named.class_shares is not None:
        raise ValueError(
            f"{owner}: {_NAME} are given to the estimator and to its solver. Give them once."
        )
    return ClassShares.of(owner, given, candidates, kept.sample_weight)


def balanced(
    model: Any, weightings: FittedWeightings, solver: Solver | None, kept: KeptRows, taken: Any
) -> tuple[FittedWeightings, Solver | None]:
    """Weightings and solver that keep the class shares of a classifier, and so do its trials."""
    shares: ClassShares | None = model.class_shares_
    if shares is None:
        return weightings, solver
    # Trials know the shares of the classes that occur.
    model.trials_ = tuple(
        one._replace(solver=shares.kept_by(one.solver, one.weights)) for one in model.trials_
    )
    weightings = shares.kept_by_votes(weightings, taken, kept.sample_weight)
    return weightings, shares.kept_by(solver, weightings.weights)


def with_reached(shares: ClassShares | None, codes: IntArray, kept: KeptRows) -> ClassShares | None:
    """The class shares, with those of the labels of all rows, positions among the classes."""
    if shares is None:
        return None
    counts = np.bincount(
        codes[kept.rows], weights=kept.sample_weight, minlength=len(shares.classes)
    )
    return replace(shares, reached=counts / counts.sum())


def _inner(weights: Any) -> Any:
    return weights.weights if isinstance(weights, ScaledWeights) else weights


def _given_shares(owner: str, given: Any, classes: AnyArray) -> FloatArray:
    """The shares in the order of the classes, ``(K,)``, with sum one."""
    names = listed(classes)
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in set(names)]
        if unknown:
            raise ValueError(
                f"{owner}: {_NAME} names {unknown[0]!r}, which is not among the classes "
                f"{preview(names)}. Correct the name, or add it to classes=."
            )
        absent = [name for name in names if name not in given]
        if absent:
            raise ValueError(
                f"{owner}: {_NAME} has no share of the class {absent[0]!r} "
                f"({len(absent)} such classes). Give every class a share; 0 is allowed."
            )
        given = [given[name] for name in names]
    found = as_array(given)
    if found.dtype.kind not in "iuf" or found.shape != (len(names),):
        raise ValueError(
            f"{owner}: {_NAME} must be None, 'average', a mapping of class to share, or one "
            f"number for each of the {len(names)} classes {preview(names)}, in this order; "
            f"got {given!r}."
        )
    shares = found.astype(np.float64)
    bad = ~(np.isfinite(shares) & (shares >= 0))
    if bad.any():
        place = int(np.argmax(bad))
        raise ValueError(
            f"{owner}: {_NAME} has {shares[place]} for the class {names[place]!r}. A share is a "
            "finite number of at least 0; they are scaled to sum one."
        )
    total = float(shares.sum())
    if total <= 0:
        raise ValueError(f"{owner}: {_NAME} sum to zero. Give at least one class a positive share.")
    return shares / total


def _warn_of_impossible(
    owner: str, asked: FloatArray, sets: LabelSets, sample_weight: FloatArray
) -> None:
    """Warn of shares that no choice inside the sets can have, up to half a row."""
    weight = sample_weight / sample_weight.sum()
    least = weight @ (sets.mask & sets.is_single[:, None])
    most = weight @ sets.mask
    slack = _LEAST_ROWS / len(sets)
    for k, name in enumerate(listed(sets.classes)):
        if asked[k] > most[k] + slack:
            why = f"only {most[k]:.1%} of the rows may be of this class"
        elif asked[k] < least[k] - slack:
            why = f"it is the only candidate of {least[k]:.1%} of the rows"
        else:
            continue
        warn(
            f"{owner}: {_NAME} asks for {asked[k]:.1%} of the class {name!r}, but {why}. The "
            "shares are kept as far as the sets allow.",
            UserWarning,
        )
