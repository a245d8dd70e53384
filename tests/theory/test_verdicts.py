"""The summary of `ambiguity` in words, and errors of bad input."""

from typing import Any

import numpy as np
import pytest

from disambig import LabelSets
from disambig.datasets import make_separated_clusters
from disambig.theory import ambiguity, local_ambiguity, theorem_requirement
from disambig.theory.verdicts import Status


def test_the_summary_names_classes_and_shares() -> None:
    y = ["cat|dog"] * 60 + ["bee", "bee|cow", "bee|cow|dog"] * 20
    sets = LabelSets.from_strings(y)
    text = str(ambiguity(None, sets, regions=["shore"] * 60 + ["hill"] * 60))
    assert text.startswith("Ambiguity of 120 rows in 2 regions: the regions that were given.")
    assert "Region 'shore' (60 rows): the label 'cat'; 'dog' comes along in 100 % [88, 100]" in text
    assert "Nothing here tells 'cat' from 'dog'" in text
    assert "Region 'hill' (60 rows): the label 'bee'; 'cow' comes along most often" in text
    assert "Verdict: ambiguous near 'cat'; there no number of rows is known to reach" in text
    # The most ambiguous region comes first.
    assert text.index("'shore'") < text.index("'hill'")


def test_the_summary_of_a_clear_data_set() -> None:
    data = make_separated_clusters(2000, eta=0.3, random_state=0)
    found = ambiguity(data.X, data.candidates)
    text = found.summary(error=0.01)
    assert text.count("there are enough.") == 4
    required = found.requirement(error=0.01)
    assert f"requires {required.n_neighbors} neighbours and {required.n_rows:,} rows" in text
    assert "For an error of 1 %" in text
    etas = found.eta.estimate
    k = [theorem_requirement(eta, n_classes=4, mass=0.2, error=0.01).n_neighbors for eta in etas]
    assert found.neighbors(error=0.01) == k
    estimated = found.requirement(0.01, eta=etas.max())
    assert estimated.n_neighbors == max(k) < required.n_neighbors
    # A region has the rows of one cluster.
    pairs = set(zip(found.codes.tolist(), data.clusters.tolist(), strict=True))
    assert len(pairs) == len(found.regions)
    assert repr(found) == "Ambiguity(4 regions, 4 classes, 2000 rows)"


def test_mixed_regions() -> None:
    sets = LabelSets.from_labels(["a", "a", "b"] * 40)
    found = ambiguity(None, sets, regions=[0] * 120)
    assert found.statuses() == [Status.MIXED]
    assert f"only {100 * found.covered.estimate[0]:.0f} % of the sets hold 'a'" in str(found)


def test_a_region_of_one_row_is_not_judged() -> None:
    sets = LabelSets.from_labels(["a", "b"] * 10 + ["b"])
    found = ambiguity(None, sets, regions=["many"] * 20 + ["one"])
    assert found.is_judged.tolist() == [True, False]
    assert found.neighbors()[1] is None
    assert found.codes.tolist() == [0] * 20 + [1]
    assert found.statuses()[1] is Status.UNKNOWN
    assert "Region 'one' (1 row): too few rows to say anything." in str(found)
    assert {pair.region for pair in found.pairs()} == {"many"}


def test_shares_are_not_rounded_to_one() -> None:
    mask = np.ones((4000, 2), dtype=bool)
    mask[::1000, 1] = False
    text = str(ambiguity(None, LabelSets(mask, np.array(["a", "b"])), regions=[0] * 4000))
    assert "100 %" not in text
    assert "99.9" in text


@pytest.mark.parametrize("form", ["sets", "mask", "strings", "frame"])
def test_all_forms_of_y(form: str) -> None:
    rows = [{"a", "b"}, {"a"}, {"a", "c"}, {"a", "b"}] * 5
    mask = np.array([["abc"[k] in row for k in range(3)] for row in rows])
    arguments: dict[str, Any] = {}
    if form == "sets":
        y: Any = rows
    elif form == "strings":
        y = LabelSets.from_strings(["|".join(sorted(row)) for row in rows])
    elif form == "mask":
        y, arguments = mask, {"classes": list("abc")}
    else:
        pandas = pytest.importorskip("pandas")
        y = pandas.DataFrame(mask, columns=list("abc"))
    X = np.arange(20.0)[:, None]
    found = ambiguity(X, y, regions=["all"] * 20, **arguments)
    assert found.classes.tolist() == ["a", "b", "c"]
    assert (found.chosen + found.counts).tolist() == [[20, 10, 5]]


def test_an_unlabeled_row_contains_every_class() -> None:
    found = ambiguity(None, ["a", "b", None, None] * 5, regions=[0] * 20, unlabeled=float("nan"))
    assert (found.chosen + found.counts).tolist() == [[15, 15]]


X = np.arange(8.0)[:, None]
Y = ["a", "b"] * 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, Y), "Pass inputs, or name a region for each row"),
        ((X[:3], Y), r"X has 3 rows and y has 8"),
        ((X, ["a"] * 8), "one class only"),
        ((X[:2], Y[:2]), "at least 4 are needed"),
    ],
)
def test_bad_input(arguments: tuple[Any, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ambiguity(*arguments)


@pytest.mark.parametrize(
    ("regions", "message"),
    [
        ([0] * 7, r"regions has 7 entries and y has 8 rows"),
        ([0, 1, None, 0, 1, 0, 1, 0], r"regions\[2\] is None"),
        ([0.0, np.nan] * 4, r"regions\[1\] is nan"),
        (range(8), "8 regions for 8 rows"),
        ([[0]] * 8, r"regions\[0\] is \[0\]"),
    ],
)
def test_bad_regions(regions: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ambiguity(X, Y, regions=regions)


@pytest.mark.parametrize("n_neighbors", [1, 9])
def test_invalid_numbers_of_neighbours(n_neighbors: int) -> None:
    with pytest.raises(ValueError, match="from 2 to the number of rows"):
        local_ambiguity(X, Y, n_neighbors=n_neighbors)


def test_local_inputs_are_checked() -> None:
    with pytest.raises(ValueError, match="X has 8 rows and y has 6"):
        local_ambiguity(X, Y[:6], n_neighbors=2)
    with pytest.raises(ValueError, match="one class only"):
        local_ambiguity(X, ["a"] * 8, n_neighbors=2)
