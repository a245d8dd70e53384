"""Errors of bad input name the row, what was expected, what came and what to do."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    PartialLabelClassifier,
    disambiguate,
    memory,
)
from disambig.exceptions import (
    MemoryBudgetError,
    MissingOracleError,
    NoInformationError,
    VotesError,
)
from disambig.losses import PinballLoss, ZeroOneLoss
from disambig.solvers import AlternatingMinimization, NewtonRegression
from disambig.weights import KernelRidgeWeights, NadarayaWatsonWeights, NeighborWeights
from disambig.weights.unreadable_inputs import readable_error

X = np.arange(12.0).reshape(6, 2)
MASK = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1]], dtype=bool)


def fit(X=X, y=MASK, **options):
    return PartialLabelClassifier(weights=NadarayaWatsonWeights(bandwidth=1.0), **options).fit(X, y)


def test_empty_set():
    bad = MASK.copy()
    bad[3] = False
    with pytest.raises(ValueError, match="row 3 has no candidate"):
        fit(y=bad)


def test_unknown_label():
    with pytest.raises(ValueError, match=r"row 2.*'z'"):
        fit(y=["a", "b", "z", "a", "b", "a"], classes=["a", "b"])


def test_no_information():
    with pytest.raises(NoInformationError, match="none of the 6 rows excludes a class"):
        fit(y=np.ones((6, 3), dtype=bool))


def test_wrong_lengths():
    with pytest.raises(ValueError, match="X has 6 rows and y has 5"):
        fit(y=MASK[:5])


@pytest.mark.parametrize("value", [-np.inf, np.inf])
def test_x_must_not_be_infinite(value):
    bad = X.copy()
    bad[2, 0] = np.nan
    bad[4, 1] = value
    with pytest.raises(ValueError, match=r"infinity.*row 4, column 1"):
        fit(X=bad)
    with pytest.raises(ValueError, match=r"infinity.*row 4, column 1"):
        fit(X=sp.csr_array(bad))
    with pytest.raises(ValueError, match=r"infinity.*row 4, column 1"):
        fit().predict(bad)
    with pytest.raises(ValueError, match=r"infinity.*row 4, column 1"):
        disambiguate(bad, MASK)


def test_a_table_that_is_neither_mask_nor_weights():
    bad = MASK.astype(float)
    bad[1, 2] = -1
    with pytest.raises(ValueError, match="row 1"):
        fit(y=bad)


def test_the_error_of_too_little_memory_names_an_alternative(monkeypatch):
    # Enough memory for the tables of 24 rows and 3 classes, not for the kernel matrix.
    monkeypatch.setattr(memory, "free_bytes", lambda: 8000)
    with pytest.raises(MemoryBudgetError, match=r"(?s)GiB.*NeighborWeights"):
        PartialLabelClassifier(weights=KernelRidgeWeights()).fit(
            np.tile(X, (4, 1)), np.tile(MASK, (4, 1))
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "magic"},
            "method must be one of 'disambiguation', 'infimum', 'average'; got 'magic'",
        ),
        ({"loss": "hinge"}, "loss must be one of .*; got 'hinge'"),
        ({"solver": "magic"}, "solver must be one of .*; got 'magic'"),
        ({"loss": np.zeros((3, 2))}, "expected one row for each prediction and 3 columns"),
    ],
)
def test_unknown_options_list_the_choices(options, message):
    with pytest.raises(ValueError, match=message):
        fit(**options)


def test_unknown_weights_list_the_choices():
    with pytest.raises(ValueError, match="neighbors"):
        PartialLabelClassifier(weights="magic").fit(X, MASK)


def test_negative_and_zero_sample_weights():
    with pytest.raises(ValueError, match="row 2 has -1"):
        PartialLabelClassifier().fit(X, MASK, sample_weight=[1, 1, -1, 1, 1, 1])
    with pytest.raises(ValueError, match=r"zero for every row|at least one non-zero"):
        PartialLabelClassifier().fit(X, MASK, sample_weight=np.zeros(6))


def test_given_votes_are_checked():
    with pytest.raises(VotesError, match=r"shape \(5, 5\); expected 6 rows"):
        disambiguate(None, MASK, weights=np.eye(5))
    bad = np.eye(6)
    bad[2, 1] = np.nan
    with pytest.raises(VotesError, match="first in row 2"):
        disambiguate(None, MASK, weights=bad)
    with pytest.raises(ValueError, match="sample_weight cannot be combined"):
        disambiguate(None, MASK, weights=np.eye(6), sample_weight=np.ones(6))


def test_weights_that_exclude_nothing():
    soft = np.full((6, 3), 0.2) + 0.4 * np.eye(3)[[0, 1, 2, 0, 1, 2]]
    with pytest.raises(NoInformationError, match="Set small weights to 0"):
        fit(y=soft)
    model = fit(y=soft, method="average")
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(NoInformationError, match="all 6 rows give every class"):
        fit(y=np.full((6, 3), 1 / 3), method="average")


def test_rows_of_inputs_are_counted_with_given_votes():
    with pytest.raises(ValueError, match="X has 5 rows and y has 6"):
        disambiguate(X[:5], MASK, weights=np.eye(6))
    with pytest.raises(ValueError, match="X has 5 rows and y has 6"):
        disambiguate(X[:5].tolist(), MASK, weights=np.eye(6))


def test_a_weighting_needs_inputs():
    with pytest.raises(ValueError, match="X is None: the weighting needs inputs"):
        disambiguate(None, MASK)


@pytest.mark.parametrize("options", [{"method": "magic"}, {"loss": np.zeros((3, 2))}])
def test_options_are_checked_before_votes_are_computed(options):
    def votes(queries, train):
        raise AssertionError("votes were computed")

    with pytest.raises(ValueError, match=r"must be one of|one row for each prediction"):
        PartialLabelClassifier(weights=votes, **options).fit(X, MASK)
    with pytest.raises(ValueError, match=r"must be one of|one row for each prediction"):
        disambiguate(X, MASK, weights=votes, **options)


# ------------------------------------------------------------------ intervals

inf, nan = np.inf, np.nan
INTERVALS = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, inf], [-inf, 3.0], [4.0, 4.0], [-inf, inf]])
each_regressor = pytest.mark.parametrize("regressor", [IntervalRegressor, DisambiguatedRegressor])


def intervals_with(row, ends):
    bad = INTERVALS.copy()
    bad[row] = ends
    return bad


@each_regressor
@pytest.mark.parametrize(
    ("row", "ends", "message"),
    [
        (3, [2.0, 1.0], "row 3 has its lower end 2.0 above its upper end 1.0"),
        (2, [nan, 1.0], "row 2 lacks an end.*missing='whole'"),
        (0, [nan, nan], "row 0 lacks an end"),
        (4, [inf, inf], "row 4 holds no number.*a point must be finite"),
        (4, [-inf, -inf], "row 4 holds no number"),
        (1, [0.0, 1e200], "row 1 has an end of 1e\\+200, the square of which overflows.*rescale y"),
    ],
)
def test_ends_that_are_not_an_interval(regressor, row, ends, message):
    with pytest.raises(ValueError, match=message):
        regressor().fit(X, intervals_with(row, ends))


@each_regressor
def test_points_must_be_numbers(regressor):
    points = np.arange(6.0)
    for bad, message in ((nan, "row 2.*NaN"), (inf, "row 2.*infinity")):
        points[2] = bad
        with pytest.raises(ValueError, match=message):
            regressor().fit(X, points)


@each_regressor
def test_missing_ends_are_infinite_with_missing_whole(regressor):
    missing = np.where(np.isinf(INTERVALS), nan, INTERVALS)
    with pytest.raises(ValueError, match="row 2 lacks an end"):
        regressor().fit(X, missing)
    model = regressor(weights="kernel_ridge", missing="whole").fit(X, missing)
    expected = regressor(weights="kernel_ridge").fit(X, INTERVALS)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    with pytest.raises(ValueError, match="missing"):
        regressor(missing="magic").fit(X, missing)


@each_regressor
@pytest.mark.parametrize("method", ["disambiguation", "infimum", "average"])
def test_intervals_without_information(regressor, method):
    whole = np.tile([-inf, inf], (6, 1))
    with pytest.raises(NoInformationError, match="each of the 6 rows allows every number"):
        regressor(method=method).fit(X, whole)
    with pytest.raises(NoInformationError, match="each of the 6 rows allows every number"):
        regressor(method=method, missing="whole").fit(X, np.full(6, nan))
    # The only informative row has weight zero.
    whole[0] = [0.0, 1.0]
    with pytest.raises(NoInformationError, match="each of the 5 rows"):
        regressor(method=method).fit(X, whole, sample_weight=[0, 1, 1, 1, 1, 1])
    boxes = np.stack([INTERVALS, np.tile([-inf, inf], (6, 1))], axis=1)
    with pytest.raises(NoInformationError, match="allows every number in column 1"):
        regressor(method=method).fit(X, boxes)


@each_regressor
def test_intervals_and_inputs_of_different_length(regressor):
    with pytest.raises(ValueError, match="X has 6 rows and y has 5"):
        regressor().fit(X, INTERVALS[:5])
    with pytest.raises(ValueError, match="requires y to be passed"):
        regressor().fit(X, None)
    with pytest.raises(ValueError, match="two columns, lower and upper"):
        regressor().fit(X, np.zeros((6, 3)))


@each_regressor
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"method": "magic"},
            ValueError,
            "method must be one of 'disambiguation', 'infimum', 'average'; got 'magic'",
        ),
        ({"loss": "hinge"}, ValueError, "loss must be one of .*; got 'hinge'"),
        ({"loss": ZeroOneLoss()}, TypeError, "a loss between numbers"),
        (
            {"loss": PinballLoss(2.0)},
            ValueError,
            "quantile must be a finite number > 0 and < 1; got 2.0",
        ),
        ({"solver": "magic"}, ValueError, "solver must be one of .*; got 'magic'"),
        (
            {"solver": AlternatingMinimization()},
            TypeError,
            "AlternatingMinimization is for labels",
        ),
        ({"solver": NewtonRegression}, TypeError, "got NewtonRegression"),
        (
            {"formulation": "magic"},
            ValueError,
            "formulation must be one of 'auto', 'risk', 'votes'; got 'magic'",
        ),
        ({"weights": "magic"}, ValueError, "weights must be one of .*; got 'magic'"),
        (
            {"formulation": "risk", "weights": NeighborWeights(2)},
            MissingOracleError,
            "formulation='risk' needs KernelRidgeWeights; got NeighborWeights.*'votes'",
        ),
        (
            {"formulation": "risk", "loss": "absolute"},
            MissingOracleError,
            "formulation='risk' needs the squared loss",
        ),
        (
            {"formulation": "risk", "weights": KernelRidgeWeights(normalize=True)},
            MissingOracleError,
            "needs KernelRidgeWeights with normalize=False",
        ),
        (
            {"formulation": "risk", "method": "infimum"},
            MissingOracleError,
            "the infimum loss is minimised at each query, which needs votes",
        ),
        (
            {"solver": "newton", "loss": "absolute"},
            MissingOracleError,
            "NewtonRegression: the problem is no convex quadratic one",
        ),
    ],
)
def test_options_for_intervals_are_checked(regressor, options, error, message):
    with pytest.raises(error, match=message):
        regressor(**{"weights": "kernel_ridge", **options}).fit(X, INTERVALS)


def test_predict_weights_and_the_risk():
    ridge = KernelRidgeWeights()
    model = IntervalRegressor(ridge, formulation="risk", predict_weights=ridge)
    with pytest.raises(MissingOracleError, match="predict_weights must be None"):
        model.fit(X, INTERVALS)


@pytest.mark.parametrize(
    "options", [{"method": "m"}, {"loss": "l"}, {"solver": "s"}, {"formulation": "f"}]
)
def test_options_for_intervals_are_checked_before_votes_are_computed(options):
    def votes(queries, train):
        raise AssertionError("votes were computed")

    with pytest.raises(ValueError, match="must be one of"):
        IntervalRegressor(votes, **options).fit(X, INTERVALS)


def test_negative_and_zero_sample_weights_of_intervals():
    with pytest.raises(ValueError, match="row 2 has -1"):
        IntervalRegressor().fit(X, INTERVALS, sample_weight=[1, 1, -1, 1, 1, 1])
    with pytest.raises(ValueError, match=r"zero for every row|at least one non-zero"):
        IntervalRegressor().fit(X, INTERVALS, sample_weight=np.zeros(6))


def test_the_largest_ends_do_not_overflow():
    large = np.array(
        [[-1e150, 1e150], [0.0, 1e150], [-1e150, -1e149], [1e149, inf], [1, 1], [2, 3]]
    )
    ridge = KernelRidgeWeights(intercept=True)
    for options in ({}, {"weights": NeighborWeights(3)}, {"method": "infimum"}):
        model = IntervalRegressor(**{"weights": ridge, **options}).fit(X, large)
        assert np.isfinite(model.predict(X)).all()
        assert np.isfinite(model.labels_).all()
        assert np.isfinite(model.objective_)


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        ("red", ValueError),
        (None, None),
        ({"a": 1}, TypeError),
        ([1, 2], ValueError),
        (10**400, ValueError),
        (pd.Timestamp("2024-01-01"), TypeError),
    ],
)
def test_an_entry_that_is_no_number_is_named(entry, error):
    odd = X.astype(object)
    odd[4, 1] = entry
    if error is None:
        # A missing cell.
        assert fit(X=odd).completion_.n_missing == 1
        return
    with pytest.raises(error, match=r"row 4, column 1 holds .*, which is no number"):
        fit(X=odd)
    with pytest.raises(error, match=r"row 4, column 1 holds .*, which is no number"):
        fit().predict(odd)
    frame = pd.DataFrame(odd, columns=["size", "color"])
    with pytest.raises(error, match=r"row 4, column 'color' holds .*, which is no number"):
        fit(X=frame)


@pytest.mark.parametrize(
    "column",
    [["a"] * 6, pd.Categorical(["a"] * 6), pd.timedelta_range("1D", periods=6), [[1, 2]] * 6],
    ids=["texts", "categories", "durations", "lists"],
)
def test_columns_of_frames_that_are_no_numbers(column):
    frame = pd.DataFrame(X, columns=["size", "depth"]).assign(odd=column)
    with pytest.raises((ValueError, TypeError), match="row 0, column 'odd' holds"):
        fit(X=frame)


def test_errors_of_other_libraries_become_our_own():
    # Versions of scikit-learn refuse frames by errors of the libraries that they use.
    found = readable_error(X, LookupError("Expected unique column names."))
    assert type(found) is ValueError
    assert str(found) == (
        "Input X cannot be read as a table of numbers: Expected unique column names."
    )
    own = ValueError("Found array with 0 sample(s)")
    assert readable_error(X, own) is own


def test_groups_may_be_tuples_of_different_lengths():
    groups = [(1, 2), (1,), (1, 2), "a", 3, "a"]
    assert fit().fit(X, MASK, groups=groups).labels_.shape == (6,)
    with pytest.raises(ValueError, match="one entry for each of the 6 rows"):
        fit().fit(X, MASK, groups=groups[:5])


def test_precomputed_pairs_that_are_not_square_with_rows_of_weight_zero():
    # Row 5 has no column.
    with pytest.raises(VotesError, match="as many columns as rows"):
        PartialLabelClassifier("precomputed").fit(X, MASK, sample_weight=[1, 1, 0, 1, 1, 1])


@pytest.mark.parametrize(
    "model", [IntervalRegressor("kernel_ridge", cv=2), DisambiguatedRegressor()]
)
def test_no_jobs(model):
    with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0"):
        model.set_params(n_jobs=0).fit(X, np.arange(6.0))


def test_models_of_the_other_kind():
    with pytest.raises(TypeError, match="must be a classifier; got the regressor Ridge"):
        DisambiguatedClassifier(Ridge()).fit(X, MASK)
    with pytest.raises(TypeError, match=r"must be a regressor; got the classifier Pipeline"):
        DisambiguatedRegressor(make_pipeline(StandardScaler(), GaussianNB())).fit(X, np.arange(6.0))
