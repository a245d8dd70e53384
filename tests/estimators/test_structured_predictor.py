"""`StructuredPredictor`: results, checks of a task, sample weights, scikit-learn conventions."""

import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from disambig import PartialLabelClassifier, PartialMultilabelClassifier, StructuredPredictor
from disambig.candidates import PartialBits
from disambig.exceptions import (
    CandidateError,
    MissingOracleError,
    NoInformationError,
    UnusedClassWarning,
)
from disambig.losses.structured import PointFaces, StructuredLoss
from disambig.solvers import AlternatingMinimization
from disambig.weights import KernelRidgeWeights, NadarayaWatsonWeights, NeighborWeights

METHODS = ["disambiguation", "infimum", "average"]
REQUIRED = (
    "candidates",
    "embed_target",
    "embed_prediction",
    "best_prediction",
    "best_candidate",
    "average",
    "largest_loss",
)


class Marks:
    """A task of numbers, by default 0 to 4, with the squared loss, written with plain loops.

    ``(z - y)^2 = <(1, -2 z, z^2), (y^2, y, 1)>``.
    """

    def __init__(self, marks: tuple[float, ...] = (0, 1, 2, 3, 4)) -> None:
        self.marks = marks

    def candidates(self, y: Any) -> list[set[float]]:
        for row, marks in enumerate(y):
            if not marks or not set(marks) <= set(self.marks):
                raise CandidateError(f"Marks: row {row} is {marks!r}")
        return [set(marks) for marks in y]

    def embed_target(self, outputs: Any) -> np.ndarray:
        return np.array([[y**2, y, 1.0] for y in outputs])

    def embed_prediction(self, outputs: Any) -> np.ndarray:
        return np.array([[1.0, -2 * z, z**2] for z in outputs])

    def best_prediction(self, scores: np.ndarray) -> list[float]:
        return [min(self.marks, key=lambda z: s[0] - 2 * z * s[1] + z * z * s[2]) for s in scores]

    def best_candidate(self, scores: np.ndarray, candidates: Any) -> list[float]:
        return [
            min(sorted(marks), key=lambda y: y * y * s[0] + y * s[1] + s[2])
            for s, marks in zip(scores, candidates, strict=True)
        ]

    def average(self, candidates: Any) -> np.ndarray:
        return np.array([self.embed_target(sorted(marks)).mean(axis=0) for marks in candidates])

    def largest_loss(self, candidates: Any) -> float:
        return 16.0


def task_with(**methods: Any) -> SimpleNamespace:
    """`Marks` with some methods replaced (or removed, by None)."""
    marks = Marks()
    kept = {name: getattr(marks, name) for name in REQUIRED} | methods
    return SimpleNamespace(**{name: method for name, method in kept.items() if method is not None})


def model_of(task: Any = None, **options: Any) -> StructuredPredictor:
    options.setdefault("weights", NeighborWeights(n_neighbors=3))
    return StructuredPredictor(Marks() if task is None else task, **options)


X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.3]])
Y = [{0, 1}, {0, 3}, {0}, {2, 4}, {4}, {4}]


def noisy(n: int = 40, seed: int = 0) -> tuple[np.ndarray, list[set[int]]]:
    """Inputs on a line; candidates are the integer part of the input and two random marks."""
    rng = np.random.default_rng(seed)
    inputs = np.sort(rng.uniform(0, 5, size=n))[:, None]
    return inputs, [
        {int(x), int(a), int(b)}
        for x, (a, b) in zip(inputs[:, 0], rng.integers(5, size=(n, 2)), strict=True)
    ]


# --------------------------------------------------------------------------------- results


@pytest.mark.parametrize("method", ["disambiguation", "infimum"])
def test_marks_are_recovered(method: str) -> None:
    model = model_of(method=method).fit(X, Y)
    assert model.labels_.tolist() == [0, 0, 0, 4, 4, 4]
    assert model.predict([[0.05], [9.0]]).tolist() == [0, 4]
    assert model.decided_.all()
    assert model.converged_


@pytest.mark.parametrize("method", METHODS)
def test_score_is_minus_the_loss_to_the_nearest_candidate(method: str) -> None:
    model = model_of(method=method).fit(X, Y)
    queries, y = [[0.05], [5.2], [0.1]], [{1, 3}, {2}, {0}]
    predicted = model.predict(queries)
    losses = [min((z - mark) ** 2 for mark in marks) for z, marks in zip(predicted, y, strict=True)]
    assert model.score(queries, y) == pytest.approx(-np.mean(losses))
    weighted = model.score(queries, y, sample_weight=[2, 1, 0])
    assert weighted == pytest.approx(-(2 * losses[0] + losses[1]) / 3)
    with pytest.raises(ValueError, match="X has 2 rows and y has 3"):
        model.score(queries[:2], y)


def test_average_learns_from_the_means() -> None:
    model = model_of(method="average").fit(X, Y)
    # Mean marks {0, 1}, {0, 3}, {0}: (.5 + 1.5 + 0) / 3 = .67, nearest mark 1.
    assert model.predict([[0.1]]).tolist() == [1]


def test_search_over_the_components() -> None:
    inputs, y = noisy()
    grid = {"weights__n_neighbors": [1, 5], "method": ["disambiguation", "average"]}
    y_array = np.empty(len(y), dtype=object)
    y_array[:] = y
    search = GridSearchCV(model_of(), grid, cv=3).fit(inputs, y_array)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > -1


def test_a_callback_stops_the_run() -> None:
    received: list[Any] = []
    inputs, y = noisy()

    def stop(progress: Any) -> bool:
        received.append(progress)
        return True

    model = model_of(callback=stop).fit(inputs, y)
    assert len(received) == 1
    assert not model.converged_


# ----------------------------------------------------------------------- checks of a task


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ({"best_prediction": lambda s: [0] * (len(s) - 1)}, "best_prediction returned 5 outputs"),
        ({"best_prediction": lambda s: np.array(3)}, "best_prediction returned a scalar"),
        (
            {"best_candidate": lambda s, c: np.zeros(len(s) + 2, dtype=int)},
            "best_candidate returned 8 outputs; expected 6, one for each row",
        ),
        (
            {"embed_target": lambda y: np.full((len(y), 3), np.nan)},
            "embed_target returned NaN or infinity, first in row 0",
        ),
        (
            {"embed_prediction": lambda z: np.where(np.arange(len(z)) == 2, np.inf, 0)[:, None]},
            r"embed_prediction returned an array of shape \(6, 1\); expected \(6, 3\)",
        ),
        (
            {"embed_prediction": lambda z: np.outer(np.arange(len(z)) == 2, [np.inf] * 3)},
            "embed_prediction returned NaN or infinity, first in row",
        ),
        ({"average": lambda c: np.zeros(len(c))}, r"average returned an array of shape \(6,\)"),
        (
            {"average": lambda c: np.full((len(c), 3), np.nan)},
            "average returned NaN or infinity, first in row 0",
        ),
        (
            {"mean_prediction": lambda s, t: np.zeros((len(s), 2))},
            r"mean_prediction returned an array of shape \(6, 2\); expected \(6, 3\)",
        ),
        ({"largest_loss": lambda c: np.nan}, "largest_loss returned nan"),
        ({"largest_loss": lambda c: -1.0}, r"largest_loss returned -1\.0"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in multiply:RuntimeWarning")
def test_return_values_of_a_task_are_checked(methods: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model_of(task_with(**methods)).fit(X, Y)


def test_a_start_that_the_task_does_not_have() -> None:
    solver = AlternatingMinimization(start="infimum")
    with pytest.raises(MissingOracleError, match=r"start='infimum' needs a method start"):
        model_of(task_with(), solver=solver).fit(X, Y)
    marks = Marks()
    offered = task_with(start=lambda candidates, kind: marks.average(candidates))
    assert model_of(offered, solver=solver).fit(X, Y).trace_[0].stage == "infimum"


@pytest.mark.parametrize("name", REQUIRED)
def test_a_missing_method_is_named(name: str) -> None:
    with pytest.raises(TypeError, match=f"SimpleNamespace lacks {name}; expected the methods of"):
        model_of(task_with(**{name: None})).fit(X, Y)


def test_a_class_is_not_a_task() -> None:
    with pytest.raises(TypeError, match=r"got the class Marks; pass an instance, Marks\(...\)"):
        model_of(Marks).fit(X, Y)


def test_errors_of_the_task_reach_the_user() -> None:
    with pytest.raises(CandidateError, match="Marks: row 1 is"):
        model_of().fit(X[:2], [{0}, set()])


def test_outputs_may_be_lists_of_equal_length() -> None:
    """numpy would turn a list of n pairs into an array (n, 2)."""
    marks = Marks()

    class Pairs:
        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or not hasattr(marks, name):
                raise AttributeError(name)
            return getattr(marks, name)

        def embed_target(self, outputs: Any) -> np.ndarray:
            return marks.embed_target([first for first, _ in outputs])

        def embed_prediction(self, outputs: Any) -> np.ndarray:
            return marks.embed_prediction([first for first, _ in outputs])

        def best_prediction(self, scores: Any) -> Any:
            return [[z, "z"] for z in marks.best_prediction(scores)]

        def best_candidate(self, scores: Any, candidates: Any) -> Any:
            return [[y, "y"] for y in marks.best_candidate(scores, candidates)]

    model = model_of(Pairs()).fit(X, Y)
    assert model.labels_.shape == (6,)
    assert model.labels_.tolist() == [[0, "y"]] * 3 + [[4, "y"]] * 3
    assert model.predict([[0.0]]).tolist() == [[0, "z"]]


def test_strings_are_not_truncated() -> None:
    short = PointFaces(np.array(["a", "b"]), np.zeros((2, 1)))
    long = PointFaces(np.array(["abc"]), np.ones((1, 1)))
    assert short.replace(np.array([1]), long).outputs.tolist() == ["a", "abc"]


# --------------------------------------------------------------------------- sample weights


@pytest.mark.parametrize("method", METHODS)
def test_rows_of_weight_zero_take_no_part_and_are_labelled(method: str) -> None:
    weight = np.array([1, 1, 1, 1, 1, 1, 0, 0])
    inputs = np.vstack([X, [[0.15], [5.2]]])
    model = model_of(method=method).fit(inputs, [*Y, {1, 2}, {0, 1}], sample_weight=weight)
    alone = model_of(method=method).fit(X, Y)
    np.testing.assert_array_equal(model.labels_[:6], alone.labels_)
    np.testing.assert_array_equal(model.predict(inputs), alone.predict(inputs))
    # The candidates nearest to the predictions from the other rows.
    assert model.labels_[6:].tolist() == [1, 1]
    assert model.labels_.shape == model.decided_.shape == (8,)


@pytest.mark.parametrize(
    "weights",
    [NadarayaWatsonWeights(bandwidth=0.5), KernelRidgeWeights(regularization=0.01)],
    ids=["Nadaraya-Watson", "kernel ridge"],
)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(5))
def test_integer_weights_equal_repeated_rows(weights: Any, method: str, seed: int) -> None:
    # Votes and marks without ties: rounding in the task would decide a tie.
    values = tuple(np.cumsum([0.0, 1.13, 0.79, 1.31, 0.93]).tolist())
    inputs, y = noisy(25, seed)
    y = [{values[mark] for mark in marks} for marks in y]
    counts = np.random.default_rng(seed).integers(0, 4, size=25)
    repeated = np.repeat(np.arange(25), counts)
    options = {"weights": weights, "method": method}
    weighted = model_of(Marks(values), **options).fit(inputs, y, sample_weight=counts)
    copied = model_of(Marks(values), **options).fit(inputs[repeated], [y[row] for row in repeated])
    np.testing.assert_array_equal(weighted.labels_[repeated], copied.labels_)
    queries = np.linspace(0, 5, 41)[:, None]
    np.testing.assert_array_equal(weighted.predict(queries), copied.predict(queries))
    assert weighted.objective_ == pytest.approx(copied.objective_)


def test_integer_weights_equal_repeated_rows_for_annealing() -> None:
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(40, 2))
    bits = (inputs @ rng.normal(size=(2, 4)) > 0).astype(float)
    y = np.where(rng.random(bits.shape) < 0.5, np.nan, bits)
    counts = rng.integers(1, 6, size=40)
    repeated = np.repeat(np.arange(40), counts)
    model = PartialMultilabelClassifier(weights=KernelRidgeWeights(), solver="annealed")
    weighted = clone(model).fit(inputs, PartialBits.from_any(y), sample_weight=counts)
    copied = clone(model).fit(inputs[repeated], PartialBits.from_any(y[repeated]))
    np.testing.assert_allclose(
        weighted.solution_.targets.embedded[repeated], copied.solution_.targets.embedded, atol=1e-6
    )


def test_inputs_without_votes_get_the_mean_target() -> None:
    weights = NadarayaWatsonWeights(bandwidth=0.3)
    model = model_of(weights=weights).fit(X, [{0}, {0}, {1}, {4}, {4}, {4}])
    with pytest.warns(UserWarning, match="1 of 2 inputs get no vote"):
        predicted = model.predict([[0.1], [1e9]])
    # The mean of 0, 0, 1, 4, 4, 4 is 2.17.
    assert predicted.tolist() == [0, 2]


def test_prediction_may_use_other_weights() -> None:
    model = model_of(predict_weights=NeighborWeights(n_neighbors=6)).fit(X, Y)
    assert model.labels_.tolist() == [0, 0, 0, 4, 4, 4]
    assert model.predict([[0.0]]).tolist() == [2]
    with pytest.raises(ValueError, match="must both read X as inputs"):
        model_of(predict_weights="precomputed").fit(X, Y)


def test_precomputed_distances() -> None:
    distances = np.abs(X - X.T)
    weights = NeighborWeights(n_neighbors=3, metric="precomputed")
    sample_weight = [1, 1, 1, 1, 0, 1]
    model = model_of(weights=weights).fit(distances, Y, sample_weight=sample_weight)
    plain = model_of().fit(X, Y, sample_weight=sample_weight)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    np.testing.assert_array_equal(model.predict(distances), plain.predict(X))


# ----------------------------------------------------------------- scikit-learn conventions


@pytest.mark.parametrize("method", METHODS)
def test_labels_are_the_default_task(method: str) -> None:
    inputs, y = noisy()
    weights = NeighborWeights(n_neighbors=5)
    ours = StructuredPredictor(weights=weights, method=method).fit(inputs, y)
    classifier = PartialLabelClassifier(weights=weights, method=method).fit(inputs, y)
    np.testing.assert_array_equal(ours.labels_, classifier.labels_)
    assert ours.objective_ == pytest.approx(classifier.objective_)
    assert ours.infimum_is_exact_ is (True if method == "infimum" else None)
    words = np.array(["zero", "one", "two", "three", "four"])
    named = StructuredPredictor(weights=weights, method=method).fit(
        inputs, [{words[mark] for mark in marks} for marks in y]
    )
    assert set(named.predict(inputs)) <= set(words)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("spelled_out", [False, True])
def test_objective_is_that_of_the_labels(method: str, spelled_out: bool) -> None:
    """``sum_i min_z sum_j alpha[i, j] loss(z, label j)``, whether by a matrix or by a task."""
    inputs, y = noisy()
    weights = NeighborWeights(n_neighbors=5)
    matrix = np.subtract.outer(np.arange(5.0), np.arange(5.0)) ** 2
    task = Marks() if spelled_out else matrix
    model = model_of(task, weights=weights, method=method).fit(inputs, y)
    assert all(label in marks for label, marks in zip(model.labels_, y, strict=True))
    alpha = weights.fit(inputs).training_votes().matrix.toarray()
    expected = (alpha @ matrix[model.labels_.astype(int)]).min(axis=1).sum()
    assert model.objective_ == pytest.approx(expected)


@pytest.mark.parametrize("method", METHODS)
def test_clone_and_pickle(method: str) -> None:
    model = model_of(method=method)
    assert clone(model).get_params().keys() == model.get_params().keys()
    assert not hasattr(clone(model.fit(X, Y)), "labels_")
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.predict(X), model.predict(X))
    np.testing.assert_array_equal(restored.labels_, model.labels_)


class ExactMarks(Marks):
    """With an exact infimum loss, by trying every mark."""

    def infimum_prediction(self, votes: Any, candidates: Any, rtol: float) -> list[float]:
        nearest = [[min((z - y) ** 2 for y in s) for z in self.marks] for s in candidates]
        return (votes @ np.array(nearest, dtype=float)).argmin(axis=1).tolist()


def test_an_exact_infimum_loss_of_the_task_is_used_and_survives_pickling() -> None:
    model = model_of(ExactMarks(), method="infimum").fit(X, Y)
    assert model.infimum_is_exact_ is True
    restored = pickle.loads(pickle.dumps(model))
    assert restored.fit(X, Y).infimum_is_exact_ is True
    assert StructuredLoss(Marks()).infimum_prediction is None
    wrong = task_with(infimum_prediction=lambda votes, candidates, rtol: [0])
    with pytest.raises(ValueError, match="infimum_prediction returned 1 outputs; expected 6"):
        model_of(wrong, method="infimum").fit(X, Y)


def test_errors_before_and_at_fit() -> None:
    with pytest.raises(NotFittedError):
        model_of().predict(X)
    with pytest.raises(NotFittedError):
        model_of().score(X, Y)
    with pytest.raises(
        ValueError,
        match=r"method must be one of .*; got 'hope'",
    ):
        model_of(method="hope").fit(X, Y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        model_of().fit(X, None)
    with pytest.raises(ValueError, match="X has 6 rows and y has 5"):
        model_of().fit(X, Y[:5])


def test_unlabeled_rows_are_not_scored() -> None:
    X = np.arange(6.0)[:, None]
    model = StructuredPredictor(weights=NeighborWeights(1)).fit(X, [0, 0, 0, 1, 1, 1])
    y = [{0, 1}, {0, 1}, 1, {0, 1}, {0, 1}, 1]
    # Two rows count, and one of them is missed.
    assert model.score(X, y) == -0.5
    with pytest.warns(UserWarning, match="No row to score excludes a class"):
        assert np.isnan(model.score(X, np.ones((6, 2), dtype=bool)))
    with pytest.raises(NoInformationError, match="none of the 6 rows excludes a class"):
        model.fit(X, np.ones((6, 2), dtype=bool))
    with pytest.warns(UnusedClassWarning, match="1 of 3 classes are never a candidate"):
        model.fit(X, np.eye(3, dtype=bool)[[0, 0, 0, 1, 1, 1]])


def test_a_label_without_a_training_row_is_scored() -> None:
    X = np.arange(6.0)[:, None]
    model = StructuredPredictor(weights=NeighborWeights(1)).fit(X, [0, 0, 0, 1, 1, 1])
    assert model.score(X, [0, 0, 7, 1, 1, 1]) == pytest.approx(-1 / 6)


def test_scores_of_bits_read_markers_and_check_weights():
    X, y = [[0.0], [1.0], [10.0], [11.0]], [[1, -1], [0, 1], [-1, 0], [1, 1]]
    model = PartialMultilabelClassifier(weights=NeighborWeights(2), unlabeled=-1).fit(X, y)
    unknown = np.where(np.equal(y, -1), np.nan, y)
    assert model.score(X, y) == model.score(X, unknown)
    for weights in ([1, 1], [1, 1, 1, -1], [1, 1, np.nan, 1], "all"):
        with pytest.raises(ValueError, match="sample_weight"):
            model.score(X, y, sample_weight=weights)
    with pytest.warns(UserWarning, match="No row to score has a known bit"):
        assert np.isnan(model.score(X, y, sample_weight=np.zeros(4)))
