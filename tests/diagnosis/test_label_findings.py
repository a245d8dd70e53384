"""Every finding about labels is seeded, and found with its rows."""

import numpy as np
import pytest

from disambig import LabelSets, diagnose
from disambig.candidates import ClassCounts
from disambig.datasets import UniformCorruption, remove_truths
from disambig.diagnosis.neighborhoods import unit_inputs
from disambig.theory import ambiguity, theorem_requirement
from disambig.weights import NeighborWeights

NAMES = np.array(["ant", "bee", "cow"])


def blobs(n=120, n_classes=3, seed=0):
    """Well separated blobs, and sets that contain the truth and each other class with chance .3."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_classes
    X = rng.normal(size=(n, 2)) + 20.0 * np.column_stack([truth % 2, truth // 2])
    mask = rng.random((n, n_classes)) < 0.3
    mask[np.arange(n), truth] = True
    # Some singletons, and no set of all classes.
    mask[mask.all(axis=1)] = np.eye(n_classes, dtype=bool)[truth[mask.all(axis=1)]]
    return X, truth, mask


def issue(report, code):
    """The finding, the only issue of the report."""
    assert [found.code for found in report.issues] == [code], str(report)
    return report[code]


def test_the_seed_itself_is_clean():
    X, _, mask = blobs()
    assert not diagnose(X, LabelSets(mask, NAMES)).issues


def test_unreadable_rows():
    X, truth, _ = blobs()
    y = [{NAMES[k]} for k in truth]
    y[7], y[50] = set(), {"ant", None}
    found = issue(diagnose(X, y), "L100")
    assert found.rows.tolist() == [7, 50]
    assert "Row 7: LabelSets: has no candidate" in found.message
    assert found.scores[7] == found.scores[50] == 1.0
    assert found.scores.sum() == 2


def test_rows_without_information():
    X, _, mask = blobs()
    mask[[3, 90]] = True
    report = diagnose(X, LabelSets(mask, NAMES))
    assert report["L101"].section == "tip"
    assert report["L101"].rows.tolist() == [3, 90]
    assert not report.issues


def test_too_few_rows():
    X, _, mask = blobs()
    mask[29:] = True
    found = issue(diagnose(X, LabelSets(mask, NAMES), fast=True), "L102")
    assert found.evidence == {"n_informative": 29, "least": 30}
    assert found.message == "29 of 120 rows exclude something; 30 are needed."


def test_too_few_rows_have_what_the_theorem_asks_for():
    """At the largest share, of three regions, of sets with another class that were counted."""
    X, truth, mask = blobs(28)
    found = issue(diagnose(X, LabelSets(mask, NAMES)), "L102")
    etas = ambiguity(unit_inputs(X), LabelSets(mask, NAMES), weights=NeighborWeights(2)).eta
    worst = etas.estimate.argmax()
    asked = theorem_requirement(etas.estimate[worst], n_classes=3, mass=9 / 28)
    assert found.evidence == {
        "n_informative": 28,
        "least": 30,
        "eta": etas.estimate[worst],
        "eta_interval": [etas.low[worst], etas.high[worst]],
        "theorem_neighbors": asked.n_neighbors,
        "theorem_rows": asked.n_rows,
    }
    assert f"{asked.n_neighbors} neighbours and {asked.n_rows} rows suffice" in found.message
    assert "far fewer often do" in found.message
    mask[:, 1] = True
    found = diagnose(X, LabelSets(mask, NAMES))["L102"]
    assert "no number of rows is known to suffice" in found.message
    assert found.evidence["theorem_rows"] is None
    # Regions of several labels: the theorem does not apply.
    shuffled = np.eye(3, dtype=bool)[np.random.default_rng(0).permutation(truth)]
    found = diagnose(X, LabelSets(shuffled, NAMES))["L102"]
    assert found.evidence == {"n_informative": 28, "least": 30}


def test_copies_contradict():
    X, _, mask = blobs()
    X[10] = X[9] = X[8]
    mask[8:11] = [[True, True, False], [False, True, True], [True, False, True]]
    X[21], X[20] = X[0], X[0]
    mask[[0, 20, 21]] = [True, False, False]
    found = issue(diagnose(X, LabelSets(mask, NAMES)), "L103")
    assert found.rows.tolist() == [8, 9, 10]
    assert np.allclose(found.scores[8:11], 1 / 3)
    assert found.evidence["n_inputs"] == 1


def test_neighbors_contradict():
    X, truth, mask = blobs()
    rows = np.arange(0, 120, 13)  # 10 of 120, of all blobs
    mask[:] = np.eye(3, dtype=bool)[truth]
    mask[rows] = np.eye(3, dtype=bool)[(truth[rows] + 1) % 3]
    report = diagnose(X, LabelSets(mask, NAMES), ignore=["wrong-sets"])
    found = issue(report, "L104")
    assert found.rows.tolist() == rows.tolist()
    # Two rows among 120 are a tip.
    mask[rows[2:]] = np.eye(3, dtype=bool)[truth[rows[2:]]]
    report = diagnose(X, LabelSets(mask, NAMES))
    assert not report.issues
    assert report["L104"].section == "tip"
    assert report["L104"].rows.tolist() == rows[:2].tolist()


def test_neighbors_that_disagree_exclude_nothing():
    """Features that say nothing: most neighbours are disjoint, and no row stands out."""
    rng = np.random.default_rng(0)
    found = diagnose(rng.normal(size=(300, 5)), rng.integers(12, size=300))
    assert not found.issues
    assert not found["L104"].rows.size


def test_classes_always_together():
    X, _, mask = blobs()
    mask = np.hstack([mask, mask[:, :1]])
    found = issue(diagnose(X, LabelSets(mask, [*NAMES, "asp"])), "L110")
    assert found.evidence["groups"] == [["ant", "asp"]]
    assert found.rows.tolist() == np.flatnonzero(mask[:, 0]).tolist()


def test_a_class_never_without_another():
    X, truth, mask = blobs()
    mask[mask[:, 2]] = [False, True, True]
    mask[truth == 1] = [False, True, False]
    found = issue(diagnose(X, LabelSets(mask, NAMES), ignore=["L120"]), "L111")
    assert found.evidence["pairs"] == [("cow", "bee")]
    assert found.rows.tolist() == np.flatnonzero(mask[:, 2]).tolist()


def test_a_class_never_alone_with_changing_companions_is_a_tip():
    X, _, mask = blobs()
    mask[mask[:, 2] & (mask.sum(axis=1) == 1)] = [True, False, True]
    mask[np.flatnonzero(mask[:, 2])[::2]] = [False, True, True]
    report = diagnose(X, LabelSets(mask, NAMES))
    assert not report.issues, str(report)
    assert report["L111"].section == "tip"
    assert report["L111"].rows.tolist() == np.flatnonzero(mask[:, 2]).tolist()


def test_a_class_in_every_set():
    X, truth, mask = blobs(n_classes=4)
    mask = np.eye(4, dtype=bool)[truth]
    several = np.arange(120) % 3 > 0
    mask[several, 0] = True
    mask[(truth == 0) & several, 1] = True
    found = issue(diagnose(X, LabelSets(mask, [*NAMES, "dog"]), ignore=["L120"]), "L112")
    assert found.evidence["classes"] == ["ant"]
    assert found.rows.tolist() == np.flatnonzero(several).tolist()


def test_a_frequent_class_is_not_a_class_in_every_set():
    X, _, _ = blobs()
    rare = np.arange(120) < 6
    mask = np.where(rare[:, None], [False, True, False], [True, False, False])
    mask[60:, 1] = True
    mask[90:] = [True, False, True]
    report = diagnose(X, LabelSets(mask, NAMES), ignore=["L120", "L111", "L130"])
    assert report["L112"].section == "passed"


def test_a_class_that_is_never_a_candidate():
    X, _, mask = blobs()
    report = diagnose(X, LabelSets(np.hstack([mask, mask[:, :1] & False]), [*NAMES, "dog"]))
    assert not report.issues
    assert report["L113"].section == "tip"
    assert report["L113"].evidence["classes"] == ["dog"]


def test_spelling_variants():
    X, truth, _ = blobs()
    y = NAMES[truth].astype(object)
    y[[3, 6]] = "Ant", "ant "
    found = issue(diagnose(X, y), "L114")
    assert found.rows.tolist() == [3, 6]
    assert len(found.evidence["pairs"]) == 2
    assert diagnose(X, y, classes=sorted(set(y)))["L114"].section == "issue"


@pytest.mark.parametrize("name", ["unknown", "ant|bee", "['ant', 'bee']"])
def test_odd_class_names(name):
    X, truth, _ = blobs()
    y = NAMES[truth].astype(object)
    y[[0, 11]] = name
    found = issue(diagnose(X, y), "L115")
    assert found.rows.tolist() == [0, 11]


def test_positives_only():
    X, truth, mask = blobs()
    mask[:] = True
    mask[truth == 0] = [True, False, False]
    found = issue(diagnose(X, LabelSets(mask, NAMES), ignore=["L121"]), "L116")
    assert found.rows.tolist() == np.flatnonzero(truth == 0).tolist()
    assert issue(diagnose(X, ["ant"] * 120), "L116").evidence["class"] == "ant"


def test_sets_that_never_narrow():
    X, truth, mask = blobs(160, 4)
    mask = np.eye(4, dtype=bool)[truth]
    mask[truth == 1, 2] = True  # bee or cow in the whole blob, each alone elsewhere
    mask[(truth == 2) & (np.arange(160) % 3 == 0), 1] = True
    extra = np.random.default_rng(3).normal(40.0, size=(40, 2))
    X = np.vstack([X, extra])
    mask = np.vstack([mask, np.tile([False, True, False, False], (40, 1))])
    found = issue(diagnose(X, LabelSets(mask, [*NAMES, "dog"])), "L120")
    assert found.rows.tolist() == np.flatnonzero(truth == 1).tolist()
    assert found.evidence["pairs"] == [{"classes": ["bee", "cow"], "n_rows": 40}]
    assert found.evidence["eta"] == 1.0
    assert found.evidence["eta_of_all"] < 0.4
    # No number of neighbours suffices there; elsewhere few do.
    assert found.evidence["theorem_neighbors"] is None
    assert 1 < found.evidence["theorem_neighbors_of_all"] < 10


def test_regions_with_fewer_rows_than_the_theorem_asks_for():
    """Of the sets of a blob four in five have another class; 24 rows are few, 96 are not."""
    for copies, is_quiet in ((1, False), (4, True)):
        X, truth, mask = blobs(160 * copies, 4)
        rows = np.flatnonzero(truth == 3)
        kept = np.sort(np.concatenate([np.flatnonzero(truth != 3), rows[: 24 * copies]]))
        X, truth, mask = X[kept], truth[kept], mask[kept]
        rows = np.flatnonzero(truth == 3)
        mask[rows] = [False, False, True, True]
        mask[rows[::5], 2] = False
        report = diagnose(X, LabelSets(mask, [*NAMES, "dog"]))
        assert not report.issues, str(report)
        found = report["L122"]
        if is_quiet:
            assert found.section == "passed"
            assert not found.scores[truth == 3].any()
            continue
        assert found.section == "tip"
        assert found.rows.tolist() == rows.tolist()
        (region,) = found.evidence["regions"]
        assert (region["class"], region["other"], region["n_rows"]) == ("dog", "cow", 24)
        assert region["eta"] == pytest.approx(0.8, abs=0.15)
        asked = theorem_requirement(region["eta"], n_classes=4, mass=1 / 6)
        assert found.evidence["theorem_rows"] == asked.n_rows
        assert region["theorem_neighbors"] == asked.n_neighbors > 24
        assert np.allclose(found.scores[rows], 1 - 24 / asked.n_neighbors)
        assert f"for which {asked.n_neighbors} rows suffice; far fewer often do" in found.message
        assert not found.scores[truth != 3].any()


def test_regions_that_the_theorem_does_not_judge():
    """A class that another one always accompanies; labels that inputs do not determine."""
    X, truth, _ = blobs(120)
    mask = np.eye(3, dtype=bool)[truth]
    mask[truth == 0, 1] = True
    found = diagnose(X, LabelSets(mask, NAMES))["L122"]
    assert found.section == "passed"
    assert np.isnan(found.scores[truth == 0]).all()
    assert not found.scores[truth != 0].any()
    rng = np.random.default_rng(0)
    found = diagnose(X, NAMES[rng.permutation(truth)])["L122"]
    assert found.section == "passed"
    assert np.isnan(found.scores).all()
    assert diagnose(X[:29], LabelSets(mask[:29], NAMES))["L122"].section == "not applicable"


def test_parts_without_a_label():
    X, truth, mask = blobs()
    mask[truth == 2] = True
    mask[truth != 2, 2] &= True
    found = issue(diagnose(X, LabelSets(mask, NAMES)), "L121")
    assert found.rows.tolist() == np.flatnonzero(truth == 2).tolist()
    assert found.evidence == {"n_parts": 3, "n_parts_without": 1}


def test_wrong_sets():
    X, truth, mask = blobs(300, 4)
    rows = np.flatnonzero(np.random.default_rng(1).random(300) < 0.1)
    mask[rows] = np.eye(4, dtype=bool)[(truth[rows] + 1) % 4]
    report = diagnose(X, LabelSets(mask, [*NAMES, "dog"]), ignore=["neighbors-contradict"])
    found = issue(report, "L130")
    assert found.rows.tolist() == rows.tolist()
    share = found.evidence["missed_share_of_certain"]
    assert share == pytest.approx(rows.size / 300, abs=0.05)
    assert diagnose(X, LabelSets(mask, [*NAMES, "dog"]), fast=True)["L130"].section == "skipped"


def test_wrong_sets_are_found_by_their_share_if_few_rows_are_certain():
    rng = np.random.default_rng(2)
    truth = np.arange(150) % 3
    X = rng.normal(size=(150, 2)) + 5.0 * np.eye(3, 2)[truth]
    y, is_wrong = remove_truths(
        UniformCorruption(0.4)(truth, random_state=2), truth, 0.2, random_state=2
    )
    found = diagnose(X, y)["L130"]
    assert found.section == "issue"
    assert found.evidence["missed_share_at_least"] <= 0.05
    assert "of the sets miss the truth" in found.message
    assert is_wrong[found.rows].mean() > 0.8


def test_classes_that_overlap_are_no_wrong_sets():
    rng = np.random.default_rng(0)
    truth = np.arange(600) % 3
    X = rng.normal(size=(600, 2)) + 3.0 * np.array([[0, 0], [1, 0], [0.5, 0.9]])[truth]
    found = diagnose(X, NAMES[truth])["L130"]
    assert found.section == "passed"
    assert found.evidence["missed_share_of_all"] > 0.08


def test_class_counts_are_read_as_their_sets():
    X, _, mask = blobs()
    counts = ClassCounts(LabelSets(mask, NAMES), [[0, 120]] * 3)
    assert diagnose(X, counts).kind == "labels"


def test_a_finding_does_not_depend_on_the_order_of_rows():
    X, truth, _ = blobs(160, 4)
    y = UniformCorruption(0.3)(truth, random_state=0)
    order = np.random.default_rng(0).permutation(160)
    mask = y.mask.copy()
    mask[:12] = np.eye(4, dtype=bool)[(truth[:12] + 2) % 4]
    one = diagnose(X, LabelSets(mask, y.classes), ignore=["L130"])
    other = diagnose(X[order], LabelSets(mask[order], y.classes), ignore=["L130"])
    for found in one:
        assert sorted(order[other[found.code].rows]) == found.rows.tolist()
        if found.scores is not None:
            assert np.allclose(other[found.code].scores, found.scores[order], equal_nan=True)
