"""The rows of an examination, and what models predict for them that never saw their sets."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags

from disambig.candidates import ClassCounts
from disambig.estimators.alternation.refits import step_options, without_search
from disambig.estimators.base import continued
from disambig.estimators.held_out.kept_judgements import KeptJudgement
from disambig.estimators.mixture import only_predicts
from disambig.estimators.progress.reporting import Phase
from disambig.estimators.rows.kept import KeptRows, kept_inputs
from disambig.frames import data_frame
from disambig.inputs.completed_weights import plain_weights
from disambig.metrics.scorer import innermost
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.trust.folds import Folds, mean_over, n_folds_of
from disambig.weights.divided.rows import DividedRows, is_divided

# Rows in parts that are brought into memory together, to be predicted.
_MAX_QUERY_ROWS = 100_000


@dataclass(frozen=True, eq=False)
class Examined:
    """The rows that are examined.

    Attributes
    ----------
    model : fitted estimator or Pipeline
        On all rows, or, without folds, on other rows.
    X : inputs of n rows, as the user gave them
    inputs : (n, d)
        The same as the last step reads them, checked.
    candidates : candidate sets, n rows
    kept : KeptRows
        Those that take part in fits.
    folds : Folds or None
        None: the model never saw these rows.
    counts : ClassCounts or None
        Which the fit keeps, and in bags the judgement, too.
    judgement : KeptJudgement or None
        Of the fit of the model, if it is known.
    """

    model: Any
    X: Any
    inputs: Any
    candidates: Any
    kept: KeptRows
    folds: Folds | None
    counts: ClassCounts | None = None
    judgement: KeptJudgement | None = None

    @property
    def last(self) -> Any:
        """The model, or the last step of a pipeline."""
        return innermost(self.model)

    @property
    def taken_inputs(self) -> Any:
        """`inputs` of the rows that take part; rows in parts stay where they are."""
        return kept_inputs(self.inputs, self.kept)

    @property
    def sample_weight(self) -> FloatArray | None:
        """The weights of all rows, ``(n,)``; None if all are one."""
        is_plain = self.kept.all_rows and self.kept.weights is None
        return None if is_plain else self.kept.all_weights

    @property
    def selection_saw_sets(self) -> bool:
        """Whether ``weights="auto"`` chose when the hidden sets were in sight."""
        weights = plain_weights(getattr(self.last, "weights", None))
        return self.folds is not None and isinstance(weights, str) and weights == "auto"

    def shared_fields(
        self, labels: AnyArray, confidence: FloatArray, suspicion: FloatArray
    ) -> dict[str, Any]:
        """What an examination has of every kind of target."""
        return {
            "estimator": self.model,
            "candidates": self.candidates,
            # What an examination holds is read-only, and the estimator's is not.
            "labels": labels.copy(),
            "confidence": confidence,
            "confidence_by_sets": confidence.copy(),
            "suspicion": suspicion,
            "selection_saw_sets": self.selection_saw_sets,
            "is_split": self.folds is None,
            "sample_weight": self.sample_weight,
            "examined": self,
        }

    def refitted(self, candidates: Any) -> "Examined":
        """The same rows with other sets, and the model fitted on these.

        What "auto" chose is not chosen again, and the solver starts from the earlier solution, if
        there is one.
        """
        if self.folds is None:
            raise ValueError(
                "refit: with cv='prefit' the estimator was fitted on other rows, which are not "
                "known here. Fit it on all rows, with the answers as sets of one, or "
                "cross-examine the rows with folds."
            )
        if getattr(self.last, "_one_sided_", None) is not None:
            raise ValueError(
                "refit: some tags are known to be on only, or off only. Answers know both, so that "
                "the bits of other rows would no longer be read as one-sided. Use with_answers, or "
                "correct y and fit again."
            )
        model = without_search(self.model, calibrates=True)
        groups = None
        if self.kept.groups is not None:
            # Rows that take no part need a group, too; no fold has them.
            groups = np.zeros(self.kept.n, dtype=np.intp)
            groups[self.kept.rows] = self.kept.groups
        options = {"sample_weight": self.sample_weight, "groups": groups}
        given = {name: value for name, value in options.items() if value is not None}
        counts = self._counted(candidates)
        y = candidates if counts is None else counts
        with continued(innermost(model), self.last):
            model.fit(self.X, y, **step_options(model, given))
        return replace(self, model=model, candidates=candidates, counts=counts, judgement=None)

    def _counted(self, candidates: Any) -> ClassCounts | None:
        """Other sets of the rows with their class counts, if there are any."""
        if self.counts is None:
            return None
        return ClassCounts(candidates, self.counts.bounds, self.counts.bags, self.counts.names)

    def held_out(self, predict: Callable[[Any, Any], FloatArray]) -> FloatArray:
        """Predictions, first axis n, by models that were fitted without the fold of the row.

        Parameters
        ----------
        predict : callable
            ``predict(model, X)``; the mean over repeats is taken.
        """
        if self.folds is None:
            return predict(self.model, self.X)
        self.require_features()
        template = without_search(self.model)
        deals = self.folds.deals(0)
        phase = Phase("cross-examination", n_folds_of(deals))

        def of_deal(folds: IntArray) -> FloatArray | None:
            self.require_information(folds)
            found: FloatArray | None = None
            for fold in range(int(folds.max()) + 1):
                if phase.stopped:
                    return None
                hidden = self.kept.rows[folds == fold]
                fitted = self._fitted_on(template, np.flatnonzero(folds != fold))
                predictions = self._predicted(predict, fitted, hidden)
                if found is None:
                    found = np.zeros((self.kept.n, *predictions.shape[1:]))
                found[hidden] = predictions
                phase.done()
            return found

        return self.with_rest(mean_over(deals, of_deal), predict)

    def with_rest(
        self, values: FloatArray, predict: Callable[[Any, Any], FloatArray]
    ) -> FloatArray:
        """Values with predictions of the rows that took no part: these never saw their sets."""
        if not self.kept.all_rows:
            rest = np.setdiff1d(np.arange(self.kept.n), self.kept.rows)
            values[rest] = self._predicted(predict, self.model, rest)
        return values

    def _predicted(
        self, predict: Callable[[Any, Any], FloatArray], model: Any, rows: IntArray
    ) -> FloatArray:
        """Predictions of some rows; those of rows in parts are brought into memory in turn."""
        if not is_divided(self.X):
            return predict(model, _safe_indexing(self.X, rows))
        starts = range(0, rows.size, _MAX_QUERY_ROWS)
        return np.concatenate(
            [
                predict(model, named_rows(self.X, rows[start : start + _MAX_QUERY_ROWS]))
                for start in starts
            ]
        )

    def require_features(self) -> None:
        """Raise an error if X holds pairs of rows, which models of folds cannot use."""
        if get_tags(self.model).input_tags.pairwise:
            raise ValueError(
                "cross_examine: X holds pairs of rows, and models of folds would need pairs of "
                "their own. Use weights that read features, or cv='prefit' with other rows."
            )

    def require_information(self, folds: IntArray) -> None:
        """Raise an error if all rows that exclude something are in one fold of those ``(m,)``."""
        assert self.folds is not None
        # Bags may be hidden, and not only sets.
        informative = self.candidates.informative[self.kept.rows] | self.folds.informative
        if np.unique(folds[informative]).size < 2:
            raise ValueError(
                "cross_examine: if the sets of one fold are hidden, no row is left that excludes "
                "something. Use more folds, or groups that are less coarse."
            )

    def _fitted_on(self, template: Any, places: AnyArray) -> Any:
        """The template on some of the rows that take part."""
        rows = self.kept.rows[places]
        weights = self.kept.weights
        options = {} if weights is None else {"sample_weight": weights[places]}
        model = clone(template)
        sets = self.candidates[rows]
        X = self.X.taken(rows) if is_divided(self.X) else _safe_indexing(self.X, rows)
        with only_predicts():
            return model.fit(X, sets, **step_options(model, options))


def named_rows(X: DividedRows, rows: Any) -> Any:
    """Some rows of those in parts in memory; a frame if the columns have names.

    Parameters
    ----------
    X : DividedRows
    rows : int array or slice
    """
    found = X[rows]
    return found if X.names is None else data_frame(dict(zip(X.names, found.T, strict=True)))


def before_last_step(model: Any, X: Any) -> Any:
    """Inputs as the last step of a pipeline gets them."""
    is_chain = isinstance(model, Pipeline) and len(model.steps) > 1
    return model[:-1].transform(X) if is_chain else X
