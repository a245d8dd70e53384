"""Every finding about numbers, orders, bits and features is seeded, and found with its rows."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_multilabel_classification

from disambig import Intervals, LabelSets, PartialBits, PartialOrders, diagnose

N = 160


def issue(report, code):
    """The finding, the only issue of the report."""
    assert [found.code for found in report.issues] == [code], str(report)
    return report[code]


# ---------------------------------------------------------------- numbers


def intervals(seed=0):
    """A smooth function of two features, and intervals of varying width around it."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(N, 2))
    center = X[:, 0] + np.sin(X[:, 1]) + 0.05 * rng.normal(size=N)
    below, above = rng.exponential(0.3, size=(2, N)) + 0.05
    return X, np.column_stack([center - below, center + above])


def test_unreadable_texts():
    X, y = intervals()
    texts = [f"[{low:.4f}, {high:.4f}]" for low, high in y]
    texts[5] = "about 3"
    found = issue(diagnose(X, texts, kind="numbers"), "N100")
    assert found.rows.tolist() == [5]


def test_rows_that_are_the_whole_line():
    X, y = intervals()
    y[[4, 9]] = -np.inf, np.inf
    report = diagnose(X, y)
    assert not report.issues
    assert report["N101"].rows.tolist() == [4, 9]


def test_too_few_intervals():
    X, y = intervals()
    y[19:] = -np.inf, np.inf
    found = issue(diagnose(X, y), "N102")
    assert found.evidence == {"n_informative": 19, "least": 20}


def test_copies_with_intervals_that_do_not_meet():
    X, y = intervals()
    X[[11, 12, 13]] = X[10]
    y[10:14] = [(0.0, 1.0), (0.5, 2.0), (1.5, 3.0), (0.9, 1.6)]
    found = issue(diagnose(X, y, ignore=["N104"]), "N103")
    assert found.rows.tolist() == [10, 12]
    y[10:14] = y[10:14, :1]  # points differ by noise
    assert diagnose(X, y, ignore=["N104"])["N103"].section == "passed"


def test_intervals_that_nobody_near_supports():
    X, y = intervals()
    rows = np.arange(0, N, 14)
    y[rows] += np.where(rows % 4 == 0, 30.0, -30.0)[:, None]
    found = issue(diagnose(X, y), "N104")
    assert found.rows.tolist() == rows.tolist()
    y[rows[3:]] -= np.where(rows[3:] % 4 == 0, 30.0, -30.0)[:, None]
    report = diagnose(X, y)
    assert report["N104"].section == "tip"
    assert report["N104"].rows.tolist() == rows[:3].tolist()


@pytest.mark.parametrize("form", [np.asarray, lambda y: [tuple(row) for row in y], pd.DataFrame])
def test_inverted_and_empty_intervals(form):
    X, y = intervals()
    y[[3, 70]] = y[[3, 70], ::-1]
    found = issue(diagnose(X, form(y)), "N110")
    assert found.rows.tolist() == [3, 70]
    assert diagnose(X, form(y))["N101"].section == "passed"
    y[20, 1], y[21], y[22] = np.nan, (np.inf, np.inf), (-np.inf, -np.inf)
    report = diagnose(X, form(y))
    assert [found.code for found in report.issues] == ["N110", "N111"]
    assert report["N111"].rows.tolist() == [20, 21, 22]


def test_inverted_segments_of_unions():
    X, y = intervals()
    rows = [[(float(low), float(high)), (9.0, 9.5)] for low, high in y]
    rows[6] = [(2.0, 1.0), (9.0, 9.5)]
    rows[8] = "about 3"
    report = diagnose(X, rows, kind="numbers")
    assert report["N110"].rows.tolist() == [6]
    assert report["N100"].rows.tolist() == [8]


def test_the_same_interval():
    X, y = intervals()
    y[40:140] = 0.0, 5.0
    found = issue(diagnose(X, y), "N112")
    assert found.rows.tolist() == list(range(40, 140))
    assert found.evidence["ends"] == [0.0, 5.0]


def test_point_like_intervals():
    X, y = intervals()
    y[[8, 30], 1] = y[[8, 30], 0] + 1e-9
    y[31, 1] = y[31, 0]
    report = diagnose(X, y)
    assert not report.issues
    assert report["N113"].section == "tip"
    assert report["N113"].rows.tolist() == [8, 30]


@pytest.mark.parametrize("step", [0.5, 1.0, 2.0])
def test_rounded_ends(step):
    X, y = intervals()
    y = np.column_stack([np.floor(y[:, 0] / step), np.ceil(y[:, 1] / step)]) * step
    report = diagnose(X, y)
    assert not report.issues
    assert report["N114"].section == "tip"
    assert report["N114"].evidence["step"] == step
    assert report["N114"].rows.tolist() == list(range(N))


@pytest.mark.parametrize(("column", "side"), [(0, "lower"), (1, "upper")])
def test_half_lines_on_one_side(column, side):
    X, y = intervals()
    y[:, column] = np.inf if column else -np.inf
    y[5] = -np.inf, np.inf
    found = issue(diagnose(X, y), "N115")
    assert found.evidence["side"] == side
    assert found.rows.tolist() == [row for row in range(N) if row != 5]
    y[5] = 0.0, 1.0
    assert not diagnose(X, y).issues


def test_boxes():
    X, y = intervals()
    boxes = np.stack([y, 3.0 * y], axis=1)
    assert not diagnose(X, boxes).issues
    boxes[7, 1] = boxes[7, 1, ::-1]
    assert issue(diagnose(X, boxes), "N110").rows.tolist() == [7]


def test_wrong_intervals():
    X, y = intervals()
    assert diagnose(X, y)["N130"].section == "passed"
    rows = np.arange(0, N, 13)
    y[rows] += np.where(rows % 2, 4.0, -4.0)[:, None]
    found = diagnose(X, y)["N130"]
    assert found.section == "tip"
    assert np.isin(found.rows, rows).mean() > 0.8
    assert np.isin(rows, found.rows).mean() > 0.8
    assert 0.05 < found.evidence["wrong_share"] < 0.15
    # Unless the others are too few.
    assert diagnose(X[:20], y[:20])["N130"].section == "not applicable"


# ---------------------------------------------------------------- orders


def rankings(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 3))
    ranks = np.argsort(np.argsort(-X @ rng.normal(size=(3, 4)), axis=1), axis=1)
    return X, ranks.astype(float)


def test_cyclic_orders():
    X, ranks = rankings()
    texts = [">".join("abcd"[i] for i in np.argsort(row)) for row in ranks]
    assert not diagnose(X, texts).issues
    texts[9], texts[31] = "a>b; b>c; c>a", "a>a"
    found = issue(diagnose(X, texts), "O100")
    assert found.rows.tolist() == [9, 31]
    assert "contradicts itself: a > b > c > a" in found.message
    signs = np.array(PartialOrders.from_any(ranks))
    signs[12, 0, 1] = signs[12, 1, 0] = 1
    assert issue(diagnose(X, signs), "O100").rows.tolist() == [12]


def test_orders_that_compare_nothing():
    X, ranks = rankings()
    ranks[[2, 77]] = np.nan
    report = diagnose(X, ranks)
    assert not report.issues
    assert report["O101"].section == "tip"
    assert report["O101"].rows.tolist() == [2, 77]


def test_too_few_orders():
    X, ranks = rankings()
    ranks[29:] = np.nan
    assert issue(diagnose(X, ranks), "O102").evidence["n_informative"] == 29


def test_copies_with_contradictory_orders():
    X, ranks = rankings()
    X[[41, 42]] = X[40]
    ranks[40:43] = [[0, 1, 2, 3], [1, 0, 2, 3], [np.nan, np.nan, 0, 1]]
    found = issue(diagnose(X, ranks, ignore=["O104"]), "O103")
    assert found.rows.tolist() == [40, 41]
    assert np.allclose(found.scores[[40, 41]], 1 / 6)


def test_neighbors_with_opposite_orders():
    X, ranks = rankings()
    X, ranks = np.repeat(X[:8] * 9, 20, axis=0), np.repeat(ranks[:8], 20, axis=0)
    X += 0.01 * np.random.default_rng(1).normal(size=X.shape)
    rows = np.arange(0, N, 17)
    ranks[rows] = 3 - ranks[rows]
    found = issue(diagnose(X, ranks), "O104")
    assert found.rows.tolist() == rows.tolist()


def test_pairs_that_are_never_compared():
    X, ranks = rankings()
    apart = ranks.copy()
    apart[:, 3] = np.nan
    found = issue(diagnose(X, apart, kind="orders"), "O110")
    assert found.evidence["n_never_compared"] == 3
    assert found.evidence["unconnected_items"] == [3]
    linked = ranks.copy()
    linked[: N // 2, 0] = np.nan
    linked[N // 2 :, 3] = np.nan
    report = diagnose(X, linked, kind="orders")
    assert not report.issues
    assert report["O110"].section == "tip"
    assert report["O110"].evidence["pairs"] == [(0, 3)]


def test_wrong_orders():
    X, ranks = rankings()
    assert diagnose(X, ranks)["O130"].section == "passed"
    rows = np.arange(0, N, 9)
    ranks[rows] = 3 - ranks[rows]
    found = diagnose(X, ranks)["O130"]
    assert found.section == "tip"
    assert np.isin(found.rows, rows).mean() > 0.8
    assert np.isin(rows, found.rows).mean() > 0.5


# ---------------------------------------------------------------- bits


def tags(seed=0):
    X, bits = make_multilabel_classification(N, n_classes=5, random_state=seed)
    return X, bits.astype(float)


def test_unreadable_bits():
    X, bits = tags()
    rows = [list(row) for row in bits]
    rows[3][2] = 7
    assert issue(diagnose(X, rows, kind="bits"), "B100").rows.tolist() == [3]


def test_rows_without_a_known_tag_and_too_few():
    X, bits = tags()
    bits[[1, 50]] = np.nan
    report = diagnose(X, bits, kind="bits")
    assert not report.issues
    assert report["B101"].rows.tolist() == [1, 50]
    bits[30:] = np.nan
    report = diagnose(X, bits, kind="bits")
    assert report["B102"].section == "issue"
    assert report["B102"].evidence["n_informative"] == 29


def test_copies_with_contradictory_tags():
    X, bits = tags()
    X[21] = X[20]
    bits[21] = bits[20]
    bits[21, 3] = 1 - bits[20, 3]
    found = issue(diagnose(X, bits, kind="bits"), "B103")
    assert found.rows.tolist() == [20, 21]
    assert np.allclose(found.scores[[20, 21]], 1 / 5)


def test_neighbors_with_opposite_tags():
    X, bits = tags()
    X, bits = np.repeat(X[:8] * 9, 20, axis=0), np.repeat(bits[:8], 20, axis=0)
    X += 0.01 * np.random.default_rng(1).normal(size=X.shape)
    rows = np.arange(0, N, 17)
    bits[rows] = 1 - bits[rows]
    found = issue(diagnose(X, bits, kind="bits"), "B104")
    assert found.rows.tolist() == rows.tolist()


def test_wrong_tags():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    bits = (X @ rng.normal(size=(2, 4)) > 0).astype(float)
    assert diagnose(X, bits, kind="bits")["B130"].section == "passed"
    is_wrong = rng.random(bits.shape) < 0.12
    found = diagnose(X, np.where(is_wrong, 1 - bits, bits), kind="bits")["B130"]
    assert found.section == "tip"
    assert is_wrong[found.rows].any(axis=1).mean() > 0.7
    positives = np.where(bits == 1, 1.0, np.nan)
    assert diagnose(X, positives, kind="bits")["B130"].section == "not applicable"


def test_constant_positive_and_unknown_tags():
    X, bits = tags()
    bits[:, 0] = 0
    bits[5, 0] = np.nan
    frame = pd.DataFrame(bits, columns=list("abcde"))
    found = issue(diagnose(X, frame, kind="bits"), "B110")
    assert found.evidence["tags"] == ["a"]
    assert found.rows.tolist() == [row for row in range(N) if row != 5]
    frame["a"] = bits[:, 1]
    frame.loc[frame["b"] == 0, "b"] = np.nan
    found = issue(diagnose(X, frame, kind="bits"), "B111")
    assert found.evidence["tags"] == ["b"]
    assert found.rows.tolist() == np.flatnonzero(bits[:, 1] == 1).tolist()
    frame["b"] = np.nan
    found = issue(diagnose(X, frame, kind="bits"), "B112")
    assert found.evidence["tags"] == ["b"]


# ---------------------------------------------------------------- orders and bits


def test_items_and_tags_that_look_alike():
    X, ranks = rankings()
    names = ["ant", "bee", "cow", "Ant"]
    ranks[20:, 3] = np.nan
    texts = [" > ".join(names[k] for k in np.argsort(row) if not np.isnan(row[k])) for row in ranks]
    for y in (PartialOrders.from_any(ranks, items=names), texts):
        found = issue(diagnose(X, y), "O114")
        assert found.rows.tolist() == list(range(20))
        assert [sorted(pair) for pair in found.evidence["pairs"]] == [["Ant", "ant"]]
    X, bits = tags()
    bits[30:, 1] = np.nan
    bits[31, 1] = 0.0
    found = issue(diagnose(X, PartialBits.from_any(bits, tags=["a", "A ", "b", "c", "d"])), "B114")
    assert found.rows.tolist() == [*range(30), 31]
    assert "look like one tag" in found.message


@pytest.mark.parametrize("kind", ["numbers", "orders", "bits"])
def test_parts_without_a_target(kind):
    """A part of 40 rows of which nothing is known, and another with one known row."""
    X, y = {"numbers": intervals, "orders": rankings, "bits": tags}[kind]()
    X[:40] += 100.0
    X[40:80] -= 100.0
    y[:40] = (-np.inf, np.inf) if kind == "numbers" else np.nan
    known = y[41].copy()
    y[40:80] = y[0]
    y[41] = known
    report = diagnose(X, y, kind=kind)
    found = issue(report, {"numbers": "N121", "orders": "O121", "bits": "B121"}[kind])
    assert found.rows.tolist() == list(range(40))
    assert found.evidence == {"n_parts": 3, "n_parts_without": 1}
    assert found.scores.sum() == 40


# ---------------------------------------------------------------- features

KINDS = {
    "labels": lambda: (tags()[0], LabelSets.from_any(np.arange(N) * 7 % 3)),
    "numbers": lambda: (intervals()[0], Intervals.from_any(intervals()[1])),
    "orders": lambda: (rankings()[0], PartialOrders.from_any(rankings()[1])),
    "bits": lambda: (tags()[0], PartialBits.from_any(tags()[1])),
}
# The labels of this file have nothing to do with the features.
QUIET = ["neighbors-contradict", "wrong-sets"]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("kind", KINDS)
def test_features(kind, make):
    X, y = KINDS[kind]()
    assert not diagnose(make(X), y, ignore=QUIET).issues
    # Missing and infinite entries.
    bad = X.copy()
    bad[4, 1], bad[4, 0], bad[77, 1] = np.nan, np.inf, 1e40
    found = issue(diagnose(make(bad), y, ignore=QUIET), "F101")
    assert found.rows.tolist() == [4, 77]
    assert found.evidence["n_entries"] == 3
    assert "row 4, column 0" in found.message
    assert found.scores[4] == 2 / X.shape[1]
    # Constant features, and units.
    more = np.column_stack([X, np.full(N, 0.1), 1e7 * X[:, 0] ** 3])
    report = diagnose(make(more), y, ignore=QUIET)
    assert not report.issues
    assert report["F102"].section == report["F103"].section == "tip"
    assert report["F102"].evidence["features"] == [f"column {X.shape[1]}"]
    assert report["F103"].evidence["largest"] == f"column {X.shape[1] + 1}"
    # Row numbers, in order and shuffled.
    for number in (1000.0 + 10 * np.arange(N), np.random.default_rng(0).permutation(N) + 1.0):
        found = issue(diagnose(make(np.column_stack([X, number])), y, ignore=QUIET), "F104")
        assert found.evidence["features"] == [f"column {X.shape[1]}"]


LEAKS = {
    "labels": (lambda y: 2.0 * y.mask[:, 1] - 5, "whether 1 is a candidate"),
    "numbers": (lambda y: 3.0 * y.centers[:, 0] + 1, "the middle"),
    "orders": (lambda y: y.before[:, 0, 2] + 0.0, "whether 0 is before 2"),
    "bits": (lambda y: 1.0 - y.bits[:, 3], "the tag 3"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_leaks(kind):
    X, y = KINDS[kind]()
    leak, meaning = LEAKS[kind]
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    frame["leak"] = leak(y)
    found = issue(diagnose(frame, y, ignore=QUIET), "F105")
    assert found.evidence["features"] == [("'leak'", meaning)]
    # One row that differs is no leak.
    frame.loc[3, "leak"] += 1.0
    assert not diagnose(frame, y, ignore=QUIET).issues


def test_the_number_of_candidates_and_the_label_leak():
    X, _ = intervals()
    mask = np.random.default_rng(0).random((N, 5)) < 0.5
    mask[np.arange(N), np.arange(N) % 5] = True
    sets = LabelSets(mask, list("abcde"))
    report = diagnose(np.column_stack([X, sets.sizes]), sets, ignore=QUIET)
    found = issue(report, "F105")
    assert found.evidence["features"] == [("column 2", "the number of candidates")]
    labels = np.random.default_rng(0).integers(4, size=N)
    found = issue(diagnose(np.column_stack([X, labels * 2]), labels, ignore=QUIET), "F105")
    assert found.evidence["features"] == [("column 2", "the label")]
