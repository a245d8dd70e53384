"""`FitReport`: what was in the data, what came out, how far to trust it, what to do next."""

import json
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from disambig.atomic import write_text_atomically
from disambig.report.document import Document
from disambig.report.inputs import ReportInputs
from disambig.report.page import page_html
from disambig.report.sections.answers import four_answers
from disambig.report.sections.findings import findings_section
from disambig.report.sections.given import given_section
from disambig.report.sections.labels import labels_section
from disambig.report.sections.learned import learned_section
from disambig.report.sections.reproduce import reproduce_section
from disambig.report.sections.row_map import map_section
from disambig.report.sections.rows import ask_section, open_section, suspects_section
from disambig.report.sections.tried import tried_section
from disambig.report.sections.trust import trust_section
from disambig.report.texts import clean_text

_SECTIONS = (
    given_section,
    findings_section,
    tried_section,
    labels_section,
    trust_section,
    map_section,
    ask_section,
    suspects_section,
    open_section,
    learned_section,
    reproduce_section,
)


class FitReport:
    r"""A report as a page, as JSON, or in a notebook.

    Made by ``TableModel.report()``.

    Parameters
    ----------
    document : Document
        What it says.

    Examples
    --------
    >>> import pandas as pd
    >>> from disambig import fit_table
    >>> frame = pd.DataFrame({"size": [1, 2, 3, 7, 8, 9] * 6, "label": ["a", "a|b", "a"] * 12})
    >>> frame.loc[frame["size"] > 5, "label"] = "b"
    >>> report = fit_table(frame, "label", weights="neighbors").report()
    >>> report
    FitReport(labels, 36 rows; 4 answers, 11 sections)
    >>> report.to_dict()["answers"][0]["answer"].replace("\xa0", " ")
    '36 of 36 (100 %) labels.'
    """

    def __init__(self, document: Document) -> None:
        self.document = document

    @classmethod
    def of(cls, inputs: ReportInputs) -> "FitReport":
        """The report of a fit.

        Parameters
        ----------
        inputs : ReportInputs
            What the sections are made of.
        """
        assert inputs.table.target is not None
        name = inputs.table.source.name
        origin = "a table" if name is None else Path(name).name
        names = inputs.table.target.columns
        columns = ", ".join(clean_text(column, 40) for column in names[:3])
        columns += f" and {len(names) - 3} more" if len(names) > 3 else ""
        document = Document(
            title=f"Report on {clean_text(origin, 80)}",
            subtitle=f"{inputs.kind}, {len(inputs)} rows",
            kind=inputs.kind,
            has_rows=inputs.has_rows,
            answers=four_answers(inputs),
            sections=tuple(section(inputs) for section in _SECTIONS),
            target=columns,
        )
        return cls(document)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.document.subtitle}; {len(self.document.answers)} "
            f"answers, {len(self.document.sections)} sections)"
        )

    @property
    def has_rows(self) -> bool:
        """Whether rows of the table are shown."""
        return self.document.has_rows

    @cached_property
    def html(self) -> str:
        """The page; needs the extra ``report``."""
        return page_html(self.document)

    def to_html(self, path: Any) -> None:
        """Write the page, all or nothing: one file that needs no network.

        Parameters
        ----------
        path : path
            In a folder that exists; a file there is replaced.
        """
        write_text_atomically(Path(path), self.html)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data; ``docs/report.md`` has the schema."""
        return self.document.to_dict()

    def to_json(self, *, indent: int | None = None) -> str:
        """The same as a JSON text.

        Parameters
        ----------
        indent : int, optional
            Spaces of each level; None: one line.
        """
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def _repr_html_(self) -> str:
        """The answers, for notebooks."""
        parts = [f"<p><strong>{escape(self.document.title)}</strong></p><dl>"]
        for answer in self.document.answers:
            points = "".join(f"<li>{escape(point)}</li>" for point in answer.points)
            parts.append(
                f"<dt>{escape(answer.question)}</dt><dd>{escape(answer.answer)}"
                f"{f'<ul>{points}</ul>' if points else ''}</dd>"
            )
        parts.append("</dl><p>Write the page by <code>to_html(path)</code>.</p>")
        return "".join(parts)
