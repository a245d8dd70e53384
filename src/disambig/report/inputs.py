"""What a report is made of: a table, its recovered labels, and how they were found."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from disambig.candidates.numbers.amounts import amount_text
from disambig.diagnosis import Report
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.report.texts import cell, clean_text, number_text, percent
from disambig.tables import Table
from disambig.trust import Examination, Questions, Suspects

TRUST_AT = 0.95
N_QUESTIONS = 50
# An answer that makes fewer labels right is not worth asking for.
LEAST_GAIN = 0.005
_MAX_SHOWN_COLUMNS = 8


@dataclass(frozen=True, eq=False)
class Truth:
    """The truth of some rows, beside what was recovered.

    Attributes
    ----------
    column : str
        Of the table.
    rows : int array (m,)
    texts : list of str (m,)
    rightness : float array (m,)
        1 if the label is right, 0 if it is wrong; of orders and tags the share that is right.
    is_outside : bool array (m,)
        Whether the set of the row misses its truth.
    is_feature : bool
        Whether the column was a feature of the model, which makes the comparison worthless.
    """

    column: str
    rows: IntArray
    texts: list[str]
    rightness: FloatArray
    is_outside: BoolArray
    is_feature: bool = False

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class ReportInputs:
    """Everything that the sections of a report read.

    Attributes
    ----------
    table : Table
        With a target.
    estimator : fitted estimator
    inputs : array (n, d)
        The features as the estimator gets them.
    examination : Examination or None
    labels : pandas.DataFrame
        One row for each row of the table: its name, ``label``, ``confidence``, ...
    resolved : bool array (n,)
    resolve_at : float
    diagnosis : disambig.diagnosis.Report
    settings : dict
        Of the fit.
    notes, warnings : tuple of str
    seconds : dict of str to float
    digest : str
        A hash of the table.
    versions : dict of str to str
    command : str
        Makes the fit again.
    truth : Truth or None
    has_rows : bool
        Whether rows of the table may be shown.
    """

    table: Table
    estimator: Any
    inputs: AnyArray
    examination: Examination | None
    labels: Any
    resolved: BoolArray
    resolve_at: float
    diagnosis: Report
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    digest: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    command: str = ""
    truth: Truth | None = None
    has_rows: bool = True

    def __len__(self) -> int:
        return len(self.table)

    @property
    def kind(self) -> str:
        """The kind of target."""
        assert self.table.target is not None
        return self.table.target.kind

    @property
    def candidates(self) -> Any:
        """The candidate sets of single rows, with the answers of refits."""
        if self.examination is not None:
            return self.examination.candidates
        given = self.table.candidates
        return given.sets if given.couples_rows else given

    @property
    def targets(self) -> Any:
        """The recovered targets in the form of the estimator."""
        return self.estimator.labels_ if self.examination is None else self.examination.labels

    @cached_property
    def confidence(self) -> FloatArray:
        """How probable it is that each label is right, ``(n,)``."""
        return np.asarray(self.labels["confidence"].to_numpy(), dtype=np.float64)

    @cached_property
    def doubt(self) -> FloatArray:
        """The probability that each label is wrong, with that of a wrong set, ``(n,)``."""
        return 1.0 - self.confidence if self.examination is None else self.examination._doubt()

    @cached_property
    def trusted(self) -> BoolArray:
        """Rows whose label is right with a probability of at least 95 %."""
        # Rounding must not move a row across the limit.
        return np.asarray(self.doubt <= 1.0 - TRUST_AT + 1e-9)

    @cached_property
    def suspects(self) -> Suspects | None:
        """Rows whose set probably misses the truth; None if rows were not examined."""
        return None if self.examination is None else self.examination.suspects()

    @cached_property
    def questions(self) -> Questions | None:
        """The rows whose answers are worth most; None if there is nothing to ask."""
        if self.examination is None:
            return None
        is_open = ~self.examination._is_single()
        if self.examination.answers is not None:
            is_open[self.examination.answers.rows] = False
        n_open = int(np.count_nonzero(is_open))
        return self.examination.ask(min(N_QUESTIONS, n_open)) if n_open else None

    # ------------------------------------------------------------------ rows in words

    @property
    def key(self) -> str:
        """The name of the column that names the rows, or "row"."""
        return str(self.labels.columns[0])

    @cached_property
    def names(self) -> AnyArray:
        """The names of the rows, ``(n,)``."""
        found: AnyArray = self.labels.iloc[:, 0].to_numpy()
        return found

    def name(self, row: int) -> str:
        """The name of a row, to be read."""
        return clean_text(self.names[row], 60)

    def label_cell(self, row: int) -> Any:
        """The label of a row: a number, or a text."""
        return cell(self._label_cells[row])

    def label_text(self, row: int, most: int = 60) -> str:
        """The label of a row inside of a sentence."""
        value = self.label_cell(row)
        return number_text(value) if isinstance(value, float) else clean_text(value, most)

    @cached_property
    def _label_cells(self) -> AnyArray:
        found: AnyArray = self.labels["label"].to_numpy()
        return found

    def given(self, row: int) -> str:
        """The cells of the target of a row, as they were; of bags alone its bag."""
        if not self._target_cells and self.table.plan.bags is not None:
            return f"bag {clean_text(self._bag_cells[row])}"
        if len(self._target_cells) == 1:
            value = next(iter(self._target_cells.values()))[row]
            if isinstance(value, (set, frozenset, list, tuple)):
                return clean_text(" | ".join(sorted(map(str, value))))
            value = cell(value)
            return "(blank)" if value in (None, "") else clean_text(value)
        shown = {name: cell(values[row]) for name, values in self._target_cells.items()}
        return clean_text(
            ", ".join(f"{name}={'?' if v in (None, '') else v}" for name, v in shown.items())
        )

    @cached_property
    def _target_cells(self) -> dict[Any, AnyArray]:
        assert self.table.target is not None
        return {name: self.table.frame[name].to_numpy() for name in self.table.target.columns}

    @cached_property
    def _bag_cells(self) -> AnyArray:
        found: AnyArray = self.table.frame[self.table.plan.bags].to_numpy()
        return found

    @cached_property
    def shown_columns(self) -> list[Any]:
        """The columns of features that tables and the map show."""
        return [column.name for column in self.table.features.columns][:_MAX_SHOWN_COLUMNS]

    def cells(self, row: int) -> list[Any]:
        """The cells of these columns: numbers as numbers, blanks as None, others as they were."""
        found = []
        for typed, plain in self._feature_cells:
            is_number = typed is not None and np.isfinite(typed[row])
            value = cell(typed[row] if is_number and typed is not None else plain[row], 8)
            found.append(None if value == "" else value)
        return found

    @cached_property
    def _feature_cells(self) -> list[tuple[FloatArray | None, AnyArray]]:
        found: list[tuple[FloatArray | None, AnyArray]] = []
        for column in self.table.features.columns[:_MAX_SHOWN_COLUMNS]:
            typed = None
            if column.type == "number":
                typed = self.table.X[column.name].to_numpy(dtype=np.float64)
            found.append((typed, self.table.frame[column.name].to_numpy()))
        return found

    @property
    def rightness(self) -> str:
        """What trust in a row means, for the kind."""
        at_least = percent(TRUST_AT)
        if self.kind == "orders":
            return f"at least {at_least} of the pairs of each are expected to be right"
        if self.kind == "bits":
            return f"at least {at_least} of the tags of each are expected to be right"
        within = getattr(self.examination, "distance", None)
        if self.kind == "numbers" and within is not None:
            return (
                f"each is within {amount_text(within[0], 3)} of the truth with a probability of at "
                f"least {at_least}"
            )
        return f"each is right with a probability of at least {at_least}"

    @property
    def unit(self) -> str:
        """What is right or wrong: of rankings their pairs, of rows of tags their tags."""
        return {"orders": "pairs", "bits": "tags"}.get(self.kind, self.noun())

    @property
    def expected_errors(self) -> tuple[str, str]:
        """A name and a value: how much is wrong by the probabilities of the rows."""
        if self.kind in ("orders", "bits"):
            return f"expected share of wrong {self.unit}", percent(float(self.doubt.mean()))
        return f"expected wrong {self.unit}", f"{float(self.doubt.sum()):.1f} of {len(self):,}"

    def noun(self, plural: bool = True) -> str:
        """What was recovered, in words of the kind."""
        one = {"labels": "label", "numbers": "number", "orders": "ranking", "bits": "row of tags"}
        if plural:
            return "rows of tags" if self.kind == "bits" else f"{one[self.kind]}s"
        return one[self.kind]


def judge_name(examination: Examination | None) -> str:
    """Who judged the labels, in the words of `confidence_kind_`."""
    if examination is None:
        return "leave-one-out"
    return "hidden bags" if getattr(examination, "hides_bags", False) else "hidden sets"
