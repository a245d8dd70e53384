"""Fits of every estimator with odd inputs, targets, weights and parameters; then predictions."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import disambig
from disambig import candidates as sets_of
from disambig import losses, solvers
from disambig import weights as weightings
from disambig.weights.registry import _WEIGHTINGS_BY_NAME
from tests.fuzz import correct
from tests.fuzz.case import ODD_VALUES, Case, Made
from tests.fuzz.inputs import groups, inputs, plain, sample_weights
from tests.fuzz.targets import targets
from tests.fuzz.verdict import OwnError, attempt, expect

NAMES = tuple(_WEIGHTINGS_BY_NAME)
# What a function of the user raises is his own: no functions that are no weightings.
_NO_FUNCTIONS = [value for value in ODD_VALUES if not callable(value) or isinstance(value, Made)]
# What takes a second or more on twenty rows: few cases.
_AUTO_SHARE = 0.02


def _odd_weightings(case: Case) -> Any:
    """A weighting with a parameter that may be wrong."""
    kind = _WEIGHTINGS_BY_NAME[case.pick(NAMES)]
    weighting = kind()
    names = sorted(weighting.get_params(deep=False))
    if not names:
        return weighting
    name = case.pick(names)
    value = case.pick([*_NO_FUNCTIONS, 0.5, 1e-300, 1e300, 3, 100, "auto", "linear", "rbf", "mean"])
    weighting.set_params(**{name: value() if isinstance(value, Made) else value})
    return weighting


def _other_weightings(case: Case, n: int) -> Any:
    made: list[Callable[[], Any]] = [
        lambda: weightings.NeighborWeights(n_neighbors=case.pick([1, 2, n, n + 1])),
        lambda: weightings.MixedWeights(["neighbors"], case.pick([[1.0], [0.0], [-1, 2]])),
        lambda: weightings.MixedWeights([weightings.NeighborWeights(2), "forest"], [0.5, 0.5]),
        lambda: weightings.ScaledWeights(weightings.NeighborWeights(2), [1.0, 0.0]),
        lambda: weightings.SquashedWeights(weightings.KernelRidgeWeights()),
        lambda: lambda Q, X: np.ones((Q.shape[0], X.shape[0])),
        lambda: lambda Q, X: np.zeros((Q.shape[0], X.shape[0])),
        lambda: lambda Q, X: -np.ones((Q.shape[0], X.shape[0])),
        lambda: lambda Q, X: np.full((Q.shape[0], X.shape[0]), np.nan),
        lambda: lambda Q, X: None,
        lambda: lambda Q, X: "votes",
        lambda: disambig.Mixture([], []),
        lambda: disambig.Mixture([weightings.NeighborWeights(2)], [1.0]),
        lambda: weightings.NeighborWeights,
    ]
    return case.pick(made)()


def weights(case: Case, n: int) -> Any:
    """Weights of an estimator: usually a name."""
    draw = case.random.random()
    if case.chance(_AUTO_SHARE):
        found: Any = "auto"
    elif not case.is_odd(0.5):
        found = case.pick(NAMES)
    elif draw < 0.5:
        found = _odd_weightings(case)
    elif draw < 0.85:
        found = _other_weightings(case, n)
    else:
        found = case.pick(_NO_FUNCTIONS)
        found = found() if isinstance(found, Made) else found
    case.note(f"weights={found!r:.80}")
    return found


_SOLVERS = {
    "labels": ("alternating", "annealed", "frank_wolfe"),
    "orders": ("alternating", "annealed"),
    "bits": ("alternating", "annealed", "frank_wolfe"),
    "numbers": ("accelerated", "alternating", "linear_program", "newton", "unions"),
}
_ODD_SOLVERS = (
    Made(solvers.AlternatingMinimization),
    Made(solvers.NewtonRegression),
    Made(lambda: solvers.AlternatingMinimization(max_iter=1)),
    Made(lambda: solvers.AnnealedMinimization(-1)),
    solvers.AlternatingMinimization,
    "exact",
    None,
    3,
)
_LOSSES: dict[str, tuple[Any, ...]] = {
    "labels": ("zero_one", "absolute", "squared", Made(losses.OrdinalLoss)),
    "numbers": ("squared", "absolute", "pinball", Made(lambda: losses.PinballLoss(0.9))),
    "orders": ("kendall", "footrule", "dcg"),
    "bits": ("hamming", "f_measure", "top_k", Made(losses.HammingLoss)),
}
_ODD_LOSSES = (
    Made(lambda: losses.AbstainLoss(0.3)),
    Made(lambda: np.eye(3)),
    Made(lambda: np.ones((3, 3))),
    Made(lambda: np.array([[0, 1, np.nan], [1, 0, 1], [1, 1, 0]])),
    Made(lambda: losses.MatrixLoss([[0, -1, 2], [1, 0, 1]])),
    Made(lambda: losses.OrdinalLoss(power=-1)),
    Made(lambda: losses.PinballLoss(2.0)),
    Made(lambda: losses.HammingLoss({"a": 2.0})),
    Made(lambda: losses.HierarchicalLoss({"a": "x", "b": "x", "c": "y"})),
    Made(losses.KendallLoss),
    losses.ZeroOneLoss,
    "hinge",
    None,
    [[0, 1], [1]],
    1.0,
)


def shared_parameters(case: Case, kind: str, n: int) -> dict[str, Any]:
    """Parameters that all estimators have; most are left at their defaults."""
    found: dict[str, Any] = {"weights": weights(case, n)}
    choices: dict[str, tuple[tuple[Any, ...], tuple[Any, ...], float]] = {
        "method": (("infimum", "average"), ("magic", None, 1), 0.25),
        "solver": (_SOLVERS[kind], _ODD_SOLVERS, 0.3),
        "loss": (_LOSSES[kind], _ODD_LOSSES, 0.3),
        "tolerance": (("auto", 0.5, 3.0), (-1, "magic", np.nan, np.inf, 0, True), 0.15),
        "unlabeled": ((-1, "?", None), ([], {}, [None, -1], np.nan, ("a", ("b",)), object()), 0.1),
        "resolve_at": ((0.5, 1.0), (-1, 2, "high", None, np.nan), 0.1),
        "time_limit": ((10.0,), (0, -1, "1s", np.nan), 0.05),
        "callback": ((lambda progress: True,), ("call", 3), 0.05),
        "verbose": ((0,), (-1, "loud", 1.5, None), 0.05),
    }
    for name, (good, odd, share) in choices.items():
        if case.chance(share):
            found[name] = case.option(name, good, odd, 0.3)
    return found


def _own_parameters(case: Case, kind: str, n: int) -> dict[str, Any]:
    """Parameters of one kind."""
    choices: dict[str, dict[str, tuple[tuple[Any, ...], tuple[Any, ...], float]]] = {
        "labels": {
            "classes": (
                (["a", "b", "c"], ["c", "a", "b", "d"], None),
                (["a"], [], "abc", ["a", "a"], [None], [["a"]], 3, [np.nan, 1.0], {"a": 1}),
                0.15,
            ),
        },
        "numbers": {
            "formulation": (("risk", "votes", "auto"), ("magic", None), 0.2),
            "margin": ((0.0, 0.1, "auto"), (-1, 1e300, "wide", np.nan, None), 0.2),
            "missing": (("whole", "error"), ("drop", None), 0.3),
            "cv": ((2, 3, None), (1, 0, 100, "five", 2.5, [], [([0], [1])]), 0.15),
            "random_state": ((0, None, 5), (-1, "seed", 1.5), 0.1),
            "n_jobs": ((None, 1), (0, "all", 1.5), 0.05),
        },
        "orders": {
            "items": ((list("abcd"), list("abc")), ([], "abc", ["a", "a"], [None], 3, [[1]]), 0.15),
            "ties": (("ignore", "error"), ("magic", None), 0.2),
            "ranks": (("order", "places"), ("magic", None), 0.2),
        },
        "bits": {
            "tag_counts": ((1, (0, 3), (None, 2)), ("many", (3, 1), [1, 2, 3], np.nan), 0.15),
            "implications": (([(0, 1)], {0: [1, 2]}), ([(0, 1), (1, 0)], "ab", 3), 0.15),
            "tag_frequencies": (("estimate",), ("guess", [0.1], {9: 0.1}, {0: np.nan}), 0.2),
        },
    }
    found = {}
    for name, (good, odd, share) in choices[kind].items():
        if case.chance(share):
            found[name] = case.option(name, good, odd, 0.4)
    return found


_ESTIMATORS: dict[str, Any] = {
    "labels": disambig.PartialLabelClassifier,
    "numbers": disambig.IntervalRegressor,
    "orders": disambig.PartialRanker,
    "bits": disambig.PartialMultilabelClassifier,
}


def estimator(case: Case, kind: str, n: int) -> Any:
    """An unfitted estimator of a kind, with parameters that may be wrong."""
    found = shared_parameters(case, kind, n) | _own_parameters(case, kind, n)
    return _ESTIMATORS[kind](**found)


def read_sets(model: Any, kind: str, y: Any) -> Any:
    """The candidate sets that an estimator reads, by the public readers."""
    if kind == "labels":
        y = y.sets if isinstance(y, sets_of.ClassCounts) else y
        return sets_of.LabelSets.from_any(y, model.classes, model.unlabeled)
    if kind == "numbers":
        return sets_of.number_sets(y, model.missing, model.unlabeled)
    if kind == "orders":
        return sets_of.PartialOrders.from_any(
            y, model.items, model.ties, model.unlabeled, model.ranks
        )
    return sets_of.PartialBits.from_any(y, unlabeled=model.unlabeled)


def is_once_only(y: Any) -> bool:
    """Whether a fit uses y up."""
    return hasattr(y, "__next__")


def fit_case(kind: str) -> Callable[[Case], None]:
    """Cases that fit an estimator of a kind and predict with it."""

    def run(case: Case) -> None:
        n, d = case.rows(), case.size(1, 3)
        model = estimator(case, kind, n)
        if case.chance(0.1):
            model.predict_weights = weights(case, n)
        if isinstance(model.weights, str) and model.weights == "precomputed":
            d = n
        X = inputs(case, n, d, share=0.5)
        y = targets(case, kind, n, share=0.5)
        weight, group = sample_weights(case, n), groups(case, n)
        again = None if is_once_only(y) else y
        attempt(model.fit, X, y, weight, group)
        # A vector of two classes is no table of bits.
        if kind == "bits" and np.ndim(model.labels_) == 1:
            return
        if again is not None:
            sets = attempt(read_sets, model, kind, again)
            strict = model.tolerance is None and model.method == "disambiguation"
            correct.FITTED[kind](model, sets, strict)
        predictions(case, model, kind, n, d)

    return run


def predictions(case: Case, model: Any, kind: str, n: int, d: int) -> None:
    """What a fitted estimator predicts at odd inputs."""
    q = case.size(1, 6)
    Q = inputs(case, q, d, "queries", share=0.5)
    rows = plain(case, q, d)
    coverage = case.option("coverage", (0.5, 0.9, 0.99), (0, 1, -1, 2, "0.9", None, np.nan), 0.2)
    meaning = case.option("meaning", ("meets", "contains"), ("truth", None, 1), 0.15)
    for at in (rows, Q):
        if is_once_only(at):
            continue
        with suppress(OwnError):
            found = attempt(model.predict, at)
            if kind == "labels":
                correct.predicted_labels(found, model.predictions_)
                correct.distributions(attempt(model.predict_proba, at))
            elif kind == "numbers":
                correct.finite(found)
            elif kind == "orders":
                correct.shares(attempt(model.pairwise_proba, at))
            elif kind == "bits":
                expect(np.isin(found, (0, 1)).all(), "a predicted bit is neither 0 nor 1")
                correct.shares(attempt(model.predict_proba, at))
    with suppress(OwnError):
        if kind == "labels":
            found = attempt(model.predict_set, rows, coverage, meaning=meaning)
            expect(found.mask.any(axis=1).all(), "a predicted set is empty")
        elif kind == "numbers":
            correct.intervals(attempt(model.predict_interval, rows, coverage, meaning=meaning))
    with suppress(OwnError):
        attempt(model.input_shift, Q)
    y, weight = targets(case, kind, q, share=0.5), sample_weights(case, q)
    again = None if is_once_only(y) else y
    with suppress(OwnError):
        score = attempt(model.score, rows, y, weight)
        if np.isnan(score) and again is not None and weight is None:
            sets = attempt(read_sets, model, kind, again)
            if kind == "labels":
                sets = attempt(sets.with_classes, model.classes_)
            # The R² of one row is not defined.
            least = 2 if kind == "numbers" else 1
            expect(sets.informative.sum() < least, "the score of informative rows is NaN")


def alternation_case(case: Case) -> None:
    """Models of scikit-learn, trained from sets."""
    kind = case.pick(["labels", "numbers"])
    n, d = case.rows(), case.size(1, 3)
    found = shared_parameters(case, kind, n) | _own_parameters(case, kind, n)
    for name in ("classes",) if kind == "numbers" else ("missing", "margin", "formulation"):
        found.pop(name, None)
    choices: dict[str, tuple[tuple[Any, ...], tuple[Any, ...], float]] = {
        "start": (("votes", "average"), ("magic", None, 1), 0.5),
        "max_iter": ((0, 1, 2), (-1, 1.5, None), 0.3),
        "undecided": (("exclude", "include"), ("magic", None), 0.3),
        "cv": ((2, 3), (1, 0, 100, "five", None, []), 0.3),
    }
    for name, (good, odd, share) in choices.items():
        if case.chance(share):
            found[name] = case.option(name, good, odd, 0.3)
    models: dict[str, tuple[Any, ...]] = {
        "labels": (
            None,
            DecisionTreeClassifier(random_state=0),
            GaussianNB(),
            KNeighborsClassifier(1, algorithm="brute"),
            LogisticRegression(),
            ExtraTreesClassifier(3, random_state=0),
        ),
        "numbers": (
            None,
            Ridge(),
            DecisionTreeRegressor(random_state=0),
            KNeighborsRegressor(1, algorithm="brute"),
            ExtraTreesRegressor(3, random_state=0),
        ),
    }
    odd = ("forest", 3, DecisionTreeClassifier, Ridge(), object())
    chosen = case.option("estimator", models[kind][1:], odd, 0.1)
    owners = {
        "labels": disambig.DisambiguatedClassifier,
        "numbers": disambig.DisambiguatedRegressor,
    }
    model = owners[kind](chosen, **found)
    if isinstance(model.weights, str) and model.weights == "precomputed":
        d = n
    X = inputs(case, n, d, share=0.5)
    y = targets(case, kind, n, share=0.5)
    again = None if is_once_only(y) else y
    attempt(model.fit, X, y, sample_weights(case, n), groups(case, n))
    if again is not None:
        sets = attempt(read_sets, model, kind, again)
        correct.FITTED[kind](model, sets, model.tolerance is None)
    for at in (plain(case, 3, d), inputs(case, 3, d, "queries")):
        with suppress(OwnError):
            labels = attempt(model.predict, at)
            if kind == "labels":
                correct.predicted_labels(labels, model.classes_)
            else:
                correct.finite(labels)


def disambiguate_case(case: Case) -> None:
    """`disambiguate`, also with votes of the user."""
    n = case.rows()
    options = shared_parameters(case, "labels", n)
    X = inputs(case, n, 2, share=0.5)
    if case.chance(0.4):
        made: list[Callable[[], Any]] = [
            lambda: np.eye(n),
            lambda: case.numpy.random(size=(n, n)),
            lambda: case.numpy.normal(size=(n, n)),
            lambda: np.zeros((n, n)),
            lambda: np.eye(n).tolist(),
            lambda: np.ones((n, n + 1)),
            lambda: np.full((n, n), np.nan),
            lambda: np.ones(n),
            lambda: np.full((n, n), "a"),
            lambda: np.ones((n, n), dtype=complex),
            lambda: np.ones((n, n)) * 1e300,
            lambda: [[1], [1, 2]],
            lambda: inputs(case, n, n, "votes", share=1.0),
        ]
        options["weights"] = case.pick(made)()
        X = case.pick([None, X])
        case.note("votes given")
    y = targets(case, "labels", n, share=0.5)
    again = None if is_once_only(y) else y
    found = attempt(
        disambig.disambiguate,
        X,
        y,
        sample_weight=sample_weights(case, n),
        groups=groups(case, n),
        **options,
    )
    if again is not None:
        sets = attempt(read_sets, found, "labels", again)
        strict = found.tolerance is None and found.method == "disambiguation"
        correct.fitted_labels(found, sets, strict)
