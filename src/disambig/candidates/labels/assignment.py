"""Labels of least cost that keep class counts, and the proof where there are none."""

from typing import NamedTuple

import numpy as np

from disambig.candidates.labels.class_counts import ClassCounts
from disambig.candidates.labels.classes import listed
from disambig.compiled.bags.transport import transport
from disambig.exceptions import CandidateError
from disambig.notation import BoolArray, FloatArray, IntArray

# Of the order in which rows of a bag are looked at, which decides nothing but the speed.
_SEED = 0
_MAX_NAMED_ROWS = 3


class CountedLabels(NamedTuple):
    """The result of `counted_labels`.

    Attributes
    ----------
    codes : int array (n,)
        Positions among the classes.
    prices : float array (B, K)
        Of the classes in each bag: ``costs + prices`` at the label of a row is smallest in its set,
        a class below its largest number of rows has no positive price, and one above its smallest
        number no negative one. This proves that the labels are optimal.
    """

    codes: IntArray
    prices: FloatArray


def counted_labels(
    costs: FloatArray, counts: ClassCounts, prices: FloatArray | None = None
) -> CountedLabels:
    """The labels inside the sets that keep the counts at the least sum of costs, exactly.

    A transportation problem in each bag, solved by successive shortest paths on the K classes.

    Parameters
    ----------
    costs : float array (n, K)
    counts : ClassCounts
    prices : float array (B, K), optional
        Of an earlier call with similar costs: a warm start.

    Raises
    ------
    CandidateError
        No labels keep the counts; the error names rows and classes that prove it.

    Examples
    --------
    >>> from disambig.candidates import ClassCounts, LabelSets
    >>> counts = ClassCounts(LabelSets.from_mask(np.ones((3, 2))), [[1, 1], [2, 2]])
    >>> counted_labels(np.array([[0.0, 3.0], [0.0, 1.0], [0.0, 2.0]]), counts).codes.tolist()
    [0, 1, 1]
    """
    n_bags, n_classes = counts.bag_bounds.shape[:2]
    bags = counts.bag_of_row
    # Random within a bag: the first rows of a large bag are a sample of it.
    shuffled = np.random.default_rng(_SEED).permutation(len(counts))
    order = shuffled[np.argsort(bags[shuffled], kind="stable")]
    table = np.zeros((n_bags, n_classes + 1))
    if prices is not None:
        table[:, :-1] = prices
    codes = np.zeros(len(counts), dtype=np.int64)
    reached = np.zeros(n_classes + 1, dtype=np.bool_)
    failed = transport(
        np.array(costs, dtype=np.float64),
        np.array(counts.mask),
        order.astype(np.int64),
        np.concatenate([[0], np.cumsum(counts.bag_sizes)]).astype(np.int64),
        counts.bag_bounds.astype(np.int64),
        table,
        codes,
        reached,
    )
    if failed >= 0:
        raise _infeasible(counts, int(failed), reached[:-1])
    return CountedLabels(codes, table[:, :-1])


def require_feasible(counts: ClassCounts) -> None:
    """Raise the error that names rows and classes if no labels keep the counts."""
    counted_labels(np.zeros(counts.shape), counts)


def _infeasible(counts: ClassCounts, bag: int, reached: BoolArray) -> CandidateError:
    """The error with its proof: a set of classes with too many rows, or with too few.

    The rows of the reached classes can move among these only. Either they are more than these
    classes may have; or the other classes, which no further row can reach, need more rows than
    touch them.
    """
    rows = np.flatnonzero(counts.bag_of_row == bag)
    mask, bounds = counts.mask[rows], counts.bag_bounds[bag]
    inside = ~mask[:, ~reached].any(axis=1)
    most = int(bounds[reached, 1].sum())
    if np.count_nonzero(inside) > most:
        return counts.infeasible(
            f"{_rows(rows[inside])} can only be {_classes(counts, reached)}, whose counts allow at "
            f"most {most}",
            bag,
        )
    least = int(bounds[~reached, 0].sum())
    return counts.infeasible(
        f"only {_rows(rows[~inside])} can be {_classes(counts, ~reached)}, whose counts ask for at "
        f"least {least}",
        bag,
    )


def _rows(rows: IntArray) -> str:
    if not rows.size:
        return "0 rows"
    shown = ", ".join(map(str, rows[:_MAX_NAMED_ROWS].tolist()))
    more = ", ..." if rows.size > _MAX_NAMED_ROWS else ""
    return f"{rows.size} row{'' if rows.size == 1 else 's'} ({shown}{more})"


def _classes(counts: ClassCounts, chosen: BoolArray) -> str:
    names = [
        repr(name) for name, is_in in zip(listed(counts.classes), chosen, strict=True) if is_in
    ]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
