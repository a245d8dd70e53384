"""What a correct result looks like, for each kind of target."""

from typing import Any

import numpy as np

from tests.fuzz.verdict import expect

# Sums of probabilities, and ends of intervals, up to rounding.
_ROUNDING = 1e-6


def _rows(sets: Any, model: Any) -> None:
    n = len(sets)
    for name in ("labels_", "decided_", "resolved_", "confidence_", "outside_"):
        expect(len(getattr(model, name)) == n, f"{name} has other rows than y")
    confidence = np.asarray(model.confidence_)
    expect(confidence.shape == (n,), "confidence_ is not one number a row")
    in_range = (confidence >= -_ROUNDING) & (confidence <= 1 + _ROUNDING)
    expect(in_range.all(), "confidence_ is not in [0, 1]")
    expect(np.isfinite(model.objective_), "objective_ is not finite")


def fitted_labels(model: Any, sets: Any, strict: bool) -> None:
    """Labels of a classifier; with `strict`, each is inside of its set."""
    _rows(sets, model)
    classes = model.classes_.tolist()
    labels = model.labels_.tolist()
    expect(
        all(any(_same(label, one) for one in classes) for label in labels), "a label is no class"
    )
    shares = model.label_distributions_
    expect(np.isfinite(shares).all(), "label_distributions_ are not finite")
    if strict:
        expect(sets.contains(model.labels_).all(), "a label is outside of its set")


def fitted_numbers(model: Any, sets: Any, strict: bool) -> None:
    """Numbers of a regressor; with `strict`, each is inside of its set up to rounding."""
    _rows(sets, model)
    expect(np.isfinite(model.labels_).all(), "a label is not finite")
    if strict:
        far = sets.distances(np.asarray(model.labels_).reshape(len(sets), -1))
        scale = np.maximum(1.0, np.abs(np.asarray(model.labels_))).max(initial=1.0)
        expect((far <= _ROUNDING * scale).all(), "a number is outside of its set")


def fitted_orders(model: Any, sets: Any, strict: bool) -> None:
    """Ranks of a ranker; with `strict`, each keeps the observed pairs."""
    _rows(sets, model)
    ranks = np.asarray(model.labels_)
    m = len(model.items_)
    expect(ranks.shape == (len(sets), m), "ranks have a wrong shape")
    expect((np.sort(ranks, axis=1) == np.arange(m)).all(), "ranks are no ranking")
    if strict:
        kept = ranks[:, :, None] < ranks[:, None, :]
        expect((kept | ~sets.before).all(), "a ranking reverses an observed pair")


def fitted_bits(model: Any, sets: Any, strict: bool) -> None:
    """Bits of a predictor; with `strict`, known bits are kept."""
    _rows(sets, model)
    bits = np.asarray(model.labels_)
    expect(bits.shape == sets.bits.shape, "bits have a wrong shape")
    expect(np.isin(bits, (0, 1)).all(), "a bit is neither 0 nor 1")
    if strict:
        expect((bits == sets.bits)[sets.bits >= 0].all(), "a known bit changed")


FITTED = {
    "labels": fitted_labels,
    "numbers": fitted_numbers,
    "orders": fitted_orders,
    "bits": fitted_bits,
}


def _same(one: Any, other: Any) -> bool:
    return one is other or bool(one == other)


def predicted_labels(labels: Any, predictions: Any) -> None:
    """Every prediction is one of the possible ones; NaN never is."""
    known = predictions.tolist()
    found = labels.tolist()
    expect(all(any(_same(label, one) for one in known) for label in found), "no such class")


def distributions(probabilities: Any) -> None:
    """Rows are probabilities that sum to one."""
    expect(np.isfinite(probabilities).all(), "probabilities are not finite")
    expect((probabilities >= -_ROUNDING).all(), "a probability is negative")
    sums = probabilities.sum(axis=1)
    expect(np.allclose(sums, 1.0, atol=_ROUNDING), "probabilities do not sum to one")


def shares(probabilities: Any) -> None:
    """Entries are probabilities."""
    expect(np.isfinite(probabilities).all(), "probabilities are not finite")
    inside = (probabilities >= -_ROUNDING) & (probabilities <= 1 + _ROUNDING)
    expect(inside.all(), "a probability is not in [0, 1]")


def intervals(ends: Any) -> None:
    """Lower ends are below upper ones; none is NaN."""
    ends = np.asarray(ends)
    expect(not np.isnan(ends).any(), "an end is NaN")
    expect((ends[..., 0] <= ends[..., 1]).all(), "ends are swapped")


def finite(numbers: Any) -> None:
    """Predictions are finite numbers."""
    expect(np.isfinite(numbers).all(), "a prediction is not finite")
