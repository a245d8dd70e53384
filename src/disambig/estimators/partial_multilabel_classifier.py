"""Tags of which some are known: recover the unknown ones, and predict all of them."""

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin

from disambig.candidates import PartialBits
from disambig.estimators.base import CandidateEstimator
from disambig.estimators.fitting import Fit
from disambig.estimators.held_out.tag_shares import mixed_shares, signed_targets, tag_shares
from disambig.estimators.mixture import Mixture, is_judged
from disambig.estimators.prediction import predictor_of
from disambig.estimators.progress.whole_fits import all_or_nothing
from disambig.estimators.queries.tag_predictions import TagPredictionMixin
from disambig.estimators.rows.kept import KeptRows
from disambig.estimators.selection.bits import BIT_PULL, BIT_SPACE, MAX_BIT_MEMBERS, BitMembers
from disambig.estimators.selection.members import MemberSelection, mixture_of
from disambig.estimators.selection.search import Selection
from disambig.estimators.tags.decoding import judged_tags
from disambig.estimators.tags.models import fit_tag_mixture
from disambig.estimators.tags.one_sided import OneSidedTags, one_sided_tags
from disambig.estimators.tags.single import is_single, read_single
from disambig.estimators.tolerance.relearning import check_kind
from disambig.exceptions import NoInformationError
from disambig.losses import HammingLoss
from disambig.losses.bits.hamming import BoundHamming
from disambig.losses.bits.protocol import BoundBitLoss
from disambig.losses.registry import bind_bit_loss
from disambig.notation import AnyArray, FloatArray
from disambig.solvers import Solver
from disambig.solvers.loop import Callback
from disambig.solvers.registry import resolve_solver
from disambig.threads import limit_threads


class PartialMultilabelClassifier(TagPredictionMixin, ClassifierMixin, CandidateEstimator):
    """Predict tags, each on or off, from rows in which only some are known.

    Parameters
    ----------
    weights : str, weighting, Mixture or callable, default "auto"
        See `PartialLabelClassifier`. "auto" mixes the best of kernel ridge, neighbours, a logistic
        regression and a forest for each tag, with shares that minimise the squared error of the
        probabilities of hidden bits.
    predict_weights : str, weighting or callable, optional
        The weighting at new inputs; by default the same. A `Mixture` has none.
    loss : {"hamming", "f_measure", "top_k"} or loss, default "hamming"
        What predictions are judged by: the (weighted) share of wrong tags (`HammingLoss`), one
        minus the F measure of each row (`FMeasureLoss`), or the share of the k predicted tags that
        are not there (`TopKLoss`). See `disambig.losses`. The probabilities do not depend on it.
    method : {"disambiguation", "infimum", "average"}, default "disambiguation"
        See `PartialLabelClassifier`. Under the Hamming loss without rules they predict the same,
        but for the unknown bits that disambiguation recovers and learns from.
    solver : str or solver, default "auto"
        The solver of the disambiguation: "auto" is alternating minimisation, and with
        ``weights="auto"`` annealing, whose last temperature is selected. Annealing and Frank-Wolfe
        need the Hamming loss without rules. The baselines do not use it.
    tags : array-like (m,), optional
        Names of the tags, in the order of the columns of y.
    zero, unlabeled : optional
        What 0 and -1 mean, and markers of what says nothing; see `PartialBits.from_any`.
    implications : iterable of pairs, or mapping, optional
        ``("poodle", "dog")`` or ``{"poodle": "dog"}``: a poodle is a dog. Labels and predictions
        keep them; see `PartialBits`.
    tag_counts : int or pair, optional
        The number of tags of every row, or the least and the most, such as ``(1, 3)`` or
        ``(1, None)``. Labels and predictions keep them (but predictions under `TopKLoss` have k
        tags). Bounds that differ between rows belong to `PartialBits`; they hold for labels.
    tag_frequencies : None, "estimate", mapping or array-like (m,), default None
        For positives-only data and candidate lists, where only one value of a tag is ever known:
        how often it is on. Models learn which rows are recorded, and divide by the share of the
        rows with the value that are recorded. "estimate" takes that share from recorded rows that
        models have not seen (after Elkan and Noto): right if the inputs tell the tag for sure in
        half of the rows that have it. None: such data is refused if no tag is known both on and
        off, unless `tag_counts` bounds the sum of the frequencies, which are then estimated.
    tolerance : float, "auto" or None, default None
        Lets known bits change at a price each; see `PartialLabelClassifier`.
    resolve_at : float, default 0.9
        The confidence from which on a decided row is resolved (`resolved_`).
    time_limit, callback : optional
        See `PartialLabelClassifier`.
    verbose : int, default 0
        From 1 on, every step is logged (logger "disambig").

    Attributes
    ----------
    tags_ : array (m,)
    classes_ : array
        The tags; for a vector y its two classes.
    labels_ : int array (n, m)
        The recovered bits of every training row; for a vector y the classes, ``(n,)``.
    outside_, tolerance_, decided_, resolved_, confidence_kind_
        See `PartialLabelClassifier`; a row is decided if its optimum is a single bit vector.
    confidence_ : float array (n,)
        The (weighted) mean of `bit_confidence_`: the expected share of right bits.
    bit_confidence_ : float array (n, m)
        The probability that each bit of `labels_` is right. Known bits are taken as right; the
        others have calibrated probabilities from models without the row's fold (a mixture) or from
        the other rows' votes.
    tag_frequencies_ : float array (m,)
        How often each tag is on, as used.
    tag_frequencies_kind_ : str
        Where they come from: "known bits", "given", "estimated", "estimated within tag_counts".
    objective_, relaxed_objective_, n_iter_, converged_, certified_, trace_, solution_, trials_
        See `PartialLabelClassifier`; a mixture has no `solution_`, and its `objective_` is the mean
        loss of its held-out predictions to the sets.
    members_, shares_ : tuple of estimators, float array
        The fitted members of a mixture and their shares; empty if there is none.
    loss_, weights_, predict_weights_, solver_, infimum_is_exact_, n_features_in_, feature_names_in_
        As of the other estimators; `solver_` is None for the baselines and for a mixture.
    completion_, without_input_ : as of `PartialLabelClassifier`

    Examples
    --------
    >>> from disambig import PartialMultilabelClassifier
    >>> from disambig.weights import NeighborWeights
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> y = [[1, 0], [1, None], [None, 0], [0, 1], [None, 1], [0, None]]
    >>> model = PartialMultilabelClassifier(NeighborWeights(n_neighbors=3), tags=["cat", "dog"])
    >>> model.fit(X, y).labels_.tolist()
    [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]
    >>> model.predict([[0.05], [5.05]]).tolist()
    [[1, 0], [0, 1]]
    """

    _mixes = True
    _search_space = BIT_SPACE
    loss_: BoundBitLoss
    classes_: AnyArray
    labels_: AnyArray
    # Whether y is a vector of classes.
    _is_single: bool

    def __init__(
        self,
        weights: Any = "auto",
        *,
        predict_weights: Any = None,
        loss: Any = "hamming",
        method: str = "disambiguation",
        solver: Any = "auto",
        tags: Any = None,
        zero: Literal["absent", "unknown"] | None = None,
        unlabeled: Any = None,
        implications: Any = None,
        tag_counts: Any = None,
        tag_frequencies: Any = None,
        tolerance: Any = None,
        resolve_at: float = 0.9,
        time_limit: float | None = None,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.weights = weights
        self.predict_weights = predict_weights
        self.loss = loss
        self.method = method
        self.solver = solver
        self.tags = tags
        self.zero = zero
        self.unlabeled = unlabeled
        self.implications = implications
        self.tag_counts = tag_counts
        self.tag_frequencies = tag_frequencies
        self.tolerance = tolerance
        self.resolve_at = resolve_at
        self.time_limit = time_limit
        self.callback = callback
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags

    @all_or_nothing
    @limit_threads(1)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Recover the unknown bits of the training rows, and store what prediction needs.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d); (n, n) for precomputed weights
        y : array-like, n rows
            A table ``(n, m)`` in any form that `PartialBits.from_any` reads: 1, 0, NaN or None,
            masked entries, yes and no; or `PartialBits`, which also reads lists of positives and
            of candidates. A vector ``(n,)`` with two classes is a single tag.
        sample_weight : array-like (n,), optional
            w means w copies of a row. Rows of weight zero take no part; their label is the
            candidate nearest to their prediction.
        groups : array-like (n,), optional
            Rows that are hidden together; see `PartialLabelClassifier`.
        """
        self._fit(X, y, sample_weight, groups)
        if self._is_single:
            self.labels_ = self.classes_[self.labels_[:, 0]]
        return self

    def _read(self, y: Any) -> PartialBits:
        self._is_single = is_single(y) and self.zero is None
        if self._is_single:
            y, self.classes_ = read_single(y, self.unlabeled)
        bits = self._bits(y, self.tags).with_rules(self.implications, self.tag_counts)
        self.tags_ = bits.tags
        if not self._is_single:
            self.classes_ = bits.tags
        self.loss_ = bind_bit_loss(self.loss, bits)
        return bits

    def _bits(self, y: Any, tags: Any) -> PartialBits:
        """The bits of a table, without rules."""
        return PartialBits.from_any(y, tags, zero=self.zero, unlabeled=self.unlabeled)

    def _check_information(self, candidates: PartialBits) -> None:
        if not candidates.known.any():
            n = len(candidates)
            raise NoInformationError(
                f"y: no bit is known in any of the {n} rows. Give at least one."
            )
        if self.tolerance is not None:
            check_kind(type(self).__name__, self.tolerance, candidates)

    def _prepare(self, kept: KeptRows, taken: PartialBits) -> None:
        self._one_sided_: OneSidedTags | None = None
        if is_judged():
            self._one_sided_ = one_sided_tags(
                taken, kept.sample_weight, self.tag_frequencies, self.tolerance
            )

    def _models_read(self, bits: PartialBits) -> PartialBits:
        """The bits that probabilities are learned from: no rules, nothing one-sided."""
        if self._one_sided_ is not None:
            return self._one_sided_.filled(bits)
        return PartialBits(bits.bits, bits.tags) if bits.has_rules else bits

    def _selection_kind(self, taken: PartialBits, solver: Solver | None) -> Any:
        weights = self.loss_.weights
        members = BitMembers(
            self._models_read(taken),
            weights,
            self.method,
            solver,
            self._with,
            by_squares=self._one_sided_ is not None,
        )
        return MemberSelection(members)

    def _with(self, weights: Any, solver: Solver | None) -> "PartialMultilabelClassifier":
        """An estimator of the same probabilities with these weights, a member of a mixture."""
        return PartialMultilabelClassifier(
            weights,
            loss=HammingLoss(self.loss_.weights),
            method=self.method,
            solver="auto" if solver is None else solver,
        )

    def _chosen(self, selection: Selection) -> tuple[Any, Solver | None]:
        if selection.is_fallback:
            return selection.weights, selection.solver
        mixture = mixture_of(selection, most=MAX_BIT_MEMBERS, pull=BIT_PULL)
        (first, *others) = mixture.members
        # Annealing has no rules and no other loss: then a member gives probabilities only.
        is_own = isinstance(self.loss_, BoundHamming) or self.method != "disambiguation"
        is_own |= self._named_solver() is not None
        if is_own and not others and isinstance(first, PartialMultilabelClassifier):
            return first.weights, resolve_solver(first.solver)
        return mixture, None

    def _learn_mixture(
        self, mixture: Mixture, X: Any, kept: KeptRows, candidates: Any, taken: Any
    ) -> None:
        read = self._models_read(taken)
        fitted, objective = fit_tag_mixture(mixture, X, kept, read, self.loss_.weights)
        self._store_mixture(mixture, fitted, objective)
        self.confidence_kind_ = "hidden sets" if fitted.hides_sets else "in-sample"
        self._store_labels(fitted.at_rows(mixed_shares, X, kept.rows), candidates, kept)
        self._tie_frequencies_ = self.tag_frequencies_

    def _problem(self, weightings: Any, votes: Any, taken: PartialBits) -> Any:
        if self._one_sided_ is not None:
            taken = self._one_sided_.filled(taken)
            return weightings.problem(votes, bind_bit_loss("hamming", taken), taken)
        return super()._problem(weightings, votes, taken)

    def _store(self, fit: Fit) -> None:
        solution, kept = fit.solution, fit.kept
        self._predictor_ = predictor_of(fit.problem, solution, self.method, kept.sample_weight)
        self._tie_frequencies_ = fit.problem.loss.mean_bits(self._predictor_.prior[None])[0]
        means = fit.problem.loss.mean_bits(self._predictor_.xi)
        self._tag_targets_ = targets = signed_targets(2.0 * means - 1.0)
        labels, decided = solution.decoded.outputs, solution.decided
        scores = fit.weightings.leave_one_out(targets)
        if not kept.all_rows:
            votes = fit.rest_votes()
            predictions = self._predictor_.predict(votes)
            rest = fit.candidates[fit.rest]
            if self._one_sided_ is not None:
                rest = self._one_sided_.filled(rest)
            nearest = self._predictor_.nearest(predictions, rest)
            labels = fit.scatter(labels, nearest.outputs)
            decided = fit.scatter(decided, nearest.is_vertex)
            scores = fit.scatter(scores, votes @ targets)
        found = None if self._one_sided_ is not None else (labels, decided)
        shares = tag_shares(scores, targets.sum(axis=0))
        self._store_labels(shares, fit.candidates, kept, found)

    def _store_labels(
        self,
        shares: FloatArray,
        candidates: PartialBits,
        kept: KeptRows,
        found: tuple[AnyArray, AnyArray] | None = None,
    ) -> None:
        """Store labels and confidence by what others predict of all rows; see `judged_tags`."""
        self._others_ = shares
        known = candidates if self._given_ is None else self._given_
        judged, weights = self._models_read(known[kept.rows]), self.loss_.weights
        one = judged_tags(shares, candidates, judged, kept, self._one_sided_, weights, found)
        self._calibration_, self._one_sided_ = one.calibration, one.one_sided
        self.tag_frequencies_, self.tag_frequencies_kind_ = one.frequencies, one.kind
        self.labels_, self.decided_ = one.labels, one.decided
        self.bit_confidence_ = one.bit_confidence
        # Weights sum to one up to rounding.
        self.confidence_ = np.minimum(self.bit_confidence_ @ weights, 1.0)
