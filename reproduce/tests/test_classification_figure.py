"""The classification figure: cells, choices, replacements of missing data, the default."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disambig.exceptions import DatasetError
from reproduce import classification, figure_data
from reproduce.classification import (
    CORRUPTION_KINDS,
    DEFAULT,
    LABEL_METHODS,
    classification_jobs,
    classification_results,
)
from reproduce.figure_data import FigureData


def small() -> FigureData:
    rng = np.random.default_rng(0)
    y = rng.integers(1, 4, size=64)
    return FigureData("small", rng.normal(size=(64, 3)) + 2 * np.eye(4, 3)[y % 4], y)


def test_there_are_errors_for_every_cell_of_every_fold() -> None:
    data = small()
    found = classification.grid_errors(data, "small", [64, 3], "", [0.0, 0.5], seed=0, draw=0)
    for errors in (found["clean"], found["covering"]):
        assert {np.array(values).shape for values in errors.values()} == {(8, 9, 4)}
    # Without corruption sets are labels: both errors are the same, and all methods agree.
    for method in LABEL_METHODS:
        clean, covering = (np.array(found[kind][method]) for kind in ("clean", "covering"))
        np.testing.assert_allclose(clean[:, :, 0], covering[:, :, 0])
        np.testing.assert_allclose(clean[:, :6, 0], np.array(found["clean"]["ac"])[:, :6, 0])
    again = classification.grid_errors(data, "small", [64, 3], "", [0.0, 0.5], seed=0, draw=0)
    assert again == found


def payload(draw: int, clean: list[list[float]], covering: list[list[float]]) -> dict[str, object]:
    """Two folds, two cells, one level of both corruptions."""

    def table(values: list[list[float]]) -> dict[str, object]:
        cells = [[[value, value] for value in fold] for fold in values]
        return dict.fromkeys(LABEL_METHODS, cells)

    return {
        "data": "dna",
        "title": "dna",
        "stand_in": False,
        "levels": [0.5],
        "draw": draw,
        "clean": table(clean),
        "covering": table(covering),
    }


def test_results_are_means_over_draws_with_errors_over_folds() -> None:
    first = payload(0, [[0.1, 0.4], [0.3, 0.4]], [[0.5, 0.2], [0.5, 0.2]])
    second = payload(1, [[0.3, 0.2], [0.5, 0.2]], [[0.1, 0.2], [0.1, 0.2]])
    default = {
        "data": "dna", "title": "dna", "stand_in": False, "kind": "skewed_text", "level": 0.5,
        "errors": [0.05],
    }  # fmt: skip
    results = classification_results([first, second, default])
    found = {(r.panel, r.method, r.choice): r for r in results}
    assert len(found) == len(results) == 2 * len(LABEL_METHODS) * 2 + 1
    by_truth = found["dna, text", "DF", "truth"]
    # Folds (.1, .3) of the first draw, (.2, .2) of the second.
    assert by_truth.mean == pytest.approx(0.2)
    assert by_truth.standard_error == pytest.approx(0.05)
    assert by_truth.over == "2 folds, 2 draws"
    assert by_truth.authors == 0.049
    # One draw: folds that differ by .2 or not at all, and equal means of both draws.
    assert by_truth.authors_error == pytest.approx(0.1 / np.sqrt(2))
    by_sets = found["dna, text", "DF", "sets"]
    assert by_sets.mean == pytest.approx(np.mean([0.4, 0.4, 0.3, 0.5]))
    assert by_sets.authors is None
    assert found["dna, code", "IL, exact", "truth"].authors is None
    assert found["dna, text", DEFAULT, "fixed"].over == "1 of 8 folds"


def test_the_default_is_run_on_the_first_folds() -> None:
    data = small()
    found = classification.default_errors(data, "small", [64, 3], "", "skewed_code", 0.3, 0, 2)
    assert len(found["errors"]) == 2
    assert all(0.0 <= error <= 1.0 for error in found["errors"])


def test_the_quick_run_is_a_part_of_the_full_one() -> None:
    full = {(p.name, p.settings.get("n_folds")) for p in classification_jobs([small()])}
    quick = classification_jobs([small()], quick=True)
    assert {p.name for p in quick} <= {name for name, _ in full}
    assert len(quick) == 1 + 2 * len(CORRUPTION_KINDS)


def test_other_data_of_the_same_name_and_shape_have_other_settings() -> None:
    def settings(data: FigureData) -> list[dict[str, object]]:
        return [dict(job.settings) for job in classification_jobs([data], quick=True)]

    data = small()
    expected = settings(data)
    assert settings(small()) == expected
    assert settings(replace(data, X=np.asfortranarray(data.X), y=data.y.astype(object))) == expected
    X, y = data.X.copy(), data.y.copy()
    X[5, 1] += 1e-9
    y[5] = y[5] % 3 + 1
    for other in (replace(data, X=X), replace(data, y=y)):
        assert all(a != b for a, b in zip(settings(other), expected, strict=True))


def test_missing_data_are_replaced_with_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, **_: object) -> None:
        raise DatasetError(f"{name} is nowhere")

    monkeypatch.setattr(figure_data, "fetch_libsvm", missing)
    found = figure_data.figure_data("svmguide2")
    assert (found.name, found.stands_for) == ("wine", "svmguide2")
    assert found.title == "wine (in place of svmguide2)"
    assert found.reason == "svmguide2 is nowhere"
    np.testing.assert_allclose(found.X.std(axis=0), 1.0)


@pytest.mark.parametrize("name", ["dna", "svmguide2"])
def test_a_folder_without_the_file_gives_a_replacement(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISAMBIG_CACHE", str(tmp_path))
    monkeypatch.delenv("DISAMBIG_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    found = figure_data.figure_data(name, tmp_path, download=False)
    assert found.stands_for == name
    assert "not on this machine" in found.reason
