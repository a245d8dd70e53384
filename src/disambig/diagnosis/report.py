"""The report of a diagnosis: findings by section, as text, frame and JSON."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import indent, shorten, wrap
from typing import Any

import numpy as np

from disambig.diagnosis.findings import SECTIONS, Finding, plain
from disambig.notebooks import html_table

_WIDTH = 88
# Rows that the text names.
_MAX_SHOWN_ROWS = 10
_MAX_NAME = 40


@dataclass(frozen=True, eq=False)
class Report:
    """The findings of `diagnose`, in sections; ``print`` shows them.

    Attributes
    ----------
    kind : {"labels", "numbers", "orders", "bits"}
    n_rows, n_features : int
    fast : bool
    findings : tuple of Finding
        Of all checks, in the order of their codes.
    index : object
        The index of X if it was a frame, else None.
    names : array (n,) or None
        What the text calls the rows: lines of a file, or identifiers. None: their numbers, from 0
        on, which `Finding.rows` always has.
    names_are : str
        What these names are.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.diagnosis import Report, diagnose
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> X[7, 1] = np.nan
    >>> report = diagnose(X, np.where(X[:, 0] > 0, "up", "down"))
    >>> isinstance(report, Report), report
    (True, Report(labels, 60 rows: 1 issue, 0 tips))
    >>> [(found.code, found.rows.tolist()) for found in report.issues]
    [('F101', [7])]
    >>> report["F101"].evidence
    {'n_entries': 1, 'columns': {'column 1': 1}}
    """

    kind: str
    n_rows: int
    n_features: int
    fast: bool
    findings: tuple[Finding, ...]
    index: Any = None
    names: Any = None
    names_are: str = "Rows"

    def section(self, name: str) -> tuple[Finding, ...]:
        """The findings of a section: "issue", "tip", "passed", "not applicable", ...

        Parameters
        ----------
        name : str
        """
        if name not in SECTIONS:
            raise ValueError(f"Report: no section {name!r}; there are {', '.join(SECTIONS)}.")
        return tuple(finding for finding in self.findings if finding.section == name)

    @property
    def issues(self) -> tuple[Finding, ...]:
        """What should be corrected before training."""
        return self.section("issue")

    @property
    def tips(self) -> tuple[Finding, ...]:
        """What is worth a look."""
        return self.section("tip")

    @property
    def passed(self) -> tuple[Finding, ...]:
        """Checks that found nothing."""
        return self.section("passed")

    @property
    def not_applicable(self) -> tuple[Finding, ...]:
        """Checks that do not concern these data."""
        return self.section("not applicable")

    @property
    def skipped(self) -> tuple[Finding, ...]:
        """Checks that ``fast=True`` left out."""
        return self.section("skipped")

    @property
    def ignored(self) -> tuple[Finding, ...]:
        """Checks that ``ignore=`` named."""
        return self.section("ignored")

    def __len__(self) -> int:
        return len(self.issues) + len(self.tips)

    def __bool__(self) -> bool:
        # A report without findings is still a report.
        return True

    def __iter__(self) -> Iterator[Finding]:
        """Issues, then tips."""
        return iter((*self.issues, *self.tips))

    def __getitem__(self, code: str) -> Finding:
        """The finding with this code, or with this name; of several the one of these data."""
        named = [found for found in self.findings if code in (found.code, found.name)]
        if not named:
            raise KeyError(
                f"Report: no finding {code!r}; there are "
                f"{', '.join(found.code for found in self.findings)}."
            )
        return next((found for found in named if found.section != "not applicable"), named[0])

    def __repr__(self) -> str:
        return f"Report({self.kind}, {self.n_rows} rows: {self._counts()})"

    def _counts(self) -> str:
        issues, tips = len(self.issues), len(self.tips)
        return f"{issues} issue{'s' * (issues != 1)}, {tips} tip{'s' * (tips != 1)}"

    def frame(self) -> Any:
        """One row a sample: what concerns it, and how much (a pandas DataFrame).

        For every issue and tip about rows a column of truth values with its code and, if rows have
        scores, a column such as "L104_score" (larger is worse, NaN if not judged). "n_findings"
        counts the first; "score" is the largest of the scores, 0 if there is none.

        Examples
        --------
        >>> from disambig.diagnosis import diagnose
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> X[7, 1] = np.nan
        >>> report = diagnose(X, np.where(X[:, 0] > 0, "up", "down"))
        >>> report.frame().loc[7, "n_findings"]
        np.int64(1)
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "frame() needs pandas: pip install pandas. The findings have rows and scores, too."
            ) from error
        columns: dict[str, Any] = {}
        total = np.zeros(self.n_rows, dtype=np.intp)
        worst = np.zeros(self.n_rows)
        for found in self:
            if not found.rows.size and found.scores is None:
                continue
            concerns = np.zeros(self.n_rows, dtype=np.bool_)
            concerns[found.rows] = True
            columns[found.code] = concerns
            total += concerns
            if found.scores is not None:
                columns[f"{found.code}_score"] = found.scores
                worst = np.fmax(worst, found.scores)
        return pd.DataFrame({"n_findings": total, "score": worst, **columns}, index=self.index)

    def to_dict(self) -> dict[str, Any]:
        """Plain Python objects: the findings by section."""
        return {
            "kind": self.kind,
            "n_rows": self.n_rows,
            "n_features": self.n_features,
            "fast": self.fast,
            "sections": {
                name: [self._with_names(finding) for finding in self.section(name)]
                for name in SECTIONS
            },
        }

    def _with_names(self, finding: Finding) -> dict[str, Any]:
        found = finding.to_dict()
        if self.names is not None:
            names = plain(np.asarray(self.names)[finding.rows])
            found |= {"names": names, "names_are": self.names_are}
        return found

    def to_json(self, *, indent: int | None = None) -> str:
        """The same as a JSON text.

        Parameters
        ----------
        indent : int, optional
            Spaces of each level; None: one line.
        """
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def _repr_html_(self) -> str:
        """Issues and tips, for notebooks."""
        rows = [
            (found.section, found.code, found.title, found.message, found.rows.size, found.remedy)
            for found in self
        ]
        header = ("level", "code", "finding", "what was found", "rows", "what to do")
        return html_table(repr(self), header, rows, "print(...) says more.")

    def __str__(self) -> str:
        lines = [
            f"Diagnosis of {self.n_rows} rows, {self.n_features} features, candidates: {self.kind}"
            f"{' (fast)' if self.fast else ''}",
            f"{self._counts()}, {len(self.passed)} checks passed",
        ]
        for title, found in (("Issues", self.issues), ("Tips", self.tips)):
            if found:
                lines += ["", title, *(self._text_of(finding) for finding in found)]
        lines.append("")
        for name in SECTIONS[2:]:
            own = [finding for finding in self.section(name) if self.kind in finding.kinds]
            codes = ", ".join(finding.code for finding in own)
            if codes:
                lines += wrap(f"{name.capitalize()}: {codes}", _WIDTH, subsequent_indent="  ")
        return "\n".join(lines)

    def _text_of(self, finding: Finding) -> str:
        """The lines of one finding."""
        lines = [f"{finding.code} {finding.name}: {finding.title}"]
        body = [finding.message]
        if finding.rows.size:
            rows = finding.rows[:_MAX_SHOWN_ROWS]
            known = rows if self.names is None else np.asarray(self.names)[rows]
            shown = ", ".join(shorten(str(one), _MAX_NAME) for one in known.tolist())
            rest = finding.rows.size - _MAX_SHOWN_ROWS
            body.append(f"{self.names_are}: {shown}{f' and {rest} more' if rest > 0 else ''}.")
        body += [f"Why: {finding.why}", f"What to do: {finding.remedy}"]
        for text in body:
            lines += wrap(text, _WIDTH - 4, initial_indent="    ", subsequent_indent="      ")
        return indent("\n".join(lines), "  ")
