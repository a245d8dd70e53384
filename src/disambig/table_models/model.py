"""`TableModel`: what was read, the labels that were recovered, and a model."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from disambig.candidates import MeanBounds
from disambig.candidates.labels.class_counts import is_in_bags
from disambig.diagnosis import Report
from disambig.estimators.disambiguated_classifier import label_codes
from disambig.estimators.progress.reporting import reporting
from disambig.estimators.selection.trial_texts import short_numbers, weights_text
from disambig.frames import data_frame
from disambig.notation import AnyArray, BoolArray
from disambig.notebooks import MAX_ROWS, html_table
from disambig.report import FitReport
from disambig.solvers.loop import Callback
from disambig.table_models.answers import answered, read_answer_table
from disambig.table_models.checking import diagnose_table
from disambig.table_models.columns import order_texts, row_names, tag_texts
from disambig.table_models.predictor import TablePredictor
from disambig.table_models.questions import question_table
from disambig.table_models.settings import FitSettings
from disambig.tables import Table
from disambig.tables.bag_means import mean_table
from disambig.tables.bags import bag_table
from disambig.trust import Examination, Questions, Suspects
from disambig.trust.refitting import answered_rows
from disambig.trust.set_rules import SetRule

# Columns of labels files, in this order, as far as a kind has them.
_COLUMNS = {
    "label": "label",
    "confidence": "confidence",
    "runner_up": "runner_up",
    "runner_up_confidence": "runner_up_confidence",
    "lower_90": "lower_90",
    "upper_90": "upper_90",
    "doubtful_pair": "doubtful_pair",
    "doubtful_pair_confidence": "doubtful_pair_confidence",
    "doubtful_bit": "doubtful_tag",
    "doubtful_bit_confidence": "doubtful_tag_confidence",
    "suspicion": "suspicion",
    "origin": "origin",
    "wrong_set_probability": "wrong_set_probability",
}


@dataclass(frozen=True, eq=False, repr=False)
class TableModel:
    """A table, its recovered labels with how sure they are, and a model for new rows.

    Attributes
    ----------
    table : Table
        What was read: `X`, `candidates`, `plan` and `notes`.
    pipeline : sklearn.pipeline.Pipeline
        Preprocessing and estimator, fitted.
    examination : Examination or None
        The judgement of every row by rows that never saw its set; None if there are too few rows.
    settings : FitSettings
    notes : tuple of str
        What was guessed, merged and dropped, and what could not be done.
    seconds : dict of str to float
        What reading, fitting and examining took.
    warnings : tuple of str
        What was warned of meanwhile.
    known_inputs : array (n, d) or None
        `inputs`, if they are computed already.

    Examples
    --------
    >>> import pandas as pd
    >>> from disambig import fit_table
    >>> frame = pd.DataFrame({"size": [1, 2, 3, 7, 8, 9] * 6, "label": ["a", "a|b", "a"] * 12})
    >>> frame.loc[frame["size"] > 5, "label"] = "b"
    >>> model = fit_table(frame, "label", weights="neighbors")
    >>> model.labels["label"].tolist()[:4]
    ['a', 'a', 'a', 'b']
    >>> model.predict(pd.DataFrame({"size": [1.5, 8.5]}))["prediction"].tolist()
    ['a', 'b']
    """

    table: Table
    pipeline: Any
    examination: Examination | None = None
    settings: FitSettings = field(default_factory=FitSettings)
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    known_inputs: AnyArray | None = None

    # ------------------------------------------------------------------ what there is

    @property
    def kind(self) -> str:
        """The kind of target: "labels", "numbers", "orders" or "bits"."""
        assert self.table.target is not None
        return self.table.target.kind

    @property
    def estimator(self) -> Any:
        """The last step of the pipeline."""
        return self.pipeline[-1]

    @cached_property
    def predictor(self) -> TablePredictor:
        """What predicts new tables, and is saved."""
        rule = None if self.examination is None else SetRule.of(self.examination)
        return TablePredictor(self.pipeline, self.table.plan, rule)

    @cached_property
    def inputs(self) -> AnyArray:
        """The features as the estimator gets them, ``(n, d)``."""
        if self.known_inputs is not None:
            return self.known_inputs
        return np.asarray(self.pipeline[:-1].transform(self.table.X))

    @property
    def confidence(self) -> AnyArray:
        """How sure each label is, ``(n,)``."""
        found: AnyArray = (
            self.estimator.confidence_ if self.examination is None else self.examination.confidence
        )
        return found

    @property
    def resolved(self) -> BoolArray:
        """Rows whose label the data decide, with a confidence of at least ``resolve_at``."""
        decided: BoolArray = self.estimator.decided_.copy()
        if self.examination is not None:
            decided[answered_rows(self.examination)[0]] = True
        return decided & np.asarray(self.confidence >= self.settings.resolve_at)

    @cached_property
    def labels(self) -> Any:
        """One row for each row of the table, as a pandas DataFrame.

        The identifier (or ``row``), ``label``, ``confidence``, what comes next (``runner_up``,
        a range of numbers, the most doubtful pair or tag), ``suspicion`` that the set misses the
        truth, and ``resolved``. With answers, which rows were answered.
        """
        return data_frame(row_names(self.table) | self._label_columns())

    @property
    def bags(self) -> Any:
        """One row for each bag, as a pandas DataFrame; None if the table has no bags.

        Its rows, and how many of them have each class: as given, by the recovered labels, and
        expected by the other rows; and whether the labels keep what was given. Of numbers the mean,
        as given and of the recovered numbers.
        """
        counts = self.table.candidates
        if isinstance(counts, MeanBounds):
            return mean_table(counts, self.estimator.labels_)
        if not is_in_bags(counts):
            return None
        codes = label_codes(self.estimator.labels_, self.estimator.classes_)
        return bag_table(counts, codes, self.estimator.label_distributions_)

    def _label_columns(self) -> dict[str, Any]:
        exam, model = self.examination, self.estimator
        if exam is None:
            shown = _plain_labels(self.kind, model)
            return {"label": shown, "confidence": self.confidence, "resolved": self.resolved}
        found = exam.frame()
        columns = {
            new: found[old].to_numpy() for old, new in _COLUMNS.items() if old in found.columns
        }
        if self.kind == "labels":
            # A set of one has no second.
            has_other = columns["runner_up"] != columns["label"]
            columns["runner_up"] = np.where(has_other, columns["runner_up"].astype(object), None)
        if self.kind == "bits":
            columns["label"] = tag_texts(exam.labels, exam.candidates.tags)
        columns["resolved"] = self.resolved
        if model.outside_.any():
            columns["outside"] = model.outside_
        for name in ("is_answered", "is_outside"):
            if name in found.columns:
                columns[name] = found[name].to_numpy()
        return columns

    def __repr__(self) -> str:
        n = len(self.table)
        known = int(self.resolved.sum())
        lines = [
            f"TableModel({self.table!r})",
            f"  labels: {known} of {n} resolved (confidence of at least "
            f"{self.settings.resolve_at:g}), mean confidence {float(np.mean(self.confidence)):.3f}",
            f"  model:  {type(self.estimator).__name__}, "
            f"{short_numbers(weights_text(self.estimator.weights_))}",
        ]
        return "\n".join([*lines, *(f"  note:   {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""
        shown = self.labels.head(MAX_ROWS)
        n, known = len(self.table), int(self.resolved.sum())
        note = f"{known:,} of {n:,} labels are resolved. report() says more."
        title = f"TableModel: {self.kind}, {n:,} rows, {type(self.estimator).__name__}"
        return html_table(title, list(map(str, shown.columns)), shown.to_numpy().tolist(), note)

    # ------------------------------------------------------------------ what can be done

    def predict(self, data: Any, **options: Any) -> Any:
        """Predictions for a new table, as a frame; see `TablePredictor.predict`.

        Parameters
        ----------
        data : path or DataFrame
            With the features of the training table.
        **options
            See `TablePredictor.predict`.
        """
        return self.predictor.predict(data, **options)

    def diagnose(self, *, ignore: Any = (), fast: bool = False) -> Report:
        """Findings about the table before training; see `disambig.diagnose`.

        Parameters
        ----------
        ignore : sequence of str
            Codes of findings that are left out.
        fast : bool, default False
            Leave out what needs neighbours and trees.
        """
        return diagnose_table(self.table, ignore=ignore, fast=fast)

    def suspects(self, false_alarms: float = 0.1) -> Suspects:
        """Rows whose set probably misses the truth; see `Examination.suspects`.

        Parameters
        ----------
        false_alarms : float, default 0.1
            The largest share of suspects whose set has the truth.
        """
        return self._examined("suspects").suspects(false_alarms)

    def ask(self, n: int, *, n_random: int | float = 0, random_state: Any = 0) -> Questions:
        """The rows whose answers are worth most; see `Examination.ask`.

        Parameters
        ----------
        n : int
        n_random : int, or float from 0.0 to 1.0, default 0
        random_state : int, RandomState or None, default 0
            All three as in `Examination.ask`.
        """
        return self._examined("ask").ask(n, n_random=n_random, random_state=random_state)

    def questions(self, n: int, *, n_random: int | float = 0, random_state: Any = 0) -> Any:
        """The rows to ask next as a table for people, with an empty column ``answer``.

        Fill it in and pass it to `answer`. Parameters are those of `ask`.

        Parameters
        ----------
        n : int
        n_random : int, or float from 0.0 to 1.0, default 0
        random_state : int, RandomState or None, default 0
            All three as in `Examination.ask`.
        """
        return question_table(self, self.ask(n, n_random=n_random, random_state=random_state))

    def answer(
        self, answers: Any, *, calibrate: bool = False, callback: Callback | None = None
    ) -> "TableModel":
        """A new model after answers, the true targets of some rows; this one stays as it is.

        Parameters
        ----------
        answers : path, open file or frame
            With the column of the identifier (or ``row``, from 0 on) and ``answer``; rows whose
            answer is blank are skipped. The file of ``disambig ask``, filled in.
        calibrate : bool, default False
            False: the answer becomes the only candidate of its row, and the model is fitted again
            from where it is. True: the model stays; confidence is calibrated by the answers, and
            prediction sets then contain the truth. These answers must be of rows that were drawn
            at random (`ask` with `n_random`).
        callback : callable, optional
            Called with a `Progress` while the model is fitted again.
        """
        exam = self._examined("answer")
        found = read_answer_table(self.table, exam, answers)
        with reporting("answer", callback):
            return answered(self, exam, found, calibrate)

    def _examined(self, name: str) -> Examination:
        if self.examination is None:
            raise ValueError(
                f"{name}: the rows of this table could not be examined, because too few of them "
                "say something about the target."
            )
        return self.examination

    def report(
        self,
        path: Any = None,
        *,
        rows: bool = True,
        truth: Any = None,
        command: str | None = None,
    ) -> FitReport:
        """One page about the data, the labels, how far to trust them, and what to do next.

        Parameters
        ----------
        path : path, optional
            The HTML file to write; needs the extra ``report``. A file there is replaced.
        rows : bool, default True
            Whether rows of the table are shown; else no cell and no identifier is.
        truth : str, optional
            A column of the table with the true targets of some rows, blank for the others.
        command : str, optional
            What to run to make the fit again; by default the call of `fit_table`.
        """
        from disambig.table_models.reporting import fit_report

        found = fit_report(self, rows=rows, truth=truth, command=command)
        if path is not None:
            found.to_html(path)
        return found

    def save(self, folder: Any, *, overwrite: bool = False, excel_safe: bool = False) -> None:
        """Write ``labels.csv``, ``model.skops`` and ``summary.json`` into a folder.

        Parameters
        ----------
        folder : path
            It is made if it does not exist.
        overwrite : bool, default False
            Whether these files may be replaced; other files are never touched.
        excel_safe : bool, default False
            Whether cells that a spreadsheet would take for a formula get an apostrophe.
        """
        from disambig.table_models.folder import save_folder

        save_folder(self, folder, overwrite=overwrite, excel_safe=excel_safe)


def _plain_labels(kind: str, model: Any) -> AnyArray:
    """The labels of an estimator whose rows could not be examined."""
    labels: AnyArray = model.labels_
    if kind == "orders":
        return order_texts(labels, model.items_)
    return tag_texts(labels, model.loss_.tags) if kind == "bits" else labels
