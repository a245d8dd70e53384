"""A fit that fails or is interrupted changes nothing; one that succeeds leaves nothing behind."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge

from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
    StructuredPredictor,
)
from disambig.exceptions import NoInformationError
from disambig.solvers import AlternatingMinimization, AlternatingRegression
from disambig.weights import NeighborWeights

N = 12
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["height", "width"])
OTHER_X = pd.DataFrame(RNG.normal(size=(N + 3, 3)), columns=["depth", "height", "width"])
QUERIES = RNG.normal(size=(5, 2))


def labels(n):
    return [{"ab"[k % 2]} if k % 3 else {"a", "b"} for k in range(n)]


def ranks(n):
    table = np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0], [0.0, np.nan, 1.0]])
    return table[np.arange(n) % 3]


def intervals(n):
    lower = np.sin(np.arange(n))
    return np.column_stack([lower, lower + np.arange(n) % 3])


def bits(n):
    table = np.array([[1.0, 0.0], [0.0, np.nan], [np.nan, 1.0]])
    return table[np.arange(n) % 3]


@dataclass(frozen=True)
class Kind:
    """An estimator, what makes y for n rows, what y says nothing, and names of its options."""

    model: Any
    y: Any
    nothing: Any
    marker: str


WEIGHTS, STEPS = NeighborWeights(n_neighbors=3), AlternatingMinimization()
REAL_STEPS = AlternatingRegression()
KINDS = {
    "classifier": Kind(
        PartialLabelClassifier(WEIGHTS, solver=STEPS), labels, [{"a", "b"}] * N, "classes_"
    ),
    "ranker": Kind(PartialRanker(WEIGHTS, solver=STEPS), ranks, np.full((N, 3), np.nan), "items_"),
    "regressor": Kind(
        IntervalRegressor(WEIGHTS, solver=REAL_STEPS),
        intervals,
        np.tile([-np.inf, np.inf], (N, 1)),
        "span_",
    ),
    "structures": Kind(
        StructuredPredictor("zero_one", weights=WEIGHTS, solver=STEPS),
        labels,
        [{"a", "b"}] * N,
        "infimum_is_exact_",
    ),
    "any classifier": Kind(
        DisambiguatedClassifier(LogisticRegression(), weights=WEIGHTS, solver=STEPS),
        labels,
        [{"a", "b"}] * N,
        "disambiguator_",
    ),
    "any regressor": Kind(
        DisambiguatedRegressor(Ridge(), weights=WEIGHTS, solver=REAL_STEPS, undecided="include"),
        intervals,
        np.tile([-np.inf, np.inf], (N, 1)),
        "disambiguator_",
    ),
}
# Undecided rows of the small problems are announced.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(params=KINDS, ids=lambda name: name.replace(" ", "-"))
def kind(request):
    return KINDS[request.param]


def snapshot(model, kind):
    """What a model answers and remembers."""
    frame = pd.DataFrame(QUERIES, columns=["height", "width"])
    return {
        "predictions": np.asarray(model.predict(frame)).tolist(),
        "score": model.score(X, kind.y(N)),
        "labels": np.asarray(model.labels_).tolist(),
        "features": model.n_features_in_,
        "names": model.feature_names_in_.tolist(),
        "attributes": {name: id(value) for name, value in vars(model).items()},
    }


def interrupted(progress):
    raise KeyboardInterrupt


def bad_fits(kind):
    """A name, the fit that fails, and its error."""
    infinite = X.copy()
    infinite.iloc[4, 1] = np.inf
    return {
        "no information": (lambda model: model.fit(X, kind.nothing), NoInformationError),
        "rows of y": (lambda model: model.fit(OTHER_X, kind.y(N)), ValueError),
        "infinite value": (lambda model: model.fit(infinite, kind.y(N)), ValueError),
        "sample weight": (
            lambda model: model.fit(OTHER_X, kind.y(N + 3), sample_weight=-np.ones(N + 3)),
            ValueError,
        ),
        "no y": (lambda model: model.fit(OTHER_X, None), ValueError),
    }


FAILURES = tuple(bad_fits(KINDS["classifier"]))


@pytest.mark.parametrize("failure", FAILURES)
def test_a_refused_refit_leaves_the_earlier_model(kind, failure):
    model = clone(kind.model).fit(X, kind.y(N))
    before = snapshot(model, kind)
    bad_fit, error = bad_fits(kind)[failure]
    with pytest.raises(error):
        bad_fit(model)
    assert snapshot(model, kind) == before


@pytest.mark.parametrize(
    "options",
    [{"method": "magic"}, {"solver": "magic"}, {"weights": "magic"}, {"verbose": -1}],
    ids=lambda options: next(iter(options)),
)
def test_bad_options_leave_the_earlier_model(kind, options):
    model = clone(kind.model).fit(X, kind.y(N))
    before = snapshot(model, kind)
    earlier = {name: getattr(model, name) for name in options}
    with pytest.raises(ValueError, match=r"must be|is not known|expected one of"):
        model.set_params(**options).fit(OTHER_X, kind.y(N + 3))
    assert snapshot(model.set_params(**earlier), kind) == before


def test_an_interrupted_refit_leaves_the_earlier_model(kind):
    model = clone(kind.model).fit(X, kind.y(N))
    before = snapshot(model, kind)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(callback=interrupted).fit(OTHER_X, kind.y(N + 3))
    assert snapshot(model.set_params(callback=None), kind) == before


@pytest.mark.parametrize("failure", [*FAILURES, "interrupt"])
def test_a_first_fit_that_fails_leaves_no_model(kind, failure):
    model = clone(kind.model)
    if failure == "interrupt":
        with pytest.raises(KeyboardInterrupt):
            model.set_params(callback=interrupted).fit(X, kind.y(N))
    else:
        bad_fit, error = bad_fits(kind)[failure]
        with pytest.raises(error):
            bad_fit(model)
    assert not [name for name in vars(model) if name.endswith("_")]
    with pytest.raises(NotFittedError):
        model.predict(QUERIES)
    with pytest.raises(NotFittedError):
        model.score(QUERIES, kind.y(5))


def test_a_refit_leaves_nothing_of_the_earlier_one(kind):
    model = clone(kind.model).fit(X, kind.y(N))
    model.fit(QUERIES, kind.y(5))
    fresh = clone(kind.model).fit(QUERIES, kind.y(5))
    # An array has no names of columns; those of the frame must be gone.
    assert set(vars(model)) == set(vars(fresh))
    assert hasattr(model, kind.marker)
    assert not hasattr(model, "feature_names_in_")
    assert np.asarray(model.predict(X.to_numpy())).tolist() == (
        np.asarray(fresh.predict(X.to_numpy())).tolist()
    )


def test_parameters_of_the_user_are_not_changed(kind):
    model = clone(kind.model)
    # Objects inside are parameters too: `get_params` lists theirs.
    before = {name: (id(value), repr(value)) for name, value in model.get_params().items()}
    parts = [value for value in model.get_params(deep=False).values() if hasattr(value, "__dict__")]
    contents = [dict(vars(part)) for part in parts]
    model.fit(X, kind.y(N))
    with pytest.raises(NoInformationError):
        model.fit(X, kind.nothing)
    assert {n: (id(v), repr(v)) for n, v in model.get_params().items()} == before
    assert [dict(vars(part)) for part in parts] == contents


def test_bits_are_kept_as_well():
    model = PartialMultilabelClassifier(weights=WEIGHTS).fit(X, bits(N))
    before = model.predict(QUERIES).tolist()
    with pytest.raises(ValueError, match="X has 15 rows and y has 12"):
        model.fit(OTHER_X, bits(N))
    assert model.predict(QUERIES).tolist() == before
    assert model.n_features_in_ == 2
