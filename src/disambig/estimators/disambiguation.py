"""`disambiguate`: recover labels from candidate sets, also with votes of the user."""

from typing import Any

import numpy as np

from disambig.candidates.labels.class_counts import label_candidates
from disambig.estimators.fitting import check_lengths
from disambig.estimators.partial_label_classifier import PartialLabelClassifier
from disambig.solvers.loop import Callback
from disambig.votes import as_votes
from disambig.weights.given import FixedVotes


def disambiguate(
    X: Any,
    y: Any,
    *,
    weights: Any = "auto",
    loss: Any = "zero_one",
    method: str = "disambiguation",
    solver: Any = "auto",
    classes: Any = None,
    unlabeled: Any = None,
    tolerance: Any = None,
    class_shares: Any = None,
    resolve_at: float = 0.9,
    sample_weight: Any = None,
    groups: Any = None,
    time_limit: float | None = None,
    callback: Callback | None = None,
    verbose: int = 0,
) -> PartialLabelClassifier:
    """Find labels inside the sets that are as close as possible to a function of the inputs.

    The same as ``PartialLabelClassifier(weights, ...).fit(X, y)``, which also takes your own votes.

    Parameters
    ----------
    X : array-like or sparse matrix (n, d), or None
        Inputs. If `weights` are votes, only the number of rows is checked, and None is allowed.
    y : array-like, n rows
        Candidate sets in any form that `LabelSets.from_any` reads.
    weights : str, weighting, callable, array (n, n), sparse matrix or operator, default "auto"
        See `PartialLabelClassifier`. Or your own votes ``(n, n)``: any object with ``@``, ``T`` and
        ``shape``; the result then has no predictions at new inputs.
    loss, method, solver, classes, unlabeled, tolerance, class_shares, resolve_at
        See `PartialLabelClassifier`.
    time_limit, callback, verbose
        See `PartialLabelClassifier`.
    sample_weight : array-like (n,), optional
        w means w copies of a row. Not with your own votes, which determine how much each row
        counts.
    groups : array-like (n,), optional
        Rows that ``weights="auto"`` hides together.

    Returns
    -------
    PartialLabelClassifier
        Fitted; `labels_`, `confidence_` and `decided_` are the labels and how sure they are.

    Examples
    --------
    >>> from disambig import disambiguate
    >>> near = [[0.5, 0.5, 0.0], [0.3, 0.4, 0.3], [0.0, 0.5, 0.5]]
    >>> found = disambiguate(None, [{"a"}, {"a", "b"}, {"a", "b"}], weights=near)
    >>> found.labels_.tolist(), found.decided_.tolist()
    (['a', 'a', 'a'], [True, True, True])
    """
    if _are_votes(weights):
        sets = label_candidates(y, classes=classes, unlabeled=unlabeled)
        if X is not None:
            check_lengths(X, sets)
        if sample_weight is not None:
            raise ValueError(
                "sample_weight cannot be combined with your own votes, which already determine "
                "how much each row counts. Scale rows and columns of the votes instead."
            )
        weights = FixedVotes(as_votes(weights, shape=(len(sets), len(sets))))
        # The inputs play no part: the number of a row stands for it.
        X, y = np.arange(len(sets), dtype=np.float64)[:, None], sets
    elif X is None:
        raise ValueError(
            "X is None: the weighting needs inputs. Pass X, or your own votes (n, n) as weights."
        )
    model = PartialLabelClassifier(
        weights,
        loss=loss,
        method=method,
        solver=solver,
        classes=classes,
        unlabeled=unlabeled,
        tolerance=tolerance,
        class_shares=class_shares,
        resolve_at=resolve_at,
        time_limit=time_limit,
        callback=callback,
        verbose=verbose,
    )
    return model.fit(X, y, sample_weight=sample_weight, groups=groups)


def _are_votes(weights: Any) -> bool:
    return isinstance(weights, list) or (
        hasattr(weights, "shape") and hasattr(weights, "__matmul__")
    )
