"""Two sorted tables of nearest rows become one."""

from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, FloatArray


@compiled
def merge_tables(
    left: FloatArray,
    left_rows: AnyArray,
    right: FloatArray,
    right_rows: AnyArray,
    distances: FloatArray,
    rows: AnyArray,
) -> None:
    """The nearest entries of two tables by (distance, row).

    Parameters
    ----------
    left, left_rows, right, right_rows : float64 and int64, (q, width)
        Each row of a table in order; row -1 at the end where there are too few. No row in both.
    distances, rows : float64 and int64, (q, width)
        The result.
    """
    width = left.shape[1]
    for i in range(left.shape[0]):
        a = b = 0
        for place in range(width):
            is_left = right_rows[i, b] < 0 or (
                left_rows[i, a] >= 0
                and (
                    left[i, a] < right[i, b]
                    or (left[i, a] == right[i, b] and left_rows[i, a] < right_rows[i, b])
                )
            )
            if is_left:
                distances[i, place], rows[i, place] = left[i, a], left_rows[i, a]
                a += 1
            else:
                distances[i, place], rows[i, place] = right[i, b], right_rows[i, b]
                b += 1
