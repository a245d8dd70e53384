"""Methods that learn tags of which some are known, for `benchmarks.tags`.

Each maps training inputs, known bits and test inputs to probabilities ``(q, m)``. Where only one
value of a tag is known, the others fit a model that takes what is unknown for the other value, as
is usual with positives alone.
"""

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import PartialBits, PartialMultilabelClassifier
from disambig.exceptions import InputShiftWarning
from disambig.notation import FloatArray, IntArray

Predict = Callable[[FloatArray, PartialBits, FloatArray], tuple[IntArray, FloatArray]]
_N_NEIGHBORS = (5, 10, 20, 40)


def filled(bits: PartialBits) -> FloatArray:
    """1, 0 and NaN; of tags with one known value, what is unknown has the other value."""
    on, off = (bits.bits == 1).any(axis=0), (bits.bits == 0).any(axis=0)
    table = np.where(bits.known, bits.bits, np.nan)
    return np.where(~bits.known & (on != off), np.where(on, 0.0, 1.0), table)


def ours(X: FloatArray, bits: PartialBits, Q: FloatArray) -> tuple[IntArray, FloatArray]:
    """The default; on data of which only one value of each tag is known, with "estimate"."""
    on, off = (bits.bits == 1).any(axis=0), (bits.bits == 0).any(axis=0)
    given = None if (on & off).any() or bits.known.all() else "estimate"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputShiftWarning)
        model = PartialMultilabelClassifier(tag_frequencies=given).fit(X, bits)
        return model.predict(Q), model.predict_proba(Q)


def by_tag(make: Callable[[IntArray], object]) -> Predict:
    """A classifier for each tag, on the entries that are known."""

    def learn(X: FloatArray, bits: PartialBits, Q: FloatArray) -> tuple[IntArray, FloatArray]:
        columns = []
        for column in filled(bits).T:
            rows = np.flatnonzero(~np.isnan(column))
            known = column[rows].astype(int)
            if not known.size or np.ptp(known) == 0:
                columns.append(np.full(len(Q), known[0] if known.size else 0.5))
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = make(known).fit(X[rows], known)  # type: ignore[attr-defined]
            columns.append(model.predict_proba(Q)[:, 1])
        shares = np.column_stack(columns)
        return (shares > 0.5).astype(int), shares

    return learn


def _logistic(known: IntArray) -> object:
    """The penalty by cross-validation, where both values are known three times."""
    if np.bincount(known, minlength=2).min() < 3:
        model = LogisticRegression(max_iter=300)
    else:
        model = LogisticRegressionCV(
            Cs=[0.01, 0.1, 1.0, 10.0],
            cv=3,
            scoring="neg_log_loss",
            max_iter=300,
            l1_ratios=(0.0,),
            use_legacy_attributes=False,
        )
    return make_pipeline(StandardScaler(), model)


def _boosting(known: IntArray) -> object:
    return HistGradientBoostingClassifier(max_iter=50, min_samples_leaf=5, random_state=0)


def imputation(X: FloatArray, bits: PartialBits, Q: FloatArray) -> tuple[IntArray, FloatArray]:
    """scikit-learn's iterative imputation of the bits, from the inputs and the other bits."""
    inputs = StandardScaler().fit(X)
    table = filled(bits)
    rows = np.vstack(
        [
            np.hstack([inputs.transform(X), table]),
            np.hstack([inputs.transform(Q), np.full((len(Q), table.shape[1]), np.nan)]),
        ]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        imputer = IterativeImputer(
            min_value=0.0, max_value=1.0, random_state=0, keep_empty_features=True
        )
        # Fitted on the training rows, so that test rows change nothing.
        whole = imputer.fit(rows[: len(X)]).transform(rows)
    shares = np.clip(whole[len(X) :, X.shape[1] :], 0.0, 1.0)
    return (shares > 0.5).astype(int), shares


def neighbors(X: FloatArray, bits: PartialBits, Q: FloatArray) -> tuple[IntArray, FloatArray]:
    """The mean of the k nearest rows that know the tag; k by the known bits of other rows."""
    scaler = StandardScaler().fit(X)
    inputs, queries = scaler.transform(X), scaler.transform(Q)
    columns = []
    for column in filled(bits).T:
        rows = np.flatnonzero(~np.isnan(column))
        if not rows.size:
            columns.append(np.full(len(Q), 0.5))
            continue
        known = column[rows]
        sizes = [k for k in _N_NEIGHBORS if k < len(rows)] or [1]
        search = NearestNeighbors(n_neighbors=min(sizes[-1], len(rows))).fit(inputs[rows])
        best = sizes[0]
        if len(rows) > sizes[-1]:
            # Without a query, a row is not its own neighbour.
            found = known[search.kneighbors(return_distance=False)]
            errors = [((found[:, :k].mean(axis=1) - known) ** 2).mean() for k in sizes]
            best = sizes[int(np.argmin(errors))]
        columns.append(known[search.kneighbors(queries, best, False)].mean(axis=1))
    shares = np.column_stack(columns)
    return (shares > 0.5).astype(int), shares


METHODS: dict[str, Predict] = {
    "ours": ours,
    "logistic per tag": by_tag(_logistic),
    "boosting per tag": by_tag(_boosting),
    "iterative imputation": imputation,
    "k-NN that skips unknowns": neighbors,
}
