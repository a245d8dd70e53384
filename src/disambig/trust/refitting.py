"""Answers as the only candidates of their rows: the fit and the judgement that follow."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from disambig.estimators.progress.reporting import reporting
from disambig.notation import BoolArray, IntArray
from disambig.parameters import check_callback, check_integer
from disambig.solvers.loop import Callback
from disambig.trust.answered_sets import answered_sets
from disambig.trust.answers import Answers
from disambig.trust.recalibration import Recalibration

if TYPE_CHECKING:
    from disambig.trust.examination import Examination

E = TypeVar("E", bound="Examination")


@dataclass(frozen=True, eq=False)
class RefitAnswers:
    """The answers that replaced the sets of their rows in refits.

    Attributes
    ----------
    answers : Answers, m rows
    is_outside : bool array (m,)
        Whether the set that was given did not have the answer.
    """

    answers: Answers
    is_outside: BoolArray

    def __post_init__(self) -> None:
        self.is_outside.setflags(write=False)

    def __len__(self) -> int:
        return len(self.answers)

    def __str__(self) -> str:
        return f"{len(self)} rows answered by refit"

    def to_dict(self) -> dict[str, Any]:
        """The answers as plain data, for JSON."""
        return {
            "rows": self.answers.rows.tolist(),
            "labels": self.answers.labels.tolist(),
            "is_outside": self.is_outside.tolist(),
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "RefitAnswers":
        """The answers of such plain data."""
        rows = np.array(fields["rows"], dtype=np.intp)
        answers = Answers(rows, np.array(fields["labels"]), np.ones(len(rows)))
        return cls(answers, np.array(fields["is_outside"], dtype=np.bool_))


def refitted(examination: E, answers: Answers, callback: Callback | None, verbose: int) -> E:
    """The examination with more answers; see `Examination.refit`."""
    check_callback("refit", callback)
    check_integer("refit", "verbose", verbose, least=0)
    known = examination.refit_answers
    if examination.answers is not None:
        known = _joined(examination, known, examination.answers)
    known = _joined(examination, known, answers)
    sets = answered_sets(examination.candidates, known.answers)
    with reporting("refit", callback, verbose):
        found = examination._examine(examination.examined.refitted(sets))
    found = judged_after_refit(found, known, examination.recalibration)
    # The choice was made with the sets in sight, and it is not made again.
    return replace(found, selection_saw_sets=examination.selection_saw_sets)


def judged_after_refit(
    found: E, known: RefitAnswers, recalibration: Recalibration | None = None
) -> E:
    """The examination of a model that was refitted with answers, which are then known to it.

    Parameters
    ----------
    found : Examination
        Of the refitted model and the sets with answers.
    known : RefitAnswers
    recalibration : Recalibration, optional
        Of answers before the refit; it is kept.
    """
    confidence = found.confidence
    if recalibration is not None:
        is_open = ~found._is_single()
        confidence = np.where(is_open, recalibration(confidence), confidence)
    return replace(found, confidence=confidence, recalibration=recalibration, refit_answers=known)


def without_answers(examination: E) -> E:
    """The examination before `with_answers`; answers of refits stay."""
    if examination.answers is None:
        return examination
    return replace(
        examination,
        labels=examination._recovered_labels().copy(),
        confidence=examination.confidence_by_sets.copy(),
        answers=None,
        recalibration=None,
    )


def refitted_rows(examination: "Examination") -> IntArray:
    """The rows whose set is the answer of a refit."""
    known = examination.refit_answers
    return np.zeros(0, dtype=np.intp) if known is None else known.answers.rows


def answered_rows(examination: "Examination") -> tuple[IntArray, BoolArray]:
    """All answered rows, those of refits first, and whether their given sets miss the answer."""
    rows, outside = [refitted_rows(examination)], [np.zeros(0, dtype=np.bool_)]
    if examination.refit_answers is not None:
        outside.append(examination.refit_answers.is_outside)
    if examination.answers is not None:
        rows.append(examination.answers.rows)
        outside.append(examination._is_outside(examination.answers))
    return np.concatenate(rows), np.concatenate(outside)


def answer_columns(examination: "Examination") -> dict[str, BoolArray]:
    """The columns of the frame that say what is answered; none without answers."""
    rows, is_outside = answered_rows(examination)
    if not rows.size:
        return {}
    columns = np.zeros((2, len(examination)), dtype=np.bool_)
    columns[0, rows], columns[1, rows] = True, is_outside
    return {"is_answered": columns[0], "is_outside": columns[1]}


def refuse_refitted_rows(examination: "Examination", answers: Answers) -> None:
    """Raise an error if answers of `with_answers` are of rows that a refit answered."""
    again = np.intersect1d(answers.rows, refitted_rows(examination))
    if again.size:
        raise ValueError(
            f"with_answers: row {again[0]} was answered by a refit ({again.size} such rows). The "
            "answer is its only candidate now, so that it says nothing about sets or confidence. "
            "Give answers of other rows."
        )


def _joined(examination: "Examination", known: RefitAnswers | None, new: Answers) -> RefitAnswers:
    """Answers of refits with more of them; raises if these contradict."""
    if known is None:
        return RefitAnswers(new, examination._is_outside(new))
    before = known.answers
    _, old, again = np.intersect1d(before.rows, new.rows, return_indices=True)
    differs = before.labels[old] != new.labels[again]
    changed = np.any(differs, axis=tuple(range(1, differs.ndim)))
    if changed.any():
        said, says = (
            examination._named(part)[0]
            for part in (
                Answers(one.rows[entries], one.labels[entries], one.weights[entries])
                for one, entries in ((before, old[changed]), (new, again[changed]))
            )
        )
        raise ValueError(
            f"refit: row {before.rows[old[changed][0]]} was answered before, by {said}; got {says} "
            f"({np.count_nonzero(changed)} such rows). An answer is the one true label. Decide on "
            "one, and start from the examination without the other."
        )
    if len(again) == len(new):
        return known
    new = new.part(~np.isin(new.rows, before.rows))
    rows = np.concatenate([before.rows, new.rows])
    order = np.argsort(rows)
    labels = np.concatenate([before.labels, new.labels])[order]
    # The sets of new rows are still those that were given.
    outside = np.concatenate([known.is_outside, examination._is_outside(new)])[order]
    # They are no draw of rows, and have no weights.
    return RefitAnswers(Answers(rows[order], labels, np.ones(len(rows))), outside)
