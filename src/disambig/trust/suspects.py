"""Rows whose set probably misses the truth, and how many of them are false alarms.

Without answers, rows are taken by the posterior that their set is wrong as long as the mean of
``1 - posterior`` stays below the level: the share of false alarms is then estimated, under the
model of the posterior. With clean answers (drawn at random, inside their sets) every row has a
conformal p-value, the share of clean answers that are at least as suspect, and the procedure of
Benjamini and Hochberg (1995) takes rows so that the expected share of false alarms is at most the
level (Bates, Candes, Lei, Romano and Sesia, 2023).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from disambig.frames import data_frame
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.trust.answers import Answers
from disambig.trust.refitting import answered_rows, refitted_rows

if TYPE_CHECKING:
    from disambig.trust.examination import Examination

# Parts of statements and sentences.
ANSWERED = "the answer is outside of the set"
APPROXIMATE = " The rows were judged in folds, for which this is approximate."
TELLS_FREQUENCIES = (
    "Some tags are known to be on only, or off only, so that wrong bits cannot be distinguished "
    "from wrong frequencies: no set is called suspect. suspicion ranks the rows."
)
TELLS_NOTHING = (
    "The other rows are wrong too often, even where they are sure, so that wrong sets cannot be "
    "distinguished from right ones: no set is called suspect."
)


class Contradiction(NamedTuple):
    """What the others say against a set.

    Attributes
    ----------
    instead : label, number, or text
        What they say instead.
    probability : float
        What they give to it.
    why : str
        The same as a sentence.
    """

    instead: Any
    probability: float
    why: str


@dataclass(frozen=True, eq=False, repr=False)
class Suspects:
    """Rows whose set probably misses the truth, the most suspect first.

    Attributes
    ----------
    rows : int array (k,)
    score : float array (k,)
        The suspicion of the examination: how improbable the others find the set.
    posterior : float array (k,)
        The probability that the set misses the truth.
    instead : tuple (k,)
        What the others say: a label, a number, or texts that name pairs or tags.
    instead_probability : float array (k,)
        What they give to it.
    why : tuple of str (k,)
    false_alarms : float
        The level that the user named.
    is_controlled : bool
        Whether answers bound the share of false alarms; else it is estimated under the model.
    statement : str
        What is promised, or estimated, about false alarms.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_blobs
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.datasets import UniformCorruption, remove_truths
    >>> from disambig.trust import cross_examine
    >>> X, truth = make_blobs(300, centers=4, random_state=1)
    >>> sets = UniformCorruption(0.3)(truth, random_state=0)
    >>> y, is_wrong = remove_truths(sets, truth, 0.1, random_state=0)
    >>> found = cross_examine(PartialLabelClassifier("neighbors"), X, y).suspects()
    >>> len(found), int(is_wrong[found.rows].sum())
    (30, 29)
    >>> found.frame().columns.tolist()
    ['row', 'score', 'posterior', 'instead', 'instead_probability', 'why']
    """

    rows: IntArray
    score: FloatArray
    posterior: FloatArray
    instead: tuple[Any, ...]
    instead_probability: FloatArray
    why: tuple[str, ...]
    false_alarms: float
    is_controlled: bool
    statement: str

    def __post_init__(self) -> None:
        for array in (self.rows, self.score, self.posterior, self.instead_probability):
            array.setflags(write=False)

    @classmethod
    def of(
        cls,
        rows: IntArray,
        score: FloatArray,
        posterior: FloatArray,
        said: Sequence[Contradiction],
        false_alarms: float,
        is_controlled: bool,
        statement: str,
    ) -> "Suspects":
        """Suspects with what the others say against each of them.

        Parameters
        ----------
        rows : int array (s,)
        score, posterior : float arrays (s,)
        said : sequence of s Contradiction
        false_alarms : float
        is_controlled : bool
        statement : str
            See the attributes.
        """
        return cls(
            rows=rows,
            score=score,
            posterior=posterior,
            instead=tuple(one.instead for one in said),
            instead_probability=np.array([one.probability for one in said], dtype=np.float64),
            why=tuple(one.why for one in said),
            false_alarms=false_alarms,
            is_controlled=is_controlled,
            statement=statement,
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Suspects({len(self)} rows, false_alarms={self.false_alarms:g}): {self.statement}"

    @property
    def estimated_false_alarms(self) -> float:
        """The mean of ``1 - posterior``: the share of false alarms under the model; 0 for no row.

        Answers outside of their sets are no false alarms.
        """
        return float(np.mean(1.0 - self.posterior)) if len(self) else 0.0

    def frame(self) -> Any:
        """One row for each suspect, the most suspect first, as a pandas DataFrame."""
        return data_frame(
            {
                "row": self.rows,
                "score": self.score,
                "posterior": self.posterior,
                "instead": list(self.instead),
                "instead_probability": self.instead_probability,
                "why": list(self.why),
            }
        )


class Choice(NamedTuple):
    """The rows that are suspect, most suspect first, and what is said about false alarms."""

    rows: IntArray
    statement: str


def suspect_ranks(posterior: FloatArray, suspicion: FloatArray) -> IntArray:
    """Ranks by the posterior, and by the suspicion where it is equal; equal ranks for ties, (n,).

    Examples
    --------
    >>> suspect_ranks(np.array([0.5, 0.0, 0.5, 0.0]), np.array([0.9, 0.2, 0.8, 0.2])).tolist()
    [2, 0, 1, 0]
    """
    _, ranks = np.unique(np.column_stack([posterior, suspicion]), axis=0, return_inverse=True)
    return np.asarray(ranks, dtype=np.intp).ravel()


def choose_by_posterior(posterior: FloatArray, ranks: IntArray, level: float) -> IntArray:
    """The most suspect rows whose mean of ``1 - posterior`` is at most the level.

    Examples
    --------
    >>> choose_by_posterior(np.array([0.2, 0.95, 0.8]), np.array([0, 2, 1]), 0.15).tolist()
    [1, 2]
    """
    order = np.argsort(-ranks, kind="stable")
    expected = np.cumsum(1.0 - posterior[order]) / np.arange(1, len(order) + 1)
    within = np.flatnonzero(expected <= level)
    return np.asarray(order[: within[-1] + 1 if within.size else 0])


def conformal_p_values(scores: Any, clean: Any) -> FloatArray:
    """``(1 + #{clean >= score}) / (1 + #clean)`` for each score, ``(m,)``.

    A row that is exchangeable with the clean ones has a p-value of at most t with probability t at
    most.

    Examples
    --------
    >>> conformal_p_values([5, 2, 0], [1, 2, 3]).tolist()
    [0.25, 0.75, 1.0]
    """
    known = np.sort(np.asarray(clean))
    below = np.searchsorted(known, np.asarray(scores), side="left")
    return np.asarray((1.0 + len(known) - below) / (1.0 + len(known)))


def benjamini_hochberg(p_values: Any, level: float) -> BoolArray:
    """The p-values up to the largest ``p_(k) <= level k / m``, ``(m,)``.

    Examples
    --------
    >>> benjamini_hochberg([0.04, 0.01, 0.5, 0.03], 0.1).tolist()
    [True, True, False, True]
    """
    values = np.asarray(p_values, dtype=np.float64)
    m = len(values)
    ascending = np.sort(values)
    # Rounding must not drop a p-value that equals its limit.
    passed = np.flatnonzero(ascending * m <= level * np.arange(1, m + 1) * (1.0 + 1e-12))
    if not passed.size:
        return np.zeros(m, dtype=np.bool_)
    return np.asarray(values <= ascending[passed[-1]])


def choose_by_answers(ranks: IntArray, clean: IntArray, level: float) -> Choice:
    """Rows that are more suspect than clean answers, at most a share `level` of them by chance.

    Parameters
    ----------
    ranks : int array (m,)
        Of the rows that were not answered; the higher, the more suspect.
    clean : int array (c,)
        Of answered rows whose answer is in their set.
    level : float
    """
    nobody: IntArray = np.zeros(0, dtype=np.intp)
    if not clean.size:
        return Choice(nobody, "No answer is in its set, so that nothing bounds false alarms.")
    flagged = benjamini_hochberg(conformal_p_values(ranks, clean), level)
    if flagged.any():
        order = np.argsort(-ranks, kind="stable")
        return Choice(
            np.asarray(order[flagged[order]]),
            f"On average over draws of the answers, at most {100 * level:g}% of the "
            f"{np.count_nonzero(flagged)} suspects are false alarms (conformal p-values against "
            f"{clean.size} clean answers, Benjamini-Hochberg).",
        )
    above = np.count_nonzero(ranks > clean.max())
    if not above:
        return Choice(
            nobody,
            f"No row is more suspect than all of the {clean.size} clean answers: none can be "
            f"called suspect with at most {100 * level:g}% of false alarms.",
        )
    least = ceil(len(ranks) / (level * above) - 1e-9) - 1
    return Choice(
        nobody,
        f"{clean.size} clean answers are too few to call any of {len(ranks)} rows suspect with at "
        f"most {100 * level:g}% of false alarms: {above} rows are more suspect than all of them, "
        f"and {least} clean answers at least are needed. Give more answers, or allow more false "
        "alarms.",
    )


def suspects_by_posterior(
    posterior: FloatArray, suspicion: FloatArray, is_open: BoolArray, level: float
) -> Choice:
    """The suspects without answers.

    Parameters
    ----------
    posterior, suspicion : float array (n,)
    is_open : bool array (n,)
        Rows whose set excludes something, and that no refit has answered.
    level : float
    """
    rows = np.flatnonzero(is_open)
    ranks = suspect_ranks(posterior[rows], suspicion[rows])
    found = rows[choose_by_posterior(posterior[rows], ranks, level)]
    if not found.size:
        share = float(posterior[rows].mean()) if rows.size else 0.0
        return Choice(
            found,
            f"No set is suspect at {100 * level:g}% of false alarms: the estimated share of wrong "
            f"sets is {share:.2g}.",
        )
    return Choice(
        found,
        f"Estimated under the model, {100 * float(np.mean(1.0 - posterior[found])):.2g}% of the "
        f"{found.size} suspects are false alarms. No answer of a row drawn at random has "
        "checked this; such answers (with_answers) bound it.",
    )


def suspects_by_answers(
    posterior: FloatArray,
    suspicion: FloatArray,
    is_open: BoolArray,
    answers: Answers,
    is_clean: BoolArray,
    level: float,
    is_split: bool,
) -> Choice:
    """The suspects among the rows that were not answered.

    Parameters
    ----------
    posterior, suspicion : float array (n,)
    is_open : bool array (n,)
        Rows whose set excludes something, and that no refit has answered.
    answers : Answers, m rows
    is_clean : bool array (m,)
        Whether the answer is in its set.
    level : float
    is_split : bool
        Whether no row took part in the fit.
    """
    if not answers.is_uniform:
        raise ValueError(
            "suspects needs answers that were drawn with equal probabilities; these have different "
            "inclusion probabilities. Draw some rows at random."
        )
    clean = answers.rows[is_clean & is_open[answers.rows]]
    rows = np.setdiff1d(np.flatnonzero(is_open), answers.rows)
    ranks = suspect_ranks(posterior, suspicion)
    chosen, statement = choose_by_answers(ranks[rows], ranks[clean], level)
    is_approximate = chosen.size and not is_split
    return Choice(rows[chosen], statement + APPROXIMATE if is_approximate else statement)


def found_suspects(examination: "Examination", level: float) -> Suspects:
    """The suspects of an examination; see `Examination.suspects`."""
    # Of clean answers the posterior is 0; they are compared by what was said without answers.
    before, answers = examination._wrong_probability(), examination.answers
    answered, is_outside = answered_rows(examination)
    known = np.sort(answered[is_outside])
    is_open = np.array(examination.candidates.informative)
    is_open[refitted_rows(examination)] = False
    if answers is not None:
        choice = suspects_by_answers(
            before,
            examination.suspicion,
            is_open,
            answers,
            ~examination._is_outside(answers),
            level,
            examination.is_split,
        )
    elif examination._tells_wrong_sets:
        choice = suspects_by_posterior(before, examination.suspicion, is_open, level)
    else:
        is_one_sided = getattr(examination, "one_sided", None) is not None
        why = TELLS_FREQUENCIES if is_one_sided else TELLS_NOTHING
        choice = Choice(np.zeros(0, dtype=np.intp), why)
    said = [Contradiction(examination._label_column()[row], 1.0, ANSWERED) for row in known]
    if choice.rows.size:
        said += examination._contradictions(choice.rows)
    rows = np.concatenate([known, choice.rows]).astype(np.intp)
    values = examination.suspicion[rows], examination.wrong_set_probability[rows]
    statement = choice.statement
    if examination.refit_answers is not None:
        n_outside = np.count_nonzero(examination.refit_answers.is_outside)
        statement += (
            f" There are {examination.refit_answers}, {n_outside} of them outside of their sets: "
            "these are listed, and bound no false alarms."
        )
    return Suspects.of(rows, *values, said, level, answers is not None, statement)
