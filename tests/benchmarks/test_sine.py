"""The paper's regression problem: the authors' numbers, our version of their loop, selection."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.reference import __main__ as command
from benchmarks.reference import environment, interval
from benchmarks.reference.jobs import run_job
from benchmarks.sine import default
from benchmarks.sine.variations import COMPARED, VARIATIONS, compare
from disambig import IntervalRegressor
from disambig.datasets import SignCorruption
from disambig.solvers import AlternatingRegression
from disambig.solvers.boxes import projected_newton
from disambig.weights import KernelRidgeWeights
from reproduce.interval.methods import METHODS, Fitted, Method, coded_targets
from reproduce.interval.problems import BANDWIDTH, RIDGES, SineProblem, sine_problem
from reproduce.interval.selection import Errors, measure


def quiet(line: str) -> None:
    pass


def method(family: str, objective: str, weights: str, end: str) -> Method:
    (found,) = (m for m in METHODS if m.described == (family, objective, weights, end))
    return found


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        (("DF", "`y <- P(A A y)`", "sum one", "moves < 1e-5"), 0.4577),
        (("DF", "`y <- P(A A y)`", "as they are", "moves < 1e-5"), 0.2235),
        (("IL", "as coded", "as they are", "grid"), 1.5965),
        (("AC", "votes", "sum one", "closed form"), 0.9254),
        (("AC", "risk", "as they are", "closed form"), 0.2178),
    ],
)
@pytest.mark.needs_jit
def test_errors_of_the_published_figure(wanted: tuple[str, str, str, str], error: float) -> None:
    """Seed 0 of the authors, with the ridge chosen with the truth."""
    problem = sine_problem(0)
    path = method(*wanted).path(problem)
    errors = [float(np.mean((found.predictions - problem.truth) ** 2)) for found in path]
    assert min(errors) == pytest.approx(error, abs=6e-5)


@pytest.mark.parametrize("ridge", RIDGES[:2])
def test_their_loop_minimises_a_quadratic(ridge: float) -> None:
    problem = sine_problem(1)
    weights = KernelRidgeWeights(bandwidth=BANDWIDTH, regularization=ridge).fit(problem.X)
    votes = weights.training_votes() @ np.eye(10)
    lower, upper = problem.intervals.lower.ravel(), problem.intervals.upper.ravel()
    targets, steps = coded_targets(votes, lower, upper, 1e-13)
    assert steps > 10
    assert problem.intervals.contains(targets).all()
    form = np.eye(10) - votes @ votes
    optimum = projected_newton((form + form.T) / 2, lower, upper, problem.centers)
    np.testing.assert_allclose(targets, optimum.y, atol=1e-9)


def test_held_out_rows_are_not_learnt_from() -> None:
    problem = sine_problem(2)
    rest = problem.without(np.array([3, 5]))
    assert len(rest.X) == len(rest.intervals) == len(rest.targets) == 8
    np.testing.assert_array_equal(rest.queries, problem.X[[3, 5]])
    np.testing.assert_array_equal(rest.truth, problem.targets[[3, 5]])
    assert not set(rest.X.ravel()) & set(rest.queries.ravel())


def test_wave_and_intervals_are_shifted_together() -> None:
    here, there = sine_problem(2), sine_problem(2, shift=3.0)
    np.testing.assert_allclose(there.intervals.lower, here.intervals.lower + 3)
    np.testing.assert_allclose(there.truth, here.truth + 3)
    with pytest.raises(TypeError, match="expected a corruption into intervals"):
        sine_problem(2, corruption=SignCorruption(0.5))


def test_errors_and_distances_of_constants() -> None:
    """Constant predictions have known errors on the grid and at held-out rows."""

    def fit(problem: SineProblem, ridge: float, values: Sequence[Any]) -> list[Fitted]:
        return [Fitted(np.full(len(problem.queries), ridge * value)) for value in values]

    problem = sine_problem(4)
    constants = [ridge * value for ridge in RIDGES for value in (90.0, 1.0)]
    found = measure(Method("DF", "", "", "", fit, (90.0, 1.0)), [problem])
    assert found.settings == [(ridge, value) for ridge in RIDGES for value in (90.0, 1.0)]
    expected = [np.mean((problem.truth - c) ** 2) for c in constants]
    np.testing.assert_allclose(found.errors[0], expected)
    distances = [np.mean(problem.intervals.distances(np.full((10, 1), c)) ** 2) for c in constants]
    np.testing.assert_allclose(found.distances[0], distances)
    assert found.at(RIDGES[0])[0] == expected[1]
    assert found.without_truth[0] == expected[int(np.argmin(distances))]


@pytest.mark.parametrize(
    ("kind", "formulation"),
    [
        ("as they are", "votes"),
        ("sum one", "votes"),
        ("intercept", "votes"),
        ("as they are", "risk"),
        ("intercept", "risk"),
    ],
)
def test_early_stopping_is_that_of_the_estimator(kind: str, formulation: Any) -> None:
    problem = sine_problem(5)
    (path,) = (
        m.fit(problem, 1e-3, (2, 7))
        for m in METHODS
        if m.described == ("DF", formulation, kind, "early stop")
    )
    for found, steps in zip(path, (2, 7), strict=True):
        weights = KernelRidgeWeights(
            bandwidth=BANDWIDTH,
            regularization=1e-3,
            intercept=kind == "intercept",
            normalize=kind == "sum one",
        )
        solver = AlternatingRegression(steps=steps)
        model = IntervalRegressor(weights, formulation=formulation, solver=solver)
        expected = model.fit(problem.X, problem.intervals).predict(problem.queries)
        np.testing.assert_allclose(found.predictions, expected, rtol=1e-12, atol=1e-12)


def test_choices_with_and_without_the_truth() -> None:
    errors = Errors(
        [(1.0, None), (2.0, None)], np.array([[1.0, 2.0]]), np.array([[5.0, 4.0]]), 0, 0
    )
    assert errors.with_truth.tolist() == [1.0]
    assert errors.chosen.tolist() == [1]
    assert errors.without_truth.tolist() == [2.0]


def test_all_methods_run_on_a_variation() -> None:
    cut = replace(VARIATIONS[-1], n_samples=4)
    found = compare(cut, 1, 0, quiet)
    assert len(found) == len(COMPARED)
    assert all(np.isfinite(e.errors).all() and np.isfinite(e.distances).all() for e in found)


# ------------------------------------------------------------------ the authors' code


def test_without_environment_only_ours_is_reported() -> None:
    found = interval.measure(None, n_problems=2, print_line=quiet)
    assert found.residual <= 1e-8
    assert found.joint_gap <= 1e-8
    assert all(np.nanmax(steps) <= 20 for steps in found.steps.values())
    text = interval.report(found, environment=None, reason="why", command="c", seed=0)
    assert "not available. why" in text
    assert "authors' loop" not in text.split("Machine")[1]


def test_the_command_has_the_interval_comparison(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**options: object) -> environment.Environment:
        raise environment.EnvironmentMissingError("Reference environment: none")

    monkeypatch.setattr(command, "find_or_build", refuse)
    assert command.main(["interval", "--quick"]) == 0
    assert "## Interval regression" in capsys.readouterr().out


def test_the_authors_loop_stops_where_our_rewriting_does() -> None:
    found = environment.find()
    if found is None:
        pytest.skip("no reference environment")
    problems = [sine_problem(seed) for seed in (0, 3)]
    theirs = run_job(
        found,
        "interval",
        {
            "X": np.array([p.X for p in problems]),
            "queries": problems[0].queries,
            "centers": np.array([p.centers for p in problems]),
            "radii": np.array([p.radii for p in problems]),
            "ridges": np.array([1e-1, 1e-3]),
            "bandwidth": BANDWIDTH,
            "normalized": False,
            "tol": 1e-5,
            "limit": 30.0,
        },
    )
    for t, problem in enumerate(problems):
        for k, ridge in enumerate((1e-1, 1e-3)):
            weights = KernelRidgeWeights(bandwidth=BANDWIDTH, regularization=ridge).fit(problem.X)
            np.testing.assert_allclose(
                weights.votes(problem.queries) @ np.eye(10), theirs["votes"][t, k], atol=1e-9
            )
            votes = weights.training_votes() @ np.eye(10)
            targets, steps = coded_targets(votes, problem.intervals.lower, problem.intervals.upper)
            np.testing.assert_allclose(targets, theirs["targets"][t, k], atol=1e-9)
            assert steps == theirs["iterations"][t, k]


def test_the_runner_imports_nothing_of_ours() -> None:
    """Another interpreter, which does not have our package, executes it."""
    text = (Path(sys.modules[interval.__name__].__file__ or "").parent / "runner.py").read_text()
    assert "import disambig" not in text
    assert "from disambig" not in text


def test_the_default_beside_rules_without_truth() -> None:
    assert [one.family for one in default.rules()] == ["DF", "DF", "DF", "AC"]
    problem = sine_problem(0)
    (error,) = default.errors_of_default([problem])
    with pytest.warns(UserWarning, match="too few"):
        model = IntervalRegressor().fit(problem.X, problem.intervals)
    expected = np.mean((model.predict(problem.queries) - problem.truth) ** 2)
    np.testing.assert_allclose(error, expected)
    text = default.report([["a", "1", "2"]], "command", 3)
    assert "| a | 1 | 2 |" in text
    assert "0 to 2" in text
