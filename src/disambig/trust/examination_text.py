"""An examination in one line, and as a small table for notebooks."""

from typing import TYPE_CHECKING

import numpy as np

from disambig.notebooks import MAX_ROWS, html_table

if TYPE_CHECKING:
    from disambig.trust.examination import Examination


def described(examination: "Examination") -> str:
    """Rows, mean confidence and answers."""
    answers = examination.answers
    known = "no answers" if answers is None else f"{len(answers)} answers"
    if examination.refit_answers is not None:
        known += f", {examination.refit_answers}"
    return (
        f"{type(examination).__name__}({len(examination)} rows, mean confidence "
        f"{examination.confidence.mean():.3f}, {known})"
    )


def as_html(examination: "Examination") -> str:
    """The rows that are least sure, for notebooks."""
    rows = np.argsort(examination.confidence, kind="stable")[:MAX_ROWS].tolist()
    labels, sets = examination._label_column(), examination._candidate_texts(np.array(rows))
    body = [
        (
            row,
            text,
            labels[row],
            float(examination.confidence[row]),
            float(examination.suspicion[row]),
        )
        for row, text in zip(rows, sets, strict=True)
    ]
    header = ("row", "candidates", "label", "confidence", "suspicion")
    note = "The rows that are least sure; frame() has all." if len(rows) < len(examination) else ""
    return html_table(described(examination), header, body, note)
