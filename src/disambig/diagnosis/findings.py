"""What a check is, what it returns, and the finding that the report shows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from disambig.diagnosis.subject import Subject
from disambig.notation import BoolArray, FloatArray, IntArray

SECTIONS = ("issue", "tip", "passed", "not applicable", "skipped", "ignored")
KINDS = ("labels", "numbers", "orders", "bits")


class Outcome(NamedTuple):
    """What a check found.

    Attributes
    ----------
    message : str
        What was found, in numbers; empty if nothing was.
    rows : int array, or None
        The rows concerned, ascending; None if the finding is not about rows.
    scores : float array (n,), or None
        Of each row, 0 to 1, larger is worse; NaN if the row was not judged.
    evidence : mapping
        Numbers, texts and lists of them, by name.
    is_mild : bool
        Whether what is an issue otherwise is a tip here.
    """

    message: str = ""
    rows: IntArray | None = None
    scores: FloatArray | None = None
    evidence: Mapping[str, Any] = MappingProxyType({})
    is_mild: bool = False


class NotApplicable(NamedTuple):
    """A check that does not concern these data, and the reason."""

    reason: str


class Skipped(NamedTuple):
    """A check that would take too long, and the reason."""

    reason: str


Verdict = Outcome | NotApplicable | Skipped


@dataclass(frozen=True)
class Check:
    """One question about the data, with a stable code.

    Attributes
    ----------
    code : str
        Such as "L103": a letter for the kind of target, or F for features, and a number.
    name : str
        The same in words, such as "copies-contradict".
    title : str
    level : {"issue", "tip"}
    kinds : tuple of str
        The kinds of target that it applies to.
    detected, why, remedy : str
        How it is detected, why it matters, what to do.
    run : callable
        From the data to a verdict.
    is_slow : bool
        Whether ``fast=True`` skips it.
    """

    code: str
    name: str
    title: str
    level: str
    kinds: tuple[str, ...]
    detected: str
    why: str
    remedy: str
    run: Callable[[Subject], Verdict]
    is_slow: bool = False


@dataclass(frozen=True, eq=False)
class Finding:
    """The result of one check: section, message, rows, evidence, why it matters, what to do.

    Attributes
    ----------
    code, name, title : str
        Of the check; codes are stable.
    kinds : tuple of str
        The kinds of target that the check is for.
    section : str
        "issue", "tip", "passed", "not applicable", "skipped" or "ignored".
    message : str
        What was found, or why the check was not run.
    rows : int array
        The rows concerned, ascending.
    scores : float array (n,), or None
        Of each row, 0 to 1, larger is worse; NaN if the row was not judged.
    evidence : dict
    why, remedy : str

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.diagnosis import Finding, diagnose
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> report = diagnose(X, ["cat", "dog"] * 19 + ["dog", "Cat"])
    >>> found = report["spelling-variants"]
    >>> isinstance(found, Finding), found.code, found.section, found.rows.tolist()
    (True, 'L114', 'issue', [39])
    >>> print(found.remedy)
    Write what is one class in one way. If all are meant, name them by classes=.
    """

    code: str
    name: str
    title: str
    kinds: tuple[str, ...]
    section: str
    message: str
    rows: IntArray
    scores: FloatArray | None
    evidence: dict[str, Any]
    why: str
    remedy: str

    def __repr__(self) -> str:
        rows = f", {self.rows.size} rows" if self.rows.size else ""
        return f"Finding({self.code} {self.name}: {self.section}{rows})"

    def to_dict(self) -> dict[str, Any]:
        """Plain Python objects, for JSON; NaN is None."""
        scores = None
        if self.scores is not None:
            scores = [None if isnan(value) else value for value in self.scores.tolist()]
        return {
            "code": self.code,
            "name": self.name,
            "title": self.title,
            "section": self.section,
            "message": self.message,
            "rows": self.rows.tolist(),
            "scores": scores,
            "evidence": plain(self.evidence),
            "why": self.why,
            "remedy": self.remedy,
        }


def plain(value: Any) -> Any:
    """`value` in types that JSON has: labels of other types become texts.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"share": np.float64(0.5), "pairs": [(np.str_("a"), 1)], "far": float("inf")})
    {'share': 0.5, 'pairs': [['a', 1]], 'far': 'inf'}
    """
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def finding_of(check: Check, subject: Subject, ignored: bool) -> Finding:
    """Run a check unless it is ignored, slow in a fast diagnosis, or of another kind."""
    verdict: Verdict
    if ignored:
        return _finding(check, "ignored", Outcome("ignored on request"))
    if subject.kind not in check.kinds:
        verdict = NotApplicable(f"for {' and '.join(check.kinds)}; these are {subject.kind}")
    elif check.is_slow and subject.fast:
        verdict = Skipped("takes long; fast=False runs it")
    else:
        verdict = check.run(subject)
    if isinstance(verdict, NotApplicable):
        return _finding(check, "not applicable", Outcome(verdict.reason))
    if isinstance(verdict, Skipped):
        return _finding(check, "skipped", Outcome(verdict.reason))
    if not verdict.message:
        return _finding(check, "passed", verdict)
    return _finding(check, "tip" if verdict.is_mild else check.level, verdict)


def _finding(check: Check, section: str, outcome: Outcome) -> Finding:
    rows = np.empty(0, dtype=np.intp) if outcome.rows is None else outcome.rows
    rows = np.asarray(rows, dtype=np.intp)
    for array in (rows, outcome.scores):
        if array is not None:
            array.setflags(write=False)
    return Finding(
        check.code,
        check.name,
        check.title,
        check.kinds,
        section,
        outcome.message,
        rows,
        outcome.scores,
        dict(outcome.evidence),
        check.why,
        check.remedy,
    )


def share_text(
    count: int | np.integer[Any], total: int | np.integer[Any], noun: str = "rows"
) -> str:
    """A count with its share.

    Examples
    --------
    >>> share_text(3, 200), share_text(8, 8, "sets")
    ('3 of 200 rows (1.5%)', '8 of 8 sets (100%)')
    """
    percent = 100.0 * count / max(1, total)
    shown = f"{percent:.0f}" if percent >= 10.0 else f"{percent:.2g}"
    return f"{count} of {total} {noun} ({shown}%)"


def named(names: list[Any], most: int = 5) -> str:
    """The first few names.

    Examples
    --------
    >>> named(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(plain(name)) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def flagged(flags: BoolArray | np.bool_) -> IntArray:
    """The positions of True, ``(rows,)``."""
    rows: IntArray = np.flatnonzero(flags)
    return rows
