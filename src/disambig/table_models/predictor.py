"""`TablePredictor`: a fitted model that reads new tables as the first one was read."""

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.candidates.labels.assignment import counted_labels
from disambig.estimators.progress.reporting import Phase, reporting
from disambig.estimators.queries.input_shift import input_shift, is_suspicious
from disambig.estimators.queries.kept_votes import kept_votes
from disambig.estimators.queries.mixins import SHIFT_ADVICE
from disambig.exceptions import (
    InputShiftWarning,
    ModelFileError,
    StoppedError,
    TableError,
    warn,
)
from disambig.frames import data_frame
from disambig.notation import AnyArray
from disambig.persistence import describe_model, load_model
from disambig.solvers.loop import Callback
from disambig.table_models.columns import feature_names, prediction_columns, row_names
from disambig.tables import Table, TablePlan
from disambig.tables.bags import counted
from disambig.trust.set_rules import SetRule

MODEL_FILE = "model.skops"
# Rows that are predicted at a time, so that progress can be shown and memory stays bounded.
_BLOCK_ROWS = 50_000


@dataclass(frozen=True, eq=False, repr=False)
class TablePredictor:
    """A pipeline, and the plan by which tables are read.

    Attributes
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Preprocessing, then the estimator; both fitted.
    plan : TablePlan
    set_rule : SetRule or None
        Thresholds of prediction sets; None if the rows could not be examined.

    Examples
    --------
    >>> import pandas as pd
    >>> from disambig import fit_table
    >>> frame = pd.DataFrame({"size": [1, 2, 3, 7, 8, 9] * 6, "label": ["a", "a|b", "a"] * 12})
    >>> frame.loc[frame["size"] > 5, "label"] = "b"
    >>> predictor = fit_table(frame, "label", weights="neighbors").predictor
    >>> predictor.predict(pd.DataFrame({"size": [1.5, 8.5]}))["prediction"].tolist()
    ['a', 'b']
    """

    pipeline: Any
    plan: TablePlan
    set_rule: SetRule | None = field(default=None)

    @property
    def estimator(self) -> Any:
        """The last step of the pipeline."""
        return self.pipeline[-1]

    @property
    def kind(self) -> str:
        """The kind of target."""
        assert self.plan.target is not None
        return self.plan.target.kind

    def __repr__(self) -> str:
        return f"TablePredictor({self.kind}; {self.estimator!r}; {self.plan.features})"

    def read(self, data: Any, **options: Any) -> Table:
        """Read a new table, with or without the columns of the target; see `TablePlan.read`.

        Parameters
        ----------
        data : path or DataFrame
        **options
            See `TablePlan.read`.
        """
        if isinstance(data, Table):
            return data
        return self.plan.read(data, **options)

    def predict(
        self,
        data: Any,
        *,
        proba: bool = False,
        coverage: float | None = None,
        callback: Callback | None = None,
        bags: Any = None,
        proportions: Any = None,
        **options: Any,
    ) -> Any:
        """Predictions for a new table, as a pandas DataFrame.

        Columns may be in another order, and there may be more; those of the target are not needed.

        Parameters
        ----------
        data : path, "-", open file, frame or Table
        proba : bool, default False
            Add the probabilities: of classes, of tags, or of pairs of items. Numbers have none.
        coverage : float, optional
            Add prediction sets; see `SetRule` for what they hold in that share of rows.
        callback : callable, optional
            Called with a `Progress` after every part of the table.
        bags : str, optional
            The column that names the bag of each row, if class shares of whole new bags are known.
        proportions : path, frame or mapping, optional
            These shares, as of `load_table`; without `bags`, those of all rows. The predictions
            keep them.
        **options
            ``sep``, ``encoding`` and ``header`` of `read_table`, and ``with_target``.

        Returns
        -------
        pandas.DataFrame
            The identifier (or ``row``), ``prediction``, and what was asked for.
        """
        return self.predict_scored(
            data,
            proba=proba,
            coverage=coverage,
            callback=callback,
            bags=bags,
            proportions=proportions,
            **options,
        )[0]

    def predict_scored(
        self,
        data: Any,
        *,
        proba: bool = False,
        coverage: float | None = None,
        callback: Callback | None = None,
        bags: Any = None,
        proportions: Any = None,
        **options: Any,
    ) -> tuple[Any, float | None]:
        """`predict` and `score` of one table, whose rows are predicted once.

        Parameters
        ----------
        data, proba, coverage, callback, bags, proportions, **options
            As of `predict`.

        Returns
        -------
        pandas.DataFrame, float or None
        """
        table = self.read(data, **options)
        if proba and self.kind == "numbers":
            raise ValueError(
                "predict: numbers have no probabilities. Ask for intervals by coverage=0.9."
            )
        if coverage is not None and self.set_rule is None:
            raise ValueError(
                "predict: this model has no prediction sets, because its training rows could not "
                "be examined, or have no candidate sets (bags alone). Answers to rows drawn at "
                "random give them: disambig answer DIR FILE --calibrate."
            )
        inputs = np.asarray(self.pipeline[:-1].transform(table.X))
        self._warn_of_shift(inputs)
        blocks = _blocks(len(inputs))
        with warnings.catch_warnings(), reporting("predict", callback):
            # Said above, once, with the names of the columns.
            warnings.simplefilter("ignore", InputShiftWarning)
            phase = Phase("prediction", len(blocks))
            parts, predictions = [], []
            for block in phase.over(blocks):
                with kept_votes():
                    predictions.append(self.estimator.predict(inputs[block]))
                    parts.append(
                        prediction_columns(self, inputs[block], predictions[-1], proba, coverage)
                    )
        if phase.is_cut:
            raise StoppedError(
                f"predict: the callback ended the prediction after {phase.count} of {len(blocks)} "
                "parts of the table."
            )
        columns = {
            name: np.concatenate([np.asarray(part[name]) for part in parts]) for name in parts[0]
        }
        if bags is not None or proportions is not None:
            self._keep_shares(columns, table, inputs, bags, proportions)
        score = self._score(table, np.concatenate(predictions))
        return data_frame(row_names(table) | columns), score

    def _score(self, table: Table, predicted: AnyArray) -> float | None:
        if table.target is None or not np.asarray(table.candidates.informative).any():
            return None
        return float(self.estimator._score(table.candidates, predicted))

    def _keep_shares(
        self, columns: dict[str, Any], table: Table, inputs: AnyArray, bags: Any, proportions: Any
    ) -> None:
        """Replace predictions by those that keep the class shares of bags."""
        if self.kind != "labels":
            raise ValueError(f"predict: bags are of labels, and this model predicts {self.kind}.")
        model = self.estimator
        whole = LabelSets(np.ones((len(inputs), len(model.classes_)), np.bool_), model.classes_)
        counts = counted(table.raw, whole, bags, proportions)
        expected = model.predict_proba(inputs)
        codes = counted_labels(model.loss_.expected_losses(expected), counts).codes
        columns["prediction"] = model.classes_[codes]
        columns["probability"] = expected[np.arange(len(codes)), codes]

    def score(self, data: Any, **options: Any) -> float | None:
        """The score of the estimator on the candidate sets of a table; None without a target.

        Labels: the share of predictions inside their set. Numbers: R2 of the infimum version.
        Orders and tags: see the estimators.

        Parameters
        ----------
        data : path or DataFrame
            With the columns of the target.
        **options
            See `TablePlan.read`.
        """
        table = self.read(data, **options)
        return None if table.target is None else self.predict_scored(table)[1]

    def _warn_of_shift(self, inputs: AnyArray) -> None:
        """Warn of inputs that have drifted, with the names of the columns of the table."""
        known = self.estimator._training_inputs_
        if known is not None and is_suspicious(known, inputs):
            found = input_shift(known, inputs, feature_names(self.pipeline, self.plan))
            if found.is_shifted:
                warn(found.text + SHIFT_ADVICE, InputShiftWarning)


def _blocks(n: int) -> list[slice]:
    """Blocks of rows, in order."""
    starts = range(0, max(n, 1), _BLOCK_ROWS)
    return [slice(start, start + _BLOCK_ROWS) for start in starts]


def load_predictor(path: Any) -> TablePredictor:
    """Load what ``TableModel.save`` or ``disambig fit`` wrote: its folder, or the model in it.

    Parameters
    ----------
    path : path
        A folder with ``model.skops``, or this file.

    Raises
    ------
    ModelFileError
        The file is not a model that was fitted on a table, or cannot be trusted.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from disambig import fit_table
    >>> frame = pd.DataFrame({"size": [1, 2, 8, 9] * 9, "label": ["a", "a|b", "b", "b|a"] * 9})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fit_table(frame, "label", weights="neighbors").save(f"{folder}/run")
    ...     predictor = load_predictor(f"{folder}/run")
    >>> predictor.predict(pd.DataFrame({"size": [3, 7]}))["prediction"].tolist()
    ['a', 'b']
    """
    file = Path(path)
    if file.is_dir():
        file = file / MODEL_FILE
        if not file.exists():
            raise ModelFileError(
                f"{path}: the folder has no {MODEL_FILE}. A fit of rows larger than memory writes "
                "labels only: fit a sample of the rows in memory for a model."
            )
    if not file.exists():
        raise ModelFileError(f"{path}: there is no such file.")
    about = describe_model(file)
    plan = about.metadata.get("plan")
    if not isinstance(plan, dict):
        raise ModelFileError(
            f"{file}: the model was not fitted on a table, so that it is not known how to read "
            "one. Load it by disambig.persistence.load_model, and pass arrays to it."
        )
    try:
        known = TablePlan.from_dict(plan)
        rule = about.metadata.get("set_rule")
        found = TablePredictor(load_model(file), known, None if rule is None else SetRule(**rule))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, (ModelFileError, TableError)):
            raise
        raise ModelFileError(f"{file}: its plan cannot be read ({error}).") from error
    return found
