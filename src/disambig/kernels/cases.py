"""Which entries of a sparse matrix ask the same question: equal rows, same column, same sign."""

from typing import Any

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import AnyArray, BoolArray, IntArray

__all__ = ["distinct_cases"]


@kernel
def distinct_cases(
    groups: IntArray,
    starts: IntArray,
    columns: IntArray,
    positive: BoolArray,
    n_columns: Any,
) -> tuple[IntArray, AnyArray]:
    """Number the cases (group of the row, column, sign) that occur, group by group.

    Preconditions: ``groups[i]`` is the group of row i, ``(q,)``, none falling. The entries of row i
    are ``starts[i], ..., starts[i + 1] - 1``.

    Returns
    -------
    case : int64, (entries,)
        The number of the case of each entry.
    cases : int64, (number of cases, 3)
        Group, column, and 1 if positive, else 0.
    """
    case = np.empty(columns.shape[0], dtype=np.int64)
    cases = np.empty((columns.shape[0], 3), dtype=np.int64)
    # The last group to ask about a column and a sign, and the number that its case has.
    asked = np.full((n_columns, 2), -1, dtype=np.int64)
    number = np.empty((n_columns, 2), dtype=np.int64)
    count = 0
    for i in range(groups.shape[0]):
        for entry in range(starts[i], starts[i + 1]):
            column, sign = columns[entry], np.int64(positive[entry])
            if asked[column, sign] != groups[i]:
                asked[column, sign] = groups[i]
                number[column, sign] = count
                cases[count, 0], cases[count, 1], cases[count, 2] = groups[i], column, sign
                count += 1
            case[entry] = number[column, sign]
    return case, cases[:count].copy()
