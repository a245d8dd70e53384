"""The comparison with the authors' code: the environment, jobs, sweeps, and reports."""

import json
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import results
from benchmarks.reference import __main__ as command
from benchmarks.reference import (
    agreement,
    classification,
    environment,
    folds,
    oddities,
    random_problems,
    ranking,
)
from benchmarks.reference.environment import Environment, EnvironmentMissingError
from benchmarks.reference.jobs import JobError, run_job
from benchmarks.reference.runner import limited
from disambig import PartialLabelClassifier, PartialRanker
from disambig.candidates import LabelSets, PartialOrders
from disambig.datasets import ScoreGapCorruption, make_ranking_lines
from disambig.metrics import covering_accuracy
from disambig.votes.dense import DenseVotes
from disambig.weights import KernelRidgeWeights
from reproduce.label_sweep import METHODS, coded_infimum, sweep
from reproduce.ranking_sweep import ranking_sweep
from reproduce.recorded import recorded_error

needs_scripts = pytest.mark.skipif(os.name == "nt", reason="a shell script replaces Python")
SPLIT = np.arange(45), np.arange(45, 60)
THIS = Environment(Path(sys.executable), (), {})


def fake_python(path: Path, body: str) -> str:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def finished_environment(folder: Path) -> Path:
    """A folder that looks like a complete environment."""
    python = environment._python_in(folder)
    python.parent.mkdir(parents=True)
    python.touch()
    (folder / "pyvenv.cfg").touch()
    stamp = {"requirements": environment._requirements(), "optional": [], "missing": {"x": "why"}}
    (folder / "reference.json").write_text(json.dumps(stamp))
    return python


def small_data(seed: int = 0, n: int = 60) -> tuple[np.ndarray, np.ndarray, LabelSets]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, size=n)
    X = rng.normal(size=(n, 4)) + 2 * np.eye(3, 4)[truth]
    mask = np.eye(3, dtype=bool)[truth] | (rng.random((n, 3)) < 0.4)
    return X, truth, LabelSets(mask, np.arange(3))


# ------------------------------------------------------------------ the environment


def test_a_finished_environment_is_found(tmp_path: Path) -> None:
    python = finished_environment(tmp_path / "env")
    found = environment.find(tmp_path / "env")
    assert found == Environment(python, (), {"x": "why"})
    assert "plasp==1.0.0" in found.describe()
    assert "without x (why)" in found.describe()


def test_a_missing_environment_is_not_found(tmp_path: Path) -> None:
    assert environment.find(tmp_path / "env") is None


@pytest.mark.parametrize("stamp", ['{"requirements": ["plasp==0.9"]}', "[]", "not json"])
def test_an_environment_with_another_stamp_is_not_found(tmp_path: Path, stamp: str) -> None:
    finished_environment(tmp_path / "env")
    (tmp_path / "env" / "reference.json").write_text(stamp)
    assert environment.find(tmp_path / "env") is None


def test_an_environment_without_interpreter_is_not_found(tmp_path: Path) -> None:
    finished_environment(tmp_path / "env").unlink()
    assert environment.find(tmp_path / "env") is None


@needs_scripts
def test_an_interpreter_that_is_too_new_is_refused(tmp_path: Path) -> None:
    python = fake_python(tmp_path / "python", "echo 3 13")
    with pytest.raises(EnvironmentMissingError, match=r"3\.9 to 3\.11 .*python is 3\.13.*Install"):
        environment.build(tmp_path / "env", base=python)
    assert not (tmp_path / "env").exists()


def test_a_missing_interpreter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentMissingError, match="nowhere is not a Python"):
        environment.build(tmp_path / "env", base=str(tmp_path / "nowhere"))


@needs_scripts
def test_the_error_names_the_reason_of_a_failed_build(tmp_path: Path) -> None:
    body = 'if [ "$1" = -c ]; then echo 3 11; else echo "ERROR: no registry" >&2; exit 1; fi'
    python = fake_python(tmp_path / "python", body)
    with pytest.raises(
        EnvironmentMissingError, match=r"virtual environment failed \(ERROR: no reg"
    ):
        environment.build(tmp_path / "env", base=python)


@needs_scripts
def test_another_folder_is_not_replaced(tmp_path: Path) -> None:
    python = fake_python(tmp_path / "python", "echo 3 11")
    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "mine.txt").touch()
    with pytest.raises(EnvironmentMissingError, match="not a virtual environment"):
        environment.build(tmp_path / "env", base=python)
    assert (tmp_path / "env" / "mine.txt").exists()


@needs_scripts
def test_a_failed_build_prints_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**options: object) -> Environment:
        return environment.build(tmp_path / "env", **options)

    monkeypatch.setattr(command, "build", refuse)
    python = fake_python(tmp_path / "python", "echo 2 7")
    assert command.main(["build", "--python", python]) == 0
    assert capsys.readouterr().out.count("Reference environment:") == 1


def test_agreement_without_environment_is_marked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "find", lambda: None)
    assert command.main(["agreement", "--no-build"]) == 0
    printed = capsys.readouterr()
    assert "Not available: Reference environment: not built" in printed.out
    assert "not built" in printed.err


# ------------------------------------------------------------------ jobs


def test_a_job_runs_in_the_other_interpreter() -> None:
    answer = run_job(THIS, "check", {})
    assert answer["modules"].tolist()[:2] == ["problems.classification", "weights"]
    assert "problems" in answer["errors"][0]


def test_a_failed_job_raises_its_error() -> None:
    with pytest.raises(JobError, match="'nonsense' failed: KeyError"):
        run_job(THIS, "nonsense", {})


def test_a_job_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(JobError, match=r"stopped after 0\.001 s"):
        run_job(THIS, "check", {}, timeout=0.001)


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no alarm")
def test_an_endless_loop_is_stopped() -> None:
    def run_on() -> None:
        with limited(0.02):
            while True:
                pass

    with pytest.raises(TimeoutError):
        run_on()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


# ------------------------------------------------------------------ our code


def test_coded_infimum_is_its_definition() -> None:
    rng = np.random.default_rng(0)
    _, _, sets = small_data()
    alpha = rng.normal(size=(7, len(sets)))
    expected = [
        max(range(3), key=lambda z: sum(a for a, s in zip(row, sets, strict=True) if z in s))
        for row in alpha
    ]
    assert coded_infimum(DenseVotes(alpha), sets.mask[None] * 1.0)[0].tolist() == expected


def test_the_two_infimum_losses_differ_for_negative_votes() -> None:
    X, _, sets = small_data()
    (found,) = sweep(X, [SPLIT], [sets], [4.0, 0.4], lambda n: [1e-3]).predictions
    assert (found["il"] != found["il_coded"]).any()
    signed = KernelRidgeWeights(bandwidth=4.0, regularization=1e-3).fit(X[:45]).votes(X[45:])
    alpha = np.abs(signed @ np.eye(45))
    exact = PartialLabelClassifier(weights="precomputed", method="infimum")
    exact.fit(np.eye(45), sets[:45])
    coded = coded_infimum(DenseVotes(alpha), sets[:45].mask[None] * 1.0)[0]
    np.testing.assert_array_equal(exact.predict(alpha), coded)


@pytest.mark.parametrize("seed", range(3))
def test_the_sweep_predicts_as_the_estimator(seed: int) -> None:
    X, _, sets = small_data(seed)
    other = small_data(seed + 10)[2]
    bandwidths, ridges = (4.0, 0.4), (1e-1, 1e-4)
    # Folds of two sizes, which have different ridges.
    folds = [SPLIT, (np.arange(10, 60), np.arange(10))]
    found = sweep(X, folds, [sets, other], bandwidths, lambda n: [c / n for c in ridges])
    cells = [(h, ridge) for h in bandwidths for ridge in ridges]
    for (train, test), predictions in zip(folds, found.predictions, strict=True):
        for cell, (h, ridge) in enumerate(cells):
            weights = KernelRidgeWeights(bandwidth=h, regularization=ridge / len(train))
            for name, method in (("df", "disambiguation"), ("il", "infimum"), ("ac", "average")):
                for t, problem in enumerate((sets, other)):
                    model = PartialLabelClassifier(weights=weights, method=method)
                    model.fit(X[train], problem[train])
                    np.testing.assert_array_equal(
                        predictions[name][cell, t], model.predict(X[test])
                    )


def test_covering_errors_are_those_of_the_metric() -> None:
    rng = np.random.default_rng(1)
    _, _, sets = small_data(n=30)
    found = rng.integers(0, 3, size=(4, 1, 30))
    errors = folds.covering_errors(found, sets.mask[None])
    expected = [[1 - covering_accuracy(sets, row[0], classes=[0, 1, 2])] for row in found]
    np.testing.assert_allclose(errors, expected)


def test_a_missing_prediction_counts_as_an_error() -> None:
    masks = np.array([[[True, False, True], [False, True, True]]])
    errors = folds.covering_errors(np.full((1, 1, 2), -1), masks)
    np.testing.assert_array_equal(errors, [[1.0]])


def test_the_chosen_cell_is_the_first_of_the_lowest() -> None:
    clean = np.array([[0.4, 0.2, 0.1], [0.2, 0.4, 0.3]])
    criterion = np.array([[0.5, 0.1, 0.1], [0.5, 0.1, 0.1]])
    choice = classification.choose(clean, criterion, np.arange(3))
    assert choice.cell == 1
    assert choice.mean == pytest.approx(0.3)
    # With two folds, the standard error of the mean is half of their difference.
    assert choice.spread == pytest.approx(0.1)
    assert classification.choose(clean, clean, np.arange(3)).cell == 2
    assert classification.choose(clean, clean, np.arange(2)).cell == 0


def test_recorded_errors_are_none_where_there_are_none() -> None:
    assert recorded_error("dna", "skewed_code", 0.8, "df") == 0.280
    assert recorded_error("dna", "skewed_code", 0.8, "il") is None
    assert recorded_error("dna", "skewed_code", 0.6, "df") is None


def test_random_problems_are_reproducible_and_padded() -> None:
    ridge, near = random_problems.ridge_problem(5), random_problems.neighbor_problem(5)
    np.testing.assert_array_equal(ridge.votes, random_problems.ridge_problem(5).votes)
    np.testing.assert_allclose(ridge.votes, ridge.votes.T)
    assert (near.votes != near.votes.T).any()
    padded = random_problems.stacked([ridge, near])
    n, m = near.mask.shape
    assert padded["rows"].tolist() == [len(ridge.mask), n]
    np.testing.assert_array_equal(padded["sets"][1, :n, :m], near.mask)
    np.testing.assert_array_equal(padded["votes"][1, :n, :n], near.votes)


@pytest.mark.parametrize("with_authors", [False, True])
def test_the_report_of_a_small_figure(with_authors: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    X, truth, _ = small_data()
    monkeypatch.setattr(folds, "fetch_libsvm", lambda name, folder: SimpleNamespace(X=X, y=truth))

    def echo(env: object, name: str, arrays: dict) -> dict:
        """In place of the authors' code: predictions of ours, and given seconds."""
        n, q = len(arrays["X"]), len(arrays["queries"])
        rows = np.vstack([arrays["X"], arrays["queries"]])
        nothing = np.ones((q, 3), dtype=bool)
        sets = [LabelSets(np.vstack([mask, nothing]), np.arange(3)) for mask in arrays["sets"]]
        split = np.arange(n), np.arange(n, n + q)
        run = sweep(rows, [split], sets, arrays["bandwidths"], lambda n: [1e-2] * 3)
        named = {"df": "df", "il": "il_coded", "ac": "ac"}
        found = {theirs: run.predictions[0][ours] for theirs, ours in named.items()}
        return {**found, "unended": np.array(0), "seconds_weights": np.array(2.0)}

    monkeypatch.setattr(folds, "run_job", echo)
    result = folds.run_folds(
        "dna",
        levels=(0.0, 0.5),
        n_folds=2,
        seed=0,
        environment=THIS if with_authors else None,
        print_line=lambda line: None,
    )
    assert result.ours.clean["df"].shape == (2, 9, 4)
    assert set(result.ours.clean) == set(METHODS)
    # Without corruption every set has one class, and all methods agree.
    np.testing.assert_array_equal(result.ours.clean["df"][..., 0], result.ours.clean["ac"][..., 0])
    np.testing.assert_array_equal(result.ours.clean["df"][..., 0], result.ours.clean["il"][..., 0])
    text = classification.report(
        [result],
        environment=THIS if with_authors else None,
        reason="No registry.",
        command="a command",
        seed=0,
    )
    assert ("Authors' code: not available. No registry." in text) != with_authors
    assert "| 0.5 | IL, exact |" in text
    if with_authors:
        assert result.theirs is not None
        assert result.theirs.seconds == {"weights": 4.0}
        assert "2 of 2 folds" in text
    else:
        assert result.theirs is None
        assert "Predictions of the authors' code on dna: not available." in text


# ------------------------------------------------------------------ the ranking figure


def small_orders(seed: int = 0) -> tuple[np.ndarray, np.ndarray, list[PartialOrders], np.ndarray]:
    rng = np.random.default_rng(seed)
    lines = rng.normal(size=(5, 2))
    train = make_ranking_lines(12, 5, lines=lines, random_state=rng)
    test = make_ranking_lines(9, 5, design="grid", lines=lines)
    problems = [ScoreGapCorruption(level)(train.scores) for level in (0.5, 0.7)]
    return train.X, test.X, problems, train.scores


@pytest.mark.parametrize("seed", [0, 1])
def test_the_ranking_sweep_predicts_as_the_ranker_does(seed: int) -> None:
    X, queries, problems, _ = small_orders(seed)
    run = ranking_sweep(X, queries, problems, (1.0, 0.5), (1e-1, 1e-3))
    cells = [(h, ridge) for h in (1.0, 0.5) for ridge in (1e-1, 1e-3)]
    for cell, (h, ridge) in enumerate(cells):
        for t, orders in enumerate(problems):
            for name, method in (("df", "disambiguation"), ("il", "infimum"), ("ac", "average")):
                model = PartialRanker(
                    KernelRidgeWeights(bandwidth=h, regularization=ridge), method=method
                ).fit(X, orders)
                np.testing.assert_array_equal(
                    run.predictions[name][cell, t], model.predict(queries)
                )


def test_the_closure_of_the_shown_pairs_is_the_order_of_the_corruption() -> None:
    _, _, problems, scores = small_orders()
    shown = ranking.shown_pairs(scores, (0.5, 0.7))
    second, first = np.tril_indices(5, -1)
    for signs, orders in zip(shown, problems, strict=True):
        square = np.zeros((len(signs), 5, 5))
        square[:, first, second] = signs
        square[:, second, first] = -signs
        assert PartialOrders.from_signs(square) == orders


def test_the_report_of_a_small_ranking_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    def echo(env: object, name: str, arrays: dict) -> dict:
        """In place of the authors' code: zero for every pair, which is always wrong."""
        shape = (6, len(arrays["signs"]), len(arrays["queries"]), arrays["signs"].shape[2])
        found = {method: np.zeros(shape, dtype=np.int8) for method in ("df", "il", "ac")}
        seconds = {"seconds_DF": np.array(2.0), "seconds_IL": np.array(3.0)}
        return {**found, **seconds, "programs": np.array(7), "unended": np.array(0)}

    monkeypatch.setattr(ranking, "run_job", echo)
    result = ranking.run_draws(
        levels=(0.5, 0.8), n_draws=2, seed=0, environment=THIS, print_line=lambda line: None
    )
    assert result.ours["df"].shape == (2, 6, 2)
    assert result.theirs is not None
    np.testing.assert_array_equal(result.theirs["df"], 1.0)
    assert result.their_seconds == {"DF": 4.0, "IL": 6.0}
    # At half of the largest gap nearly all pairs are known, and lines can be learnt.
    assert result.left[0] > 0.9
    assert result.ours["df"][:, :, 0].min() < 0.1
    text = ranking.report(result, environment=THIS, reason="", command="a command", seed=0)
    assert "authors (14 linear programs)" in text
    assert "together: nowhere" in text


# ------------------------------------------------------------------ the file of results


def test_sections_are_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "RESULTS.md"
    results.write_section("one", "first", path=path)
    results.write_section("two", "second", path=path)
    results.write_section("one", "third", path=path)
    text = path.read_text()
    assert text.startswith("# Results")
    assert "first" not in text
    assert "<!-- begin: one -->\nthird\n<!-- end: one -->\n" in text
    assert text.index("third") < text.index("second")


def test_broken_markers_are_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "RESULTS.md"
    path.write_text("<!-- begin: one -->\ntext of a user\n")
    with pytest.raises(ValueError, match="1 × begin and 0 × end"):
        results.write_section("one", "new", path=path)
    assert "text of a user" in path.read_text()


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "RESULTS.md"
    results.write_section("one", "old", path=path)

    def fail(self: Path, target: Path) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        results.write_section("one", "new", path=path)
    assert "old" in path.read_text()
    assert [file.name for file in tmp_path.iterdir()] == ["RESULTS.md"]


def test_provenance_has_command_seeds_machine_and_versions() -> None:
    text = results.provenance("run it", seeds="7", more={"Extra": "yes"})
    for part in ("`run it`", "Seeds: 7", "cores", "numpy ", "Extra: yes"):
        assert part in text


# ------------------------------------------------------------------ with the authors' environment


@pytest.mark.slow
def test_both_programs_agree_without_ties() -> None:
    found = environment.find()
    if found is None:
        pytest.skip("no reference environment; `python -m benchmarks.reference build` makes one")
    measured = agreement.measure(found, symmetric=60, neighbors=60)
    assert measured.symmetric.untied >= 50
    assert measured.symmetric.same_untied == measured.symmetric.untied
    assert measured.neighbors.worsened == 0
    assert measured.neighbors.lower > measured.neighbors.higher
    assert max(measured.votes.values()) < 1e-10


@pytest.mark.slow
def test_both_programs_rank_alike_if_all_pairs_are_known() -> None:
    found = environment.find()
    if found is None or "ranking" not in found.optional:
        pytest.skip("no reference environment with its ranking module")
    result = ranking.run_draws(
        levels=(0.0,), n_draws=1, seed=0, environment=found, print_line=lambda line: None
    )
    assert result.theirs is not None
    for method in ("df", "il", "ac"):
        np.testing.assert_allclose(result.ours[method], result.theirs[method], atol=0.01)


# ------------------------------------------------------------------ odd inputs


def test_odd_inputs_without_the_authors() -> None:
    found = oddities.measure(None, n_circles=1)
    assert found.circles["ours"].tolist() == [1.0]
    assert found.whole_numbers == {"ours": 0}
    assert "row 199 has no candidate" in str(found.empty["ours"])
    assert found.grid == {"ours": 2.0}
    assert found.cycle == {"ours": True}
    text = oddities.report(found, environment=None, reason="why", command="c", seed=0)
    assert "not available. why" in text


def test_without_the_transpose_the_iteration_is_periodic() -> None:
    votes, mask = oddities.CYCLING
    seen, targets = [], mask / mask.sum(axis=1, keepdims=True)
    for _ in range(40):
        predictions = np.eye(2)[(votes @ targets).argmax(axis=1)]
        targets = np.eye(2)[np.where(mask, votes @ predictions, -np.inf).argmax(axis=1)]
        seen.append(predictions.argmax(axis=1).tolist())
    assert seen[-1] != seen[-2], "the iteration has not converged"
    assert seen[-1] in seen[:-2], "the iteration repeats a state"
