"""What several annotators said about each row, combined into one candidate set a row."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import sparse

from disambig.candidates.labels.classes import (
    class_vector,
    listed,
    named_classes,
    positions,
    preview,
    sorted_labels,
)
from disambig.candidates.labels.entries import Entries, admit, entries_of, refuse_continuous
from disambig.candidates.labels.label_sets import LabelSets
from disambig.candidates.look_alikes import warn_of_look_alikes
from disambig.candidates.reading import NO_MARKERS, is_missing, row_error, rows_of
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.parameters import check_choice

Rule = Literal["union", "intersection", "majority", "shares"]

_OWNER = "combine_annotations"
_SEQUENCES = (list, tuple, np.ndarray)


def combine_annotations(annotations: Any, rule: Rule = "union", classes: Any = None) -> LabelSets:
    """One candidate set for each row from what its annotators said.

    A row about which nobody said anything is unlabeled: its set has all classes.

    Parameters
    ----------
    annotations : list, array or frame, n rows
        One list for each row, with one entry for each annotator: a label, or a set, list or tuple
        of labels if he allows several. An annotator who said nothing is None, NaN or an empty set,
        or is left out. Rows may have different lengths, and a row may be None. A table has one
        column for each annotator.
    rule : {"union", "intersection", "majority", "shares"}, default "union"
        Which classes are candidates.

        - "union": all that somebody named. The truth is in the set if one annotator is right; sets
          grow with every annotator who errs.
        - "intersection": those that every annotator of the row named, and the union where there is
          none. Sets are small, and the truth is missing if one annotator excludes it while the
          others also agree on something else. For annotators who name sets and rarely exclude the
          truth.
        - "majority": those that most annotators named; all of them, if several tie. Nearly always
          one label, which is wrong wherever most annotators are. Disambiguation can no longer
          correct it.
        - "shares": the union, with the votes as soft weights: each annotator spreads one vote
          evenly over what he named. Averages and starts use the weights; the candidates are those
          of "union".
    classes : array-like (K,), optional
        The classes in order; by default the sorted labels that occur.

    Returns
    -------
    LabelSets
        With weights if the rule is "shares".

    Raises
    ------
    CandidateError
        If a row is no list, or a label is missing inside a set or none of the classes.

    Examples
    --------
    >>> said = [["cat", "cat", "dog"], ["cow", {"cow", "dog"}, None], []]
    >>> [sorted(found) for found in combine_annotations(said)]
    [['cat', 'dog'], ['cow', 'dog'], ['cat', 'cow', 'dog']]
    >>> [sorted(found) for found in combine_annotations(said, "majority")]
    [['cat'], ['cow'], ['cat', 'cow', 'dog']]
    >>> combine_annotations(said, "shares").weights.round(2).tolist()
    [[0.67, 0.0, 0.33], [0.0, 0.75, 0.25], [0.33, 0.33, 0.33]]
    """
    check_choice(_OWNER, "rule", rule, get_args(Rule))
    opinions = _opinions(annotations)
    labels, vector = _labels(opinions, classes)
    named = _named(opinions, labels, vector)
    by_row = sparse.csr_array(
        (np.ones(len(opinions.rows)), (opinions.rows, np.arange(len(opinions.rows)))),
        shape=(opinions.n_rows, len(opinions.rows)),
    )
    sizes = np.asarray(named.sum(axis=1)).ravel()
    counts = np.asarray((by_row @ named).toarray())
    is_open = counts.sum(axis=1) == 0
    mask = _chosen(counts, by_row @ (sizes > 0), rule)
    mask[is_open] = True
    if rule != "shares":
        return LabelSets(mask, vector)
    spread = sparse.dia_array((1.0 / np.maximum(sizes, 1.0), 0), shape=(len(sizes), len(sizes)))
    votes = np.asarray((by_row @ (spread @ named)).toarray())
    votes[is_open] = 1.0
    return LabelSets(mask, vector, votes / votes.sum(axis=1, keepdims=True))


def _chosen(counts: FloatArray, n_opinions: FloatArray, rule: Rule) -> BoolArray:
    """The candidates, ``(n, K)``, from how many annotators named each class of each row."""
    union = counts > 0
    if rule == "intersection":
        common = union & (counts == n_opinions[:, np.newaxis])
        return np.asarray(np.where(common.any(axis=1, keepdims=True), common, union))
    if rule == "majority":
        return np.asarray(union & (counts == counts.max(axis=1, keepdims=True)))
    return np.asarray(union)


class _Opinions(NamedTuple):
    """What was said: ``said[o]``, a label or a set of them, by an annotator of ``rows[o]``."""

    n_rows: int
    rows: IntArray
    said: list[Any]


def _opinions(annotations: Any) -> _Opinions:
    """Everything that some annotator said, row by row."""
    rows = rows_of(annotations, _OWNER)
    lists = [_as_list(row) for row in rows]
    wrong = np.array([one is None for one in lists], dtype=np.bool_)
    if wrong.any():
        row = rows[int(np.argmax(wrong))]
        raise row_error(
            wrong,
            f"is {row!r}, a {type(row).__name__}, where a list with one entry for each annotator "
            "is expected",
            "Write ['cat'] if one annotator said 'cat', and [{'cat', 'dog'}] if one allows two "
            "labels.",
            _OWNER,
        )
    said, owners = [], []
    for number, one in enumerate(lists):
        spoken = [label for label in one or () if not is_missing(label)]
        said += spoken
        owners += [number] * len(spoken)
    return _Opinions(len(lists), np.array(owners, dtype=np.intp), said)


def _as_list(row: Any) -> Sequence[Any] | None:
    """The entries of a row; None if it is not a list, tuple or array."""
    if isinstance(row, _SEQUENCES):
        return row.tolist() if isinstance(row, np.ndarray) and row.ndim == 1 else list(row)
    return [] if is_missing(row) else None


def _labels(opinions: _Opinions, classes: Any) -> tuple[Entries, AnyArray]:
    """All labels as entries whose rows are opinions, and the vector of classes."""
    vector = named_classes(classes, NO_MARKERS)
    flat = entries_of(opinions.said)
    # Errors name the row, not the opinion; the order of the entries does not change.
    by_row = Entries(opinions.n_rows, opinions.rows[flat.rows], flat.codes, flat.distinct)
    labels, _ = admit(by_row, NO_MARKERS)
    if vector is None:
        if not labels.distinct:
            raise CandidateError(
                f"{_OWNER}: nobody said anything about any row, so that the classes are unknown. "
                "Name them by classes=."
            )
        refuse_continuous(labels)
        ordered = sorted_labels(labels.distinct)
        warn_of_look_alikes(ordered, plain=bool(flat.sizes().max() <= 1))
        vector = class_vector(ordered)
    place = positions(vector)
    unknown = np.array([label not in place for label in labels.distinct], dtype=np.bool_)
    if unknown.any():
        found = unknown[labels.codes]
        raise row_error(
            labels.rows_where(found),
            f"holds {labels.first_label(found)!r}, which is not among the classes "
            f"{preview(listed(vector))}",
            "Correct the label or add it to classes.",
            _OWNER,
        )
    return Entries(len(opinions.said), flat.rows, labels.codes, labels.distinct), vector


def _named(opinions: _Opinions, labels: Entries, classes: AnyArray) -> sparse.csr_array:
    """1 where an opinion names a class, (opinions, K); a label that it repeats counts once."""
    place = positions(classes)
    column = np.array([place[label] for label in labels.distinct], dtype=np.intp)
    shape = (len(opinions.said), len(classes))
    named = sparse.csr_array(
        (np.ones(len(labels.codes)), (labels.rows, column[labels.codes])), shape=shape
    )
    named.sum_duplicates()
    named.data[:] = 1.0
    return named
