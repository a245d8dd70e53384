"""Bytes that travel and bytes that stay, as formulas of rows, classes, blocks and workers.

*Sent* goes from the client to workers, *received* comes back, and *between* goes from one worker to
another: what all of them need is sent to one of them, and the others fetch it. Arrays below 1 KiB
travel with their task and are not in the formulas. `benchmarks.cluster_costs` compares them with
what was counted.
"""

from dataclasses import dataclass
from typing import NamedTuple

# Bytes of a float, of a row number of a list, and of one in the votes (up to 2^31 rows).
FLOAT, WIDE, NARROW = 8, 8, 4


class Traffic(NamedTuple):
    """Bytes of one operation; `between` if each worker fetches once what it needs."""

    sent: int
    received: int
    between: int = 0


@dataclass(frozen=True)
class Size:
    """What a fit is asked to do, and where.

    Parameters
    ----------
    n, n_neighbors, n_classes, n_blocks, n_workers, n_features : int
    """

    n: int
    n_neighbors: int = 20
    n_classes: int = 10
    n_blocks: int = 8
    n_workers: int = 2
    n_features: int = 8

    @property
    def code_bytes(self) -> int:
        """Of the label of a row: the codes are 0, ..., K + 1."""
        largest = self.n_classes + 1
        return 1 if largest < 2**8 else 2 if largest < 2**16 else 4

    @property
    def word_bytes(self) -> int:
        """Of a bit for each class."""
        return 4 * -(-self.n_classes // 32)

    @property
    def tie_bytes(self) -> int:
        """Of a row whose best labels tie: its number, and a bit for each class."""
        return WIDE + self.word_bytes

    @property
    def bit_bytes(self) -> int:
        """Of a bit for each row, block by block."""
        base, more = divmod(self.n, self.n_blocks)
        heights = [base + (b < more) for b in range(self.n_blocks)]
        return sum(-(-m // 8) for m in heights)


class Ties(NamedTuple):
    """Rows whose best labels tie: in the targets and predictions before a step, and after it."""

    targets: int = 0
    predictions: int = 0
    new_predictions: int = 0
    new_targets: int = 0


def step(size: Size, ties: Ties | None = None) -> Traffic:
    """Both half steps over sparse votes in blocks, all rows visited, under the 0-1 loss.

    A half step sends the labels that vote (all workers need them) and those that may change (each
    block its own). Labels return with a bit that says whether they moved; the costs of the second
    half step return, too.
    """
    labels, ties = size.n * size.code_bytes, ties or Ties()
    voting = 2 * labels + size.tie_bytes * (ties.targets + ties.new_predictions)
    own = 2 * labels + size.tie_bytes * (ties.predictions + ties.targets)
    returned = 2 * (labels + size.bit_bytes) + FLOAT * size.n
    return Traffic(
        voting + own,
        returned + size.tie_bytes * (ties.new_predictions + ties.new_targets),
        (size.n_workers - 1) * voting + own,
    )


def first_step_more(size: Size) -> int:
    """Bytes that are sent once: sets, and tolerances of both half steps."""
    return size.n * (size.word_bytes + 2 * FLOAT)


def affected(size: Size, moved: int) -> Traffic:
    """Which rows the moved ones affect: at most so much returns, however many blocks there are."""
    bits = size.n_blocks * -(-size.n // 8)
    return Traffic(size.n, min(bits, NARROW * size.n_neighbors * moved), size.n)


def sparse_product(size: Size, n_columns: int) -> Traffic:
    """Votes in blocks times a table ``(n, P)``: all workers need the table."""
    table = FLOAT * size.n * n_columns
    return Traffic(table, table, (size.n_workers - 1) * table)


def low_rank_product(size: Size, n_columns: int, rank: int) -> Traffic:
    """The same with r features: a table of the rows out, r x P from each block, and back."""
    table, small = FLOAT * size.n * n_columns, FLOAT * rank * n_columns
    return Traffic(
        table + small,
        table + size.n_blocks * small,
        table + (size.n_workers - 1) * small,
    )


def forest_product(size: Size, n_columns: int, n_leaves: int) -> Traffic:
    """The same with the leaves of all trees in place of features, up to 32 columns at a time."""
    return low_rank_product(size, n_columns, n_leaves)


class Build(NamedTuple):
    """What the graph of neighbours takes.

    Attributes
    ----------
    tasks : int
        A search of every part by every part, and as many parts of the transpose.
    between : int
        Bytes between workers, if each part of the index goes to each worker once, and parts of
        the transpose to where they are joined.
    """

    tasks: int
    between: int


def build(size: Size, index_bytes: float) -> Build:
    """The search of exact neighbours of all rows, and the transpose.

    Parameters
    ----------
    size : Size
    index_bytes : float
        Of the index, for each row.
    """
    others = size.n_workers - 1
    entries = size.n * size.n_neighbors * NARROW + WIDE * size.n * size.n_blocks
    b = size.n_blocks
    return Build(
        2 * b * b + 3 * b,
        int(others * size.n * index_bytes + entries * others / size.n_workers),
    )


class Held(NamedTuple):
    """Bytes that stay while a fit runs.

    Attributes
    ----------
    rows, index, lists, votes : int
        On all workers together: inputs; their index; lists of neighbours, which go after the fit;
        votes and transpose.
    each : int
        On each worker beside its share: the labels that vote in two half steps.
    client : int
        Sets, and three tables of floats for each row and class.
    hashes : int
        On the client, where equal rows are found: by ``weights="auto"`` and by the judgement.
    """

    rows: int
    index: int
    lists: int
    votes: int
    each: int
    client: int
    hashes: int

    def of_worker(self, n_workers: int) -> float:
        """Bytes of one of some workers."""
        return (self.rows + self.index + self.lists + self.votes) / n_workers + self.each


def held(size: Size, index_bytes: float) -> Held:
    """What is in memory at the end of the build, by `build`'s parameters."""
    n = size.n
    per_row = NARROW * size.n_neighbors + WIDE
    return Held(
        rows=FLOAT * n * size.n_features,
        index=int(n * index_bytes),
        lists=2 * WIDE * n * (size.n_neighbors + 1),
        votes=2 * n * per_row,
        each=2 * n * size.code_bytes,
        client=n * (size.n_classes * (1 + 3 * FLOAT) + size.word_bytes + 4 * FLOAT),
        hashes=2 * WIDE * n,
    )
