"""`DisambiguatedInputs`: any estimator, on inputs that are known in part."""

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from disambig.estimators.alternation.held_out import unit_splits, units_of
from disambig.estimators.alternation.refits import without_search
from disambig.estimators.base import CandidateEstimator
from disambig.estimators.completion.filling import Filled, TrainingRows, with_empty
from disambig.estimators.rows.kept import checked_groups
from disambig.inputs.checked import read_inputs
from disambig.inputs.distribution import fit_distribution
from disambig.metrics.scorer import innermost, row_weights
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.parameters import check_integer

# What "auto" tries; infinity is the expected input, to which targets add nothing.
_TEMPERATURES = (np.inf, 4.0, 1.0, 0.25)
# What an infinite bound counts as where rows are compared.
_FAR = 1e30


class InputTrial(NamedTuple):
    """A temperature and how well rows were predicted whose own sets were hidden.

    Attributes
    ----------
    temperature : float
    loss : float
        Minus the mean score of the folds.
    gain, error : float
        How much less that is than at an infinite temperature, and the standard error over folds.
    """

    temperature: float
    loss: float
    gain: float
    error: float


def _estimator_has(name: str) -> Any:
    def has(self: Any) -> bool:
        getattr(self.estimator_ if hasattr(self, "estimator_") else self.estimator, name)
        return True

    return has


class DisambiguatedInputs(MetaEstimatorMixin, BaseEstimator):
    """Any estimator, on inputs that are known in part: cells are chosen together with targets.

    A cell that is rounded, censored or one of several values is a set, as a target is. Cells are
    filled inside of their sets so that the targets become the most deterministic function of the
    inputs. Three steps alternate: the estimator chooses targets for the present inputs; a smooth
    predictor is fitted to them; and of the inputs that a row may have (draws, given what is known
    of the row), those weigh more at which its target is predicted. How far weights may be from
    equal ones is the `temperature`. At infinity targets add nothing, and a cell is its expected
    value. "auto" tries infinity and others on rows whose own sets are hidden while others are
    filled, and takes another one only if it predicts these better by more than a standard error.

    A new row has no set: its cells are their expected values inside of what is known.

    Parameters
    ----------
    estimator : estimator or Pipeline
        Of this library, or any of scikit-learn with complete targets.
    temperature : float or "auto", default "auto"
        What a departure from equal weights costs, in units in which 1 is the likelihood of normal
        noise about the predictions. ``numpy.inf`` for expected values.
    max_iter : int, default 3
        Rounds of targets and cells at most.
    n_draws : int, default 20
        Inputs that are drawn for every row.
    cv : int, splitter or iterable, default 5
        The folds of "auto".
    scoring : str, callable or None, default None
        What "auto" compares; None: ``estimator.score``.
    random_state : int, default 0
        Of draws and folds.

    Attributes
    ----------
    estimator_ : the fitted estimator
        Its `labels_`, `confidence_` and other attributes are those of the training rows.
    inputs_ : float array (n, d)
        What it was fitted on. Cells are inside of their bounds; one of several values may be a
        weighted mean of them, and a category has weights of its classes.
    temperature_ : float
    trials_ : tuple of InputTrial
        What "auto" compared, first the chosen one.
    distribution_ : InputDistribution
        Of the inputs, without targets.
    n_iter_ : int
        Rounds of targets and cells; 1 at an infinite temperature.
    trace_ : tuple of float
        The objective after every step, which never rises; empty at an infinite temperature.
    n_features_in_ : int
    feature_names_in_ : array (d,)
        Of a frame of numbers.

    See Also
    --------
    disambig.inputs.InputCompleter : Expected values alone, as a step of a pipeline.

    Examples
    --------
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.inputs import PartialInputs
    >>> x = np.linspace(-1, 1, 60)
    >>> X = PartialInputs.from_columns([[{v, -v} if i % 2 else v for i, v in enumerate(x)]])
    >>> y = np.where(x > 0, "positive", "negative")
    >>> model = DisambiguatedInputs(PartialLabelClassifier("kernel_ridge"), temperature=1.0)
    >>> filled = model.fit(X, y).inputs_.ravel()
    >>> float(np.mean(np.sign(filled) == np.sign(x)))
    1.0
    """

    def __init__(
        self,
        estimator: Any,
        *,
        temperature: Any = "auto",
        max_iter: int = 3,
        n_draws: int = 20,
        cv: Any = 5,
        scoring: Any = None,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.temperature = temperature
        self.max_iter = max_iter
        self.n_draws = n_draws
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags = inner.target_tags
        tags.input_tags.allow_nan = True
        return tags

    # ------------------------------------------------------------------ fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose cells and targets.

        Parameters
        ----------
        X : PartialInputs, frame, or array-like (n, d) with NaN where missing
        y : targets or sets in any form that the estimator reads, n rows
        sample_weight : array-like (n,), optional
        groups : array-like (n,), optional
            Rows of a group are in the same fold.
        """
        self._check_parameters()
        inputs = read_inputs(self, X, reset=True)
        n = len(inputs)
        y = self._read(y)
        if len(y) != n:
            raise ValueError(f"X has {n} rows and y has {len(y)}. Give every row of X its targets.")
        weights = row_weights(sample_weight, n)
        self.distribution_ = fit_distribution(inputs, weights, self.random_state)
        draws = self.distribution_.draws(inputs, self.n_draws, self.random_state)
        # Nothing is known of these rows; the estimator says what that means.
        empty = np.asarray(inputs.is_missing.all(axis=1))
        problem = TrainingRows(self, draws, y, weights, sample_weight is not None, empty)
        first = problem.fit(clone(self.estimator), draws.means())
        temperature = self.temperature
        self.trials_: tuple[InputTrial, ...] = ()
        refitted = without_search(first)
        if isinstance(temperature, str):
            temperature = np.inf
            if len(draws.rows):
                groups = None if groups is None else checked_groups(groups, n)
                # Rows of which the same is known stay together in folds.
                bounds = np.hstack([inputs.lower, inputs.upper])
                units = units_of(np.clip(bounds, -_FAR, _FAR), groups)
                self.trials_ = self._trials(problem, refitted, units, groups)
                temperature = self.trials_[0].temperature
        self.temperature_ = float(temperature)
        found = Filled(first, draws.means(), None, (), 1)
        if np.isfinite(self.temperature_) and len(draws.rows):
            found = problem.filled(refitted, first, self.temperature_)
            found = found._replace(model=problem.fit(clone(self.estimator), found.inputs))
        self.estimator_, self.inputs_ = found.model, found.inputs
        self.trace_, self.n_iter_ = found.trace, found.n_iter
        return self

    def _check_parameters(self) -> None:
        name = type(self).__name__
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise TypeError(
                f"{name}: estimator must be an estimator with a method fit; got {self.estimator!r}."
            )
        check_integer(name, "max_iter", self.max_iter, least=1)
        check_integer(name, "n_draws", self.n_draws, least=2)
        check_integer(name, "random_state", self.random_state, least=0)
        given = self.temperature
        is_number = isinstance(given, int | float | np.number) and not isinstance(given, bool)
        if given != "auto" if not is_number else not given > 0:
            raise ValueError(
                f"{name}: temperature must be 'auto' or a number > 0, numpy.inf included; got "
                f"{given!r}."
            )

    def _read(self, y: Any) -> Any:
        """Targets whose rows can be selected without losing classes."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        last = innermost(self.estimator)
        if isinstance(last, CandidateEstimator):
            return clone(last)._read(y)
        return y if hasattr(y, "__len__") else np.asarray(y)

    def _trials(
        self, problem: TrainingRows, template: Any, units: IntArray, groups: AnyArray | None
    ) -> tuple[InputTrial, ...]:
        """Temperatures with the loss at rows whose own sets were hidden; first the chosen one."""
        splits = unit_splits(
            type(self).__name__,
            self.cv,
            units,
            candidates=problem.y,
            groups=groups,
            random_state=self.random_state,
        )
        if not splits:
            return (InputTrial(np.inf, np.nan, 0.0, 0.0),)
        losses = np.array(
            [problem.hidden_losses(template, _TEMPERATURES, *split) for split in splits]
        )
        gains = losses[:, :1] - losses
        errors = gains.std(axis=0, ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else gains[0] * 0
        trials = [
            InputTrial(*(float(value) for value in values))
            for values in zip(
                _TEMPERATURES, losses.mean(axis=0), gains.mean(axis=0), errors, strict=True
            )
        ]
        better = [trial for trial in trials if trial.gain > trial.error]
        chosen = max(better, key=lambda trial: trial.gain, default=trials[0])
        return tuple(sorted(trials, key=lambda trial: (trial is not chosen, trial.loss)))

    # ------------------------------------------------------------------ new inputs

    def completed(self, X: Any) -> FloatArray:
        """New inputs as `estimator_` gets them: expected values of cells, ``(q, d)``.

        Parameters
        ----------
        X : PartialInputs, frame, or array-like (q, d)
        """
        check_is_fitted(self, "estimator_")
        inputs = read_inputs(self, X, reset=False)
        found = self.distribution_.means(inputs, self.n_draws, self.random_state)
        return with_empty(found, np.asarray(inputs.is_missing.all(axis=1)), self.estimator_)

    @available_if(_estimator_has("predict"))
    def predict(self, X: Any) -> Any:
        """Predictions of `estimator_`.

        Parameters
        ----------
        X : PartialInputs, frame, or array-like (q, d)
        """
        inputs = self.completed(X)
        return self.estimator_.predict(inputs)

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of `estimator_`, in the order of its classes.

        Parameters
        ----------
        X : PartialInputs, frame, or array-like (q, d)
        """
        inputs = self.completed(X)
        found: FloatArray = self.estimator_.predict_proba(inputs)
        return found

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: Any) -> FloatArray:
        """Scores of `estimator_`.

        Parameters
        ----------
        X : PartialInputs, frame, or array-like (q, d)
        """
        inputs = self.completed(X)
        found: FloatArray = self.estimator_.decision_function(inputs)
        return found

    @available_if(_estimator_has("score"))
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score of `estimator_`.

        Parameters
        ----------
        X : PartialInputs, frame, or array-like (q, d)
        y : targets or sets, q rows
        sample_weight : array-like (q,), optional
        """
        inputs = self.completed(X)
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.estimator_.score(inputs, y, **given))

    @property
    def classes_(self) -> AnyArray:
        """The classes of `estimator_`, if it has any."""
        found: AnyArray = self.estimator_.classes_
        return found
