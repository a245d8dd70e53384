"""Experiments of docs/paper_and_code.md: the paper and the authors' programs, compared with us.

Each function compares a rule of the paper, or our implementation of a rule of the authors'
programs, with this library, and returns plain numbers.

    python -m benchmarks.paper_and_code [--data DIR]

With a folder of LIBSVM files the starts are compared on dna as well, where they matter most.
"""

import argparse
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import scale

from disambig import PartialLabelClassifier
from disambig.datasets import MajorityRowCorruption, fetch_libsvm, make_concentric_circles
from disambig.exceptions import DatasetError, InputShiftWarning
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.solvers import AlternatingMinimization
from disambig.weights import KernelRidgeWeights, NadarayaWatsonWeights, NeighborWeights
from reproduce.batch.numbers import regress_together
from reproduce.classification import figure_folds, figure_ridges
from reproduce.figure_data import standardized
from reproduce.interval.methods import coded_infimum, coded_targets
from reproduce.interval.problems import BANDWIDTH, RIDGES, SineProblem, sine_problem
from reproduce.label_sweep import sweep

CIRCLES = [1, 2, 3, 4]


# ------------------------------------------------------------------ regression


def ridge_votes(
    problem: SineProblem, ridge: float, *, sum_to_one: bool
) -> tuple[FloatArray, FloatArray]:
    """Votes at the training inputs, (n, n), and at the queries, (q, n)."""
    weights = KernelRidgeWeights(
        bandwidth=BANDWIDTH, regularization=ridge, normalize=sum_to_one
    ).fit(problem.X)
    identity = np.eye(len(problem.X))
    return weights.training_votes() @ identity, weights.votes(problem.queries) @ identity


def loop_form(votes: FloatArray) -> FloatArray:
    """``I - A²``: the authors' loop ``y <- P(A A y)`` minimises this form for symmetric votes."""
    square = votes @ votes
    form: FloatArray = np.eye(len(votes)) - (square + square.T) / 2
    return form


def sine_errors(n_seeds: int = 100) -> dict[str, float]:
    """Mean squared errors at the best ridge, chosen with the truth for each seed and method."""
    problems = [sine_problem(seed) for seed in range(n_seeds)]
    errors: dict[str, list[FloatArray]] = {}

    def add_errors(name: str, predictions: list[FloatArray]) -> None:
        pairs = zip(predictions, problems, strict=True)
        errors.setdefault(name, []).append(
            np.array([np.mean((f - p.truth) ** 2) for f, p in pairs])
        )

    for ridge in RIDGES:
        for sum_to_one, words in ((True, "votes sum to one"), (False, "votes as they are")):
            votes = [ridge_votes(p, ridge, sum_to_one=sum_to_one) for p in problems]
            ends = [(p.intervals.lower, p.intervals.upper) for p in problems]
            stopped = [coded_targets(a, *e)[0] for (a, _), e in zip(votes, ends, strict=True)]
            add_errors(f"DF, {words}", [q @ y for (_, q), y in zip(votes, stopped, strict=True)])
            add_errors(
                f"AC, {words}", [q @ p.centers for (_, q), p in zip(votes, problems, strict=True)]
            )
        forms = np.array([loop_form(a) for a, _ in votes])
        optima = regress_together(forms, [p.intervals for p in problems])
        assert optima.certified.all()
        pairs = zip(votes, optima.targets, strict=True)
        add_errors("DF, votes as they are, run to its optimum", [q @ y for (_, q), y in pairs])
        add_errors(
            "IL as coded",
            [
                coded_infimum(q, p.centers, p.radii)
                for (_, q), p in zip(votes, problems, strict=True)
            ],
        )
    return {name: float(np.min(e, axis=0).mean()) for name, e in errors.items()}


def early_stop(seed: int = 0, ridge: float = 1e-6) -> tuple[int, float, int]:
    """Steps of the authors' loop, its objective over the minimum, and our Newton steps."""
    problem = sine_problem(seed)
    votes, _ = ridge_votes(problem, ridge, sum_to_one=False)
    form = loop_form(votes)
    stopped, steps = coded_targets(votes, problem.intervals.lower, problem.intervals.upper)
    optimum = regress_together(form[np.newaxis], [problem.intervals])
    return steps, float(stopped @ form @ stopped / optimum.objective[0]), int(optimum.n_iter[0])


# ------------------------------------------------------------------ labels


def coded_labels(votes: AnyArray, mask: BoolArray, *, transposed: bool = False) -> "CodedRun":
    """The authors' half steps: ties go to the first class, and there is no transpose by default."""
    classes = np.eye(mask.shape[1])
    targets = mask / mask.sum(axis=1, keepdims=True)
    before, objectives = None, []
    backward = votes.T if transposed else votes
    for _ in range(1000):
        predictions = classes[(votes @ targets).argmax(axis=1)]
        targets = classes[np.where(mask, backward @ predictions, -np.inf).argmax(axis=1)]
        objectives.append(-float(((votes @ targets) * predictions).sum()))
        if before is not None and np.array_equal(predictions, before):
            break
        before = predictions
    return CodedRun(targets.argmax(axis=1), objectives)


class CodedRun:
    """Labels, and the objective (up to a constant) after each target step."""

    def __init__(self, labels: IntArray, objectives: list[float]) -> None:
        self.labels, self.objectives = labels, objectives

    @property
    def rose(self) -> bool:
        return bool((np.diff(self.objectives) > 1e-9).any())


def transpose_matters(n_problems: int = 200) -> dict[str, int]:
    """Counts over problems with votes of neighbours, with and without the transpose."""
    found = dict.fromkeys(["rose without", "rose with", "ended worse without", "better without"], 0)
    for seed in range(n_problems):
        rng = np.random.default_rng(seed)
        n, m, k = (int(rng.integers(*ends)) for ends in ((40, 160), (3, 7), (3, 12)))
        mask = rng.random((n, m)) < 0.4
        mask[np.arange(n), rng.integers(0, m, n)] = True
        X = rng.normal(size=(n, 2))
        votes = NeighborWeights(k).fit(X).training_votes() @ np.eye(n)
        runs = [coded_labels(votes, mask, transposed=flag) for flag in (False, True)]
        least = [-(votes @ np.eye(m)[run.labels]).max(axis=1).sum() for run in runs]
        found["rose without"] += runs[0].rose
        found["rose with"] += runs[1].rose
        found["ended worse without"] += bool(least[0] > least[1] + 1e-9)
        found["better without"] += bool(least[0] < least[1] - 1e-9)
    return found


def circle_labels(n_points: int = 2000, seed: int = 0) -> dict[str, float]:
    """Edges between circles, and shares of right labels by first vertex and by barycentre."""
    X, candidates, labels = make_concentric_circles(n_points, random_state=seed)
    votes = NeighborWeights(20).fit(X).training_votes()
    edges = coo_array(votes.matrix)
    model = PartialLabelClassifier(NeighborWeights(20), classes=CIRCLES).fit(X, candidates)
    first = coded_labels(votes.matrix, candidates).labels + 1
    return {
        "edges between circles": int((labels[edges.row] != labels[edges.col]).sum()),
        "first of equals": round(float((first == labels).mean()), 2),
        "undecided": round(float((model.labels_ == labels).mean()), 2),
    }


def circle_grid(seed: int = 0) -> dict[str, float]:
    """Shares of a grid of 2500 points that get the label of the nearest circle."""
    X, candidates, _ = make_concentric_circles(random_state=seed)
    axis = np.linspace(-4.5, 4.5, 50)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    nearest = np.clip(np.rint(np.linalg.norm(grid, axis=1)), 1, 4)
    # exp(-|x - x'|² / .08); ours has 2 b² in place of .08.
    smoothing = NadarayaWatsonWeights(bandwidth=float(np.sqrt(0.04)))
    shares = {}
    for name, method in (("DF", "disambiguation"), ("IL", "infimum")):
        model = PartialLabelClassifier(
            NeighborWeights(20), predict_weights=smoothing, method=method, classes=CIRCLES
        ).fit(X, candidates)
        with warnings.catch_warnings():
            # Half of the grid lies off the circles, as predictions of it say.
            warnings.simplefilter("ignore", InputShiftWarning)
            shares[name] = float((model.predict(grid) == nearest).mean())
    votes = smoothing.fit(X).votes(grid) @ candidates.astype(np.float64)
    shares["IL, unlabelled rows as ones"] = float((votes.argmax(axis=1) + 1 == nearest).mean())
    return {name: round(share, 3) for name, share in shares.items()}


def start_errors(
    X: FloatArray, y: AnyArray, *, level: float, bandwidth: float, regularization: float
) -> dict[str, float]:
    """Errors on four folds with the corruption of the authors' code, by start and method."""
    variants = {
        "DF from 1/|s|": {"solver": AlternatingMinimization(start="average")},
        "DF from 1": {"solver": AlternatingMinimization(start="infimum")},
        "IL exact": {"method": "infimum"},
        "AC": {"method": "average"},
    }
    errors: dict[str, list[float]] = {name: [] for name in variants}
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    for fold, (training, test) in enumerate(folds.split(X, y)):
        sets = MajorityRowCorruption(level)(y[training], random_state=fold)
        for name, options in variants.items():
            weights = KernelRidgeWeights(bandwidth=bandwidth, regularization=regularization)
            model = PartialLabelClassifier(weights, **options).fit(X[training], sets)
            errors[name].append(float((model.predict(X[test]) != y[test]).mean()))
    return {name: round(float(np.mean(values)), 3) for name, values in errors.items()}


def best_start_errors(X: FloatArray, y: AnyArray, *, level: float) -> dict[str, float]:
    """The same on the eight folds of the figure, the best of six of its cells by the truth.

    Columns are standardised as in the figure; the smallest of its bandwidths is left out.
    """
    X = standardized(X)
    sets = MajorityRowCorruption(level)(y, random_state=0)
    truth = np.searchsorted(sets.classes, y)
    folds = figure_folds(len(X), 0)
    bandwidths = [c * X.shape[1] for c in (1.0, 0.1)]
    errors: dict[str, float] = {}
    for start, named in (
        ("average", {"DF from 1/|s|": "df", "AC": "ac"}),
        ("infimum", {"DF from 1": "df", "IL exact": "il"}),
    ):
        run = sweep(X, folds, [sets], bandwidths, figure_ridges, start=start)
        for name, method in named.items():
            wrong = [
                (found[method][:, 0] != truth[test]).mean(axis=-1)
                for (_, test), found in zip(folds, run.predictions, strict=True)
            ]
            errors[name] = round(float(np.mean(wrong, axis=0).min()), 3)
    return errors


def ties_by_rounding(X: FloatArray, y: AnyArray, *, bandwidth: float) -> dict[str, float]:
    """The infimum loss as coded, from votes of a linear system and of an eigendecomposition.

    Every other row is a query. Returns the median of the largest vote, and the share of predictions
    that agree: where the set of the nearest row has one class, and where it has several.
    """
    train, test = X[::2], X[1::2]
    sets = MajorityRowCorruption(0.9)(y, random_state=0).mask[::2].astype(np.float64)
    ridge = 1e-3 * np.sqrt(len(train))
    weights = KernelRidgeWeights(bandwidth=bandwidth, regularization=ridge / len(train)).fit(train)
    solved = weights.votes(test) @ np.eye(len(train))
    kernel, query_kernel = (
        np.exp(-((rows[:, None] - train) ** 2).sum(axis=-1) / (2 * bandwidth**2))
        for rows in (train, test)
    )
    values, vectors = np.linalg.eigh(kernel)
    decomposed = query_kernel @ ((vectors / (values + ridge)) @ vectors.T)
    same = (solved @ sets).argmax(axis=1) == (decomposed @ sets).argmax(axis=1)
    several = sets[query_kernel.argmax(axis=1)].sum(axis=1) > 1
    return {
        "largest vote": float(np.median(np.abs(solved).max(axis=1))),
        "same, one class": float(same[~several].mean()),
        "same, several": round(float(same[several].mean()), 2),
    }


# ------------------------------------------------------------------ orders


def three_fence() -> FloatArray:
    """``gains[i, j]`` of placing i before j, for six items: three above, three below."""
    gains = np.zeros((6, 6))
    for i in range(3):
        gains[i, 3 + i] = 1
        gains[[3 + j for j in range(3) if j != i], i] = 1
    return gains


def triangle_program(gains: FloatArray) -> float:
    """The maximum of the linear program with all triangle inequalities."""
    m = len(gains)
    first, second = np.triu_indices(m, 1)
    place = np.zeros((m, m), dtype=np.intp)
    place[first, second] = np.arange(len(first))
    rows, limits = [], []
    for a, b, c in combinations(range(m), 3):
        row = np.zeros(len(first))
        row[[place[a, b], place[b, c], place[a, c]]] = 1, 1, -1
        rows += [row, -row]
        limits += [1.0, 0.0]
    worth = gains[first, second] - gains[second, first]
    found = linprog(-worth, np.array(rows), np.array(limits), bounds=(0, 1))
    return float(gains[second, first].sum() - found.fun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of LIBSVM files, for dna")
    arguments = parser.parse_args()
    print("Regression, mean squared errors:", sine_errors())
    print("Loop, seed 0: steps, times the least objective, Newton steps:", early_stop())
    print("Target steps:", transpose_matters())
    for n_points in (2000, 1000):
        print(f"Circles, {n_points} points:", circle_labels(n_points))
    print("Circles, grid:", circle_grid())
    X, y = load_wine(return_X_y=True)
    print("wine, level .8:", start_errors(scale(X), y, level=0.8, bandwidth=4, regularization=1e-3))
    for c in (0.1, 0.01):
        print(f"wine, bandwidth {c:g} d:", ties_by_rounding(scale(X), y, bandwidth=13 * c))
    print("3-fence by the linear program:", triangle_program(three_fence()))
    try:
        dna = fetch_libsvm("dna", folder=arguments.data, download=False)
    except DatasetError as error:
        print(error)
        return
    n, d = dna.X.shape
    settings = {"bandwidth": 0.1 * d, "regularization": 1e-3 / np.sqrt(n)}
    for level in (0.7, 0.8, 0.9):
        print(f"dna {n, d}, level {level}:", start_errors(dna.X, dna.y, level=level, **settings))
        print("  best of six cells of the figure:", best_start_errors(dna.X, dna.y, level=level))


if __name__ == "__main__":
    main()
