"""Which outputs are confused: pairs of classes, pairs of items, or tags, with how much."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from disambig.notation import FloatArray
from disambig.plots.matrices import names_of
from disambig.report.inputs import ReportInputs
from disambig.report.texts import clean_text, counted, percent

# Fewer expected errors than this are not worth a name.
_LEAST_ERRORS = 0.05


class Confusion(NamedTuple):
    """Two outputs that are taken for each other, or one tag that is doubtful.

    Attributes
    ----------
    first, second : str
        `second` is empty for tags.
    errors : float
        The expected number of wrong labels because of it.
    together : int
        Rows that leave both possible.
    """

    first: str
    second: str
    errors: float
    together: int

    @property
    def text(self) -> str:
        """Names, and the expected errors."""
        names = f"{self.first} and {self.second}" if self.second else self.first
        what = "both possible" if self.second else "unknown"
        # In bags alone no single row leaves anything open.
        where = f", {what} in {counted(self.together, 'row')}" if self.together else ""
        return f"{names} ({self.errors:.1f} expected errors{where})"


def confusions(inputs: ReportInputs) -> list[Confusion]:
    """The largest first; nothing for numbers, or if the rows were not examined."""
    exam = inputs.examination
    if exam is None or inputs.kind == "numbers":
        return []
    found = {"labels": _classes, "orders": _items, "bits": _tags}[inputs.kind](exam)
    return sorted((one for one in found if one.errors >= _LEAST_ERRORS), key=_by_errors)


def _by_errors(found: Confusion) -> tuple[float, str, str]:
    return -found.errors, found.first, found.second


def _classes(exam: Any) -> list[Confusion]:
    """Expected rows of label k whose truth is j, both ways, by the held-out probabilities."""
    names, k = _texts(exam.classes), len(exam.classes)
    n = len(exam)
    of_label = csr_array((np.ones(n), (exam.codes, np.arange(n))), shape=(k, n))
    expected: FloatArray = np.asarray(of_label @ exam.label_distributions)
    mask = np.asarray(exam.candidates.mask, dtype=np.float64)
    # Rows that say nothing leave every pair possible.
    mask = mask[np.asarray(exam.candidates.informative)]
    together = mask.T @ mask
    return _pairs(names, expected + expected.T, together)


def _items(exam: Any) -> list[Confusion]:
    """Pairs of items that the rows leave open, with the probability of the other order."""
    names, items = _texts(exam.items), len(exam.items)
    before = np.asarray(exam.candidates.before)
    is_open = ~(before | before.transpose(0, 2, 1))
    chosen = np.where(
        exam.recovered[:, :, None] < exam.recovered[:, None, :],
        exam.held_out_probabilities,
        1.0 - exam.held_out_probabilities,
    )
    wrong = np.where(is_open, 1.0 - chosen, 0.0).sum(axis=0)
    together = is_open.sum(axis=0)
    assert wrong.shape == (items, items)
    return _pairs(names, (wrong + wrong.T) / 2.0, together)


def _pairs(names: list[str], errors: FloatArray, together: Any) -> list[Confusion]:
    first, second = np.triu_indices(len(names), 1)
    return [
        Confusion(names[i], names[j], float(errors[i, j]), int(together[i, j]))
        for i, j in zip(first.tolist(), second.tolist(), strict=True)
        if errors[i, j] >= _LEAST_ERRORS
    ]


def _tags(exam: Any) -> list[Confusion]:
    """Unknown tags, with the probability that they were recovered wrongly."""
    names = _texts(exam.tags)
    is_open = ~np.asarray(exam.candidates.known)
    present = exam.held_out_probabilities
    wrong = np.where(is_open, np.where(exam.recovered == 1, 1.0 - present, present), 0.0)
    return [
        Confusion(name, "", float(errors), int(count))
        for name, errors, count in zip(names, wrong.sum(axis=0), is_open.sum(axis=0), strict=True)
    ]


def _texts(names: Any) -> list[str]:
    return [clean_text(name, 60) for name in names_of(names)]


def share_of_errors(found: list[Confusion], errors: float) -> str:
    """What part of all expected errors some confusions have."""
    total = max(errors, 1e-12)
    return percent(min(1.0, sum(one.errors for one in found) / total))
