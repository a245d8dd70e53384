"""What every estimator does with new inputs: one check for all ways to predict, and votes."""

from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.utils.validation import check_is_fitted

from disambig.estimators.fitting import FittedWeightings
from disambig.estimators.mixture import FittedMixture, Predict
from disambig.estimators.queries.input_shift import InputShift, input_shift, is_suspicious
from disambig.estimators.queries.kept_votes import votes_at
from disambig.estimators.queries.training_inputs import TrainingInputs
from disambig.exceptions import InputShiftWarning, NoVotesWarning, warn
from disambig.inputs.holes import rows_without_input, with_constant
from disambig.notation import BoolArray, FloatArray
from disambig.threads import limit_threads
from disambig.votes import Votes
from disambig.votes.protocol import has_votes

SHIFT_ADVICE = (
    " Predictions there are extrapolated, and confidence was judged on other inputs. Compare units "
    "and preprocessing with those of training, or train on such rows, too; input_shift(X) tells "
    "more."
)


def warn_of_rows_without_votes(has_votes: BoolArray, instead: str | None) -> None:
    """Warn of inputs without votes: how many they are, what predicts them, what to do.

    Parameters
    ----------
    has_votes : bool array (q,)
    instead : str or None
        What predicts inputs without votes; None if nothing is amiss with them.
    """
    if instead is None or has_votes.all():
        return
    warn(
        f"{np.count_nonzero(~has_votes)} of {len(has_votes)} inputs get no vote from any training "
        f"row; they are predicted by {instead}, whatever their features are (is_reached(X) tells "
        "which). Use weights that reach farther (more neighbours, larger cells, a wider kernel), "
        "or train on rows like these.",
        NoVotesWarning,
    )


class InputShiftMixin:
    """A word at predict if new inputs have drifted, and `input_shift` to ask for it."""

    # None in estimators that others predict with: members of mixtures, models of folds. They say
    # nothing; whoever predicts with them does.
    _training_inputs_: TrainingInputs | None = None

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """X as floats, in the form that the estimator reads."""
        raise NotImplementedError

    def _completed(self, X: Any) -> Any:
        """Checked inputs, with what is missing completed as in training."""
        return X

    def _count_without_votes(self, X: Any) -> int:
        """Rows of checked inputs at which no training row votes."""
        return 0

    def input_shift(self, X: Any) -> InputShift:
        """How inputs differ from those of training: far rows, columns out of their range.

        `predict` and its like warn (`InputShiftWarning`) if a few rows show a shift; this compares
        up to 10,000 rows, and warns of nothing.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)

        Returns
        -------
        InputShift
            With `share`, `columns`, `far_rows`, `n_without_votes`, `is_shifted` and `text`.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        known = self._training_inputs_
        if known is None:
            known = TrainingInputs(reason="the estimator was fitted as a part of another one")
        names = getattr(self, "feature_names_in_", None)
        n_without_votes = self._count_without_votes(self._completed(X))
        return input_shift(known, X, names, n_without_votes=n_without_votes)

    def _checked_queries(self, X: Any) -> Any:
        """Checked new inputs, completed; warns if they have drifted from the training inputs."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        known = self._training_inputs_
        if known is not None and is_suspicious(known, X):
            found = input_shift(known, X, getattr(self, "feature_names_in_", None))
            if found.is_shifted:
                warn(found.text + SHIFT_ADVICE, InputShiftWarning)
        return self._completed(X)


class VotingMixin(InputShiftMixin):
    """Votes and predictions at new inputs, from what a fit stored."""

    _mixture_: FittedMixture | None
    _weightings_: FittedWeightings
    _predictor_: Any

    @limit_threads(1)
    def is_reached(self, X: Any) -> BoolArray:
        """Inputs at which at least one training row votes, ``(q,)``.

        For a mixture all, except those in which every cell is missing.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)

        Examples
        --------
        >>> from disambig import PartialLabelClassifier
        >>> from disambig.weights import NadarayaWatsonWeights
        >>> weights = NadarayaWatsonWeights("epanechnikov", bandwidth=1.0)
        >>> model = PartialLabelClassifier(weights).fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
        >>> model.is_reached([[0.5], [3.0]])
        array([ True, False])
        """
        check_is_fitted(self)
        return self._has_votes(self._completed(self._checked(X, reset=False)))

    def _has_votes(self, X: Any) -> BoolArray:
        """`is_reached` of checked inputs."""
        if self._mixture_ is not None:
            without_input = rows_without_input(X)
            return np.ones(X.shape[0], np.bool_) if without_input is None else ~without_input
        with config_context(assume_finite=True):
            return has_votes(votes_at(self._weightings_, X))

    def _count_without_votes(self, X: Any) -> int:
        return int(np.count_nonzero(~self._has_votes(X)))

    def _votes_at(self, X: Any) -> Votes:
        """Votes at checked inputs."""
        with config_context(assume_finite=True):
            return votes_at(self._weightings_, X)

    def _warn_without_votes(self, reached: BoolArray, X: Any, instead: str | None = None) -> None:
        """Warn of queries without votes; by default the predictor says what predicts them.

        No weights can reach a query in which every cell is missing.
        """
        if self._training_inputs_ is None:
            return
        without_input = rows_without_input(X)
        if without_input is not None:
            reached = reached | without_input
        warn_of_rows_without_votes(reached, instead or self._predictor_.without_votes)

    def _scored(self, X: Any, targets: FloatArray, instead: str | None = None) -> FloatArray:
        """Votes at new inputs times targets ``(n, p)``; warns of rows without votes."""
        X = self._checked_queries(X)
        votes = self._votes_at(X)
        scores = votes @ targets
        self._warn_without_votes(has_votes(votes, scores), X, instead)
        return scores

    def _queries_of_folds(self, X: Any) -> Any:
        """Checked new inputs for models of folds, which say nothing about them themselves."""
        X = self._checked_queries(X)
        if self._mixture_ is None and self._predictor_.without_votes is not None:
            self._warn_without_votes(self._has_votes(X), X)
        return X

    def _mixed_predictions(self, X: Any, predict: Predict) -> FloatArray:
        """What the mixture predicts at new inputs, first axis q."""
        assert self._mixture_ is not None
        X = self._checked_queries(X)
        with config_context(assume_finite=True):
            return self._mixture_.mixed(predict, X)

    def _predictions(self, X: Any) -> Any:
        """Predictions at new inputs, in the form of the predictor of the kind."""
        X = self._checked_queries(X)
        predictions, reached = self._predictor_.predicted(self._votes_at(X))
        self._warn_without_votes(reached, X)
        constant = getattr(self._predictor_, "constant", None)
        return predictions if constant is None else with_constant(predictions, X, constant)
