"""Neighbours, copies and the scores of rows, against loops over rows and pairs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from disambig import Intervals, LabelSets, PartialBits, PartialOrders, diagnose
from disambig.diagnosis import bits, features, label_regions, labels, numbers, orders
from disambig.diagnosis.neighborhoods import N_NEIGHBORS, neighborhoods, unit_inputs
from disambig.diagnosis.subject import Inputs, Refused, Subject

SEEDS = st.integers(0, 10_000)


def subject_of(kind, candidates, seed, n_inputs=None):
    """Random inputs, of which some are equal if `n_inputs` is given."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(len(candidates), 2))
    if n_inputs is not None:
        X = X[rng.integers(n_inputs, size=len(candidates))]
    return Subject(kind, candidates, Refused(), Inputs.read(X), False)


def random_sets(seed, n=30, n_classes=4):
    mask = np.random.default_rng(seed).random((n, n_classes)) < 0.4
    mask[~mask.any(axis=1)] = True
    return LabelSets(mask, np.arange(n_classes))


def random_signs(seed, n=30, n_tags=4):
    bits_ = np.random.default_rng(seed).integers(-1, 2, size=(n, n_tags)).astype(np.int8)
    return PartialBits(bits_)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_neighbors_are_the_nearest_others(make):
    X = np.random.default_rng(0).normal(size=(40, 3)) * [1.0, 50.0, 0.01]
    X[20:25] = X[0]  # more copies than neighbours would list the row itself late
    U = unit_inputs(make(X))
    dense = U.toarray() if sp.issparse(U) else U
    near = neighborhoods(U, n_neighbors=4)
    distances = ((dense[:, None] - dense[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    for row, others in zip(near.rows, near.wide, strict=True):
        assert row not in others
        assert len(set(others)) == 4
        assert np.allclose(distances[row, others], np.sort(distances[row])[:4], atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_neighbor_scores_of_labels(seed):
    sets = random_sets(seed)
    subject = subject_of("labels", sets, seed)
    found = labels.neighbor_scores(subject, subject.near)
    for i, row in enumerate(subject.near.rows):
        near = [set(sets[int(j)]) for j in subject.near.lists[i] if sets.sizes[j] < 4]
        if sets.sizes[row] == 4 or len(near) < 3:
            assert np.isnan(found[i])
            continue
        disjoint = sum(not (s & sets[int(row)]) for s in near)
        common = max(sum(k in s for s in near) for k in range(4))
        assert np.isclose(found[i], min(disjoint, common) / len(near))


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_neighbor_scores_of_signs(seed):
    tags = random_signs(seed)
    subject = subject_of("bits", tags, seed)
    found = bits.neighbor_scores(subject, subject.near)
    for i, row in enumerate(subject.near.rows):
        pairs = [
            (one, other)
            for j in subject.near.lists[i]
            for one, other in zip(tags.bits[row], tags.bits[j], strict=True)
            if one >= 0 and other >= 0
        ]
        if len(pairs) < 10:
            assert np.isnan(found[i])
        else:
            assert np.isclose(found[i], np.mean([one != other for one, other in pairs]))


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_copies_of_every_kind(seed):
    """Rows that contradict a copy, by a loop over pairs of rows."""
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.normal(size=(30, 2)), axis=1)
    ranks = rng.permuted(np.tile([0.0, 1.0, np.nan], (30, 1)), axis=1)
    for kind, candidates, module in (
        ("numbers", Intervals.from_any(ends), numbers),
        ("bits", random_signs(seed), bits),
        ("orders", PartialOrders.from_any(ranks), orders),
    ):
        subject = subject_of(kind, candidates, seed, n_inputs=8)
        found = module.copy_scores(subject, np.arange(30), subject.groups)
        X = subject.inputs.X
        for i in range(30):
            copies = [j for j in range(30) if (X[j] == X[i]).all()]
            if kind == "numbers":
                clash = any(ends[i, 0] > ends[j, 1] or ends[j, 0] > ends[i, 1] for j in copies)
            elif kind == "bits":
                table = candidates.bits.astype(int)
                clash = any(_differ(table, i, j) for j in copies)
            else:
                clash = any((b, a) in candidates[j] for j in copies for a, b in candidates[i])
            assert (found[i] > 0) == clash


def _differ(table, i, j):
    known = (table[i] >= 0) & (table[j] >= 0)
    return bool((table[i] != table[j])[known].any())


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_copies_of_labels(seed):
    sets = random_sets(seed, n_classes=5)
    subject = subject_of("labels", sets, seed, n_inputs=8)
    found = labels.copy_scores(subject, np.arange(30), subject.groups)
    for i in range(30):
        copies = [j for j in range(30) if subject.groups[j] == subject.groups[i]]
        common = set.intersection(*(set(sets[j]) for j in copies))
        best = max(np.mean([k in sets[j] for j in copies]) for k in sets[i])
        assert np.isclose(found[i], 0.0 if common else 1.0 - best)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_classes_that_no_row_separates(seed):
    sets = random_sets(seed, n=4, n_classes=6)
    rows = sets.informative
    together = {frozenset(group) for group in labels.inseparable(sets, rows)}
    columns = [tuple(sets.mask[rows, k]) for k in range(6)]
    expected = {
        frozenset(k for k in range(6) if columns[k] == column)
        for column in columns
        if any(column) and columns.count(column) > 1
    }
    assert together == expected


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_common_classes_of_a_neighborhood(seed):
    sets = random_sets(seed, n=25, n_classes=3)
    subject = subject_of("labels", sets, seed)
    common, count = label_regions._common_classes(subject)
    for i, others in enumerate(subject.near.wide):
        members = [i, *others.tolist()]
        assert set(np.flatnonzero(common[i])) == set.intersection(*(set(sets[j]) for j in members))
        assert count[i] == sum(sets.sizes[j] < 3 for j in members)


def test_parts_are_those_of_the_graph():
    X = np.concatenate([np.zeros(30), np.full(15, 9.0), np.full(12, 99.0)])[:, None]
    X = X + 0.01 * np.random.default_rng(0).normal(size=X.shape)
    near = neighborhoods(X, n_neighbors=N_NEIGHBORS)
    assert (
        len(set(near.parts[:30])) == len(set(near.parts[30:45])) == len(set(near.parts[45:])) == 1
    )
    assert len(set(near.parts)) == 3


def test_correlations_leave_out_what_is_not_known():
    rng = np.random.default_rng(0)
    block, table = rng.normal(size=(50, 4)) + 100.0, rng.normal(size=(50, 3))
    table[:, 1] += 0.01 * block[:, 2]
    table[rng.random(table.shape) < 0.3] = np.nan
    known = ~np.isnan(table)
    found = features._correlations(block, np.where(known, table, 0.0), known)
    for t in range(3):
        rows = known[:, t]
        expected = np.corrcoef(np.column_stack([block[rows], table[rows, t]]).T)[-1, :-1]
        assert np.allclose(found[:, t], np.abs(expected), atol=1e-9)


@settings(max_examples=10, deadline=None)
@given(SEEDS, st.integers(-20, 20))
def test_units_and_names_do_not_matter(seed, power):
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=60)
    X = rng.normal(size=(60, 2)) + 4.0 * np.eye(3, 2)[truth]
    mask = rng.random((60, 3)) < 0.3
    mask[np.arange(60), truth] = True
    order = rng.permutation(3)
    ignore = ["different-units"]
    one = diagnose(X, LabelSets(mask, ["a", "b", "c"]), ignore=ignore)
    scaled = X * [2.0**power, 2.0**-power]
    other = diagnose(scaled, LabelSets(mask[:, order], ["x", "y", "z"]), ignore=ignore)
    for a, b in zip(one.findings, other.findings, strict=True):
        assert (a.code, a.section) == (b.code, b.section)
        assert np.array_equal(a.rows, b.rows)
