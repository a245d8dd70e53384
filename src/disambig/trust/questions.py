"""Questions: the rows whose answers are worth most, and what they are expected to gain.

The *doubt* of a row is the probability that its label is wrong. An answer removes it, and changes
rows at which the row votes: if the label of row i was wrong (doubt ``v_i``), a share ``W_ij`` of
the votes at row j moves, and helps there if the label of j is wrong, too. So the expected number of
labels that become right is ``v_i (1 + sum_j W_ij v_j)``. Rows are chosen one after another, each
with the largest gain; an answer lowers the doubt of the rows that it influences, so that the
questions of a batch differ.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.parameters import check_integer, check_number
from disambig.trust.influence import Influence, influence_of

if TYPE_CHECKING:
    from disambig.trust.examination import Examination

_OWNER = "ask"
_RANDOM = "drawn at random, for calibration"


@dataclass(frozen=True, eq=False, repr=False)
class Questions:
    """The rows to ask next, in this order.

    Attributes
    ----------
    examination : Examination
        It was asked.
    rows : int array (m,)
    is_random : bool array (m,)
        Rows that were drawn at random. Only their answers may calibrate (`with_answers`).
    inclusion : float array (m,)
        The probability with which a random row was drawn; NaN for the rows that were chosen.
    doubt : float array (m,)
        The probability that the label of the row is wrong, when the questions before it are
        answered.
    gain : float array (m,)
        The expected number of labels that become right by the answer: its own, which is `doubt`,
        and those of other rows after `refit`. For orders and tags, labels are right in part. Sample
        weights count rows.
    by_votes : bool
        Whether the influence on other rows is that of the votes of the estimator; else it is that
        of the nearest rows.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.trust import cross_examine
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3], [2.6]])
    >>> y = [{"a"}, {"a"}, {"a"}, {"a", "b"}, {"b"}, {"b"}, {"b"}, {"b", "c"}, {"a", "b"}]
    >>> from disambig.weights import NeighborWeights
    >>> exam = cross_examine(PartialLabelClassifier(NeighborWeights(4)), X, y, cv=4)
    >>> questions = exam.ask(1)
    >>> questions.rows.tolist(), questions.is_random.tolist()
    ([8], [False])
    """

    examination: "Examination"
    rows: IntArray
    is_random: BoolArray
    inclusion: FloatArray
    doubt: FloatArray
    gain: FloatArray
    by_votes: bool

    def __post_init__(self) -> None:
        for array in (self.rows, self.is_random, self.inclusion, self.doubt, self.gain):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[int]:
        return iter(self.rows.tolist())

    @property
    def expected_gain(self) -> float:
        """The expected number of labels that become right by all answers."""
        return float(self.gain.sum())

    @property
    def expected_gain_elsewhere(self) -> float:
        """The part of it at rows that are not the one of the question."""
        return float((self.gain - self._own_gain).sum())

    @property
    def _own_gain(self) -> FloatArray:
        weights = self.examination.sample_weight
        return self.doubt if weights is None else self.doubt * weights[self.rows]

    @property
    def reason(self) -> list[str]:
        """Why each row is asked, in words."""
        found = []
        for is_random, doubt, elsewhere in zip(
            self.is_random, self.doubt, self.gain - self._own_gain, strict=True
        ):
            text = _RANDOM if is_random else f"wrong with probability {doubt:.2f}"
            if not is_random and elsewhere >= 0.01:
                text += f"; {elsewhere:.2f} labels of other rows would become right"
            found.append(text)
        return found

    @property
    def basis(self) -> str:
        """A sentence: what the doubts rest on."""
        recalibration = self.examination.recalibration
        if recalibration is None or recalibration.method == "identity":
            return (
                "No answers have calibrated the doubts: they are right if the chance of a set is "
                "the same whichever of its members is true."
            )
        return f"The doubts are calibrated on {recalibration.n_answers} answers."

    def frame(self) -> Any:
        """One row for each question, as a pandas DataFrame with the row numbers as index.

        ``candidates`` as text, ``reason``, ``doubt``, ``gain``, ``is_random`` and ``inclusion``,
        and what `Examination.frame` says about these rows.
        """
        frame = self.examination.frame().iloc[self.rows].copy()
        frame.insert(0, "candidates", self.examination._candidate_texts(self.rows))
        own = {
            "reason": self.reason,
            "doubt": self.doubt,
            "gain": self.gain,
            "is_random": self.is_random,
            "inclusion": self.inclusion,
        }
        return frame.assign(**own)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} rows, expected gain {self.expected_gain:.1f})"

    def __str__(self) -> str:
        n_random = int(self.is_random.sum())
        drawn = f", {n_random} of them drawn at random" if n_random else ""
        basis = "the votes of the estimator" if self.by_votes else "the nearest rows"
        where = (
            f", {self.expected_gain_elsewhere:.1f} of them at other rows (by {basis})"
            if self.expected_gain_elsewhere >= 0.05
            else ""
        )
        return (
            f"{len(self)} questions about {len(self.examination)} rows{drawn}. "
            f"{self.expected_gain:.1f} labels are expected to become right{where}. {self.basis}"
        )


def checked_numbers(n: Any, n_random: Any, n_open: int, n_rows: int) -> tuple[int, int]:
    """The number of questions, and how many of them are random; or an error in words."""
    n = check_integer(_OWNER, "n", n, least=1)
    if not n_open:
        raise ValueError(
            f"{_OWNER}: no row is open; all {n_rows} have an answer or a single candidate. There "
            "is nothing to ask."
        )
    if n > n_rows:
        raise ValueError(
            f"{_OWNER}: n={n} questions about {n_rows} rows; a row is asked once. At most {n_open} "
            "rows can be asked."
        )
    if n > n_open:
        raise ValueError(
            f"{_OWNER}: n={n} questions, but only {n_open} of {n_rows} rows are open; the others "
            f"have an answer or a single candidate. Ask at most {n_open}."
        )
    if isinstance(n_random, float):
        share = check_number(_OWNER, "n_random", n_random, most=1)
        return n, round(share * n)
    n_random = check_integer(_OWNER, "n_random", n_random, least=0)
    if n_random > n:
        raise ValueError(
            f"{_OWNER}: n_random={n_random} of n={n} questions; expected at most as many, or a "
            "share from 0.0 to 1.0."
        )
    return n, n_random


class Batch(NamedTuple):
    """Rows in the order in which they are asked, their doubts then, and their gains."""

    rows: IntArray
    doubt: FloatArray
    gain: FloatArray


def chosen_batch(
    n: int,
    first: IntArray,
    doubt: FloatArray,
    is_open: BoolArray,
    weights: FloatArray,
    influence: Influence,
) -> Batch:
    """The rows `first`, and then, one after another, the open row of largest gain.

    Gains never rise when doubts fall, so that only the row with the largest known gain has to be
    computed again.

    Parameters
    ----------
    n : int
        How many rows altogether.
    first : int array
        Rows that are asked in any case.
    doubt : float array (n_rows,)
    is_open : bool array (n_rows,)
    weights : float array (n_rows,)
        How much a right label counts.
    influence : Influence
    """
    present = np.where(is_open, doubt, 0.0)
    asked: list[int] = []
    doubts: list[float] = []
    gains: list[float] = []

    def gain_of(row: int) -> float:
        elsewhere = influence.elsewhere(row, weights * present)
        return float(present[row]) * (float(weights[row]) + elsewhere)

    def answer(row: int) -> FloatArray:
        asked.append(row)
        doubts.append(float(present[row]))
        gains.append(gain_of(row))
        return influence.after(row, present)

    for row in first.tolist():
        present = answer(row)
    # A row that is asked or not open is never the largest.
    gains_now = present * (weights + influence.shares @ (weights * present))
    bounds = np.where(is_open, gains_now, -1.0)
    bounds[first] = -1.0
    while len(asked) < n:
        row = int(bounds.argmax())
        bounds[row] = gain_of(row)
        if bounds[row] >= bounds.max():
            present = answer(row)
            bounds[row] = -1.0
    return Batch(np.array(asked, dtype=np.intp), np.array(doubts), np.array(gains))


def ask(examination: "Examination", n: Any, n_random: Any, random_state: Any) -> Questions:
    """The questions of an examination; see `Examination.ask`."""
    is_open = ~examination._is_single()
    if examination.answers is not None:
        is_open[examination.answers.rows] = False
    open_rows = np.flatnonzero(is_open)
    n, n_random = checked_numbers(n, n_random, len(open_rows), len(examination))
    generator = check_random_state(random_state)
    drawn = np.sort(generator.choice(open_rows, n_random, replace=False)).astype(np.intp)
    weights = examination.sample_weight
    influence = influence_of(examination.examined)
    batch = chosen_batch(
        n,
        drawn,
        examination._doubt(),
        is_open,
        np.ones(len(examination)) if weights is None else weights,
        influence,
    )
    is_random = np.arange(n) < n_random
    inclusion = np.where(is_random, n_random / len(open_rows), np.nan)
    return Questions(
        examination, batch.rows, is_random, inclusion, batch.doubt, batch.gain, influence.by_votes
    )
