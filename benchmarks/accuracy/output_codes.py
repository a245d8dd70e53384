"""PL-ECOC: binary problems on the rows whose set is on one side (Zhang, Yu and Tang, 2017).

Disambiguation-free partial label learning, IEEE TKDE 29(10). A column of the code splits the
classes in two at random. A row is used if all its candidates are on one side, which is then its
label. A column is valid if it uses at least a tenth of the rows and, in public programs, five on
either side. There are ``10 log2 K`` columns, each learnt by a support vector machine h_t (LIBSVM's
defaults: Gaussian kernel, C = 1). With code M (K, T) a query gets the class of least ``sum_t
G[c, t] exp(-h_t(x) M[c, t])``, where G[c, t], scaled to sum one over t, is the share of the rows
with candidate c at which h_t is on the side of c.

Ours: the machine is chosen. Columns that repeat another, or reverse it, are left out, because their
machine is the same. If there are too few valid columns, those that use most rows are added. If no
column has rows on both sides, as with large sets, the prediction is the class that is a candidate
most often; other programs have no prediction then.
"""

import numpy as np
from sklearn.svm import SVC

from benchmarks.accuracy.method import Fitted, Method, best_candidates
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["OUTPUT_CODES", "draw_code", "fit_output_codes", "losses", "trust"]

_N_DRAWN_COLUMNS = 2000
_MIN_ROWS_PER_SIDE = 5
# With larger margins, the exponential of a single machine would decide alone.
_MAX_MARGIN = 10.0


def draw_code(mask: BoolArray, rng: np.random.Generator) -> BoolArray:
    """Distinct splits of the classes with rows on both sides, (K, T), T >= 0; True is one side."""
    n, K = mask.shape
    drawn = rng.random((_N_DRAWN_COLUMNS, K)) < 0.5
    # The side of the first class is True, so a split and its reverse are the same.
    drawn = drawn == drawn[:, :1]
    _, first = np.unique(drawn, axis=0, return_index=True)
    code = drawn[np.sort(first)].T
    positive, negative = _sides(mask, code)
    used = positive.sum(axis=0) + negative.sum(axis=0)
    used = np.where(positive.any(axis=0) & negative.any(axis=0), used, 0)
    wanted = int(np.ceil(10 * np.log2(K)))
    fewer = np.minimum(positive.sum(axis=0), negative.sum(axis=0))
    is_valid = (used >= n / 10) & (fewer >= _MIN_ROWS_PER_SIDE)
    # Valid columns in the order of the draw, then the others, those with most rows first.
    order = np.argsort(np.where(is_valid, -n - 1, -used), kind="stable")[:wanted]
    return np.asarray(code[:, order[used[order] > 0]])


def _sides(mask: BoolArray, code: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Which rows have all their candidates on the True side of each column, and on the other."""
    # In floating point, because products of bools do not use BLAS.
    members = mask.astype(np.float64)
    return members @ ~code == 0, members @ code == 0


def fit_output_codes(X: FloatArray, mask: BoolArray, *, seed: int, kernel: str, C: float) -> Fitted:
    code = draw_code(mask, np.random.default_rng(seed))
    if not code.shape[1]:
        most = mask.sum(axis=0).argmax()
        scores = np.tile(mask.sum(axis=0), (len(mask), 1))
        return Fitted(lambda queries: np.full(len(queries), most), best_candidates(scores, mask))
    machines = []
    for positive, negative in zip(*(side.T for side in _sides(mask, code)), strict=True):
        rows = np.flatnonzero(positive | negative)
        machines.append(SVC(kernel=kernel, C=C).fit(X[rows], positive[rows]))

    def margins(queries: FloatArray) -> FloatArray:
        found = np.column_stack([machine.decision_function(queries) for machine in machines])
        return np.asarray(np.clip(found, -_MAX_MARGIN, _MAX_MARGIN))

    known = margins(X)
    shares = trust(known, code, mask)

    def predict(queries: FloatArray) -> IntArray:
        return np.asarray(losses(margins(queries), code, shares).argmin(axis=1), dtype=np.intp)

    return Fitted(predict, best_candidates(-losses(known, code, shares), mask))


def trust(margins: FloatArray, code: BoolArray, mask: BoolArray) -> FloatArray:
    """G, (K, T), from the margins of the rows, (n, T); nan for a class that no machine predicts."""
    members = mask.astype(np.float64)
    above = members.T @ (margins > 0)
    sizes = members.sum(axis=0)[:, np.newaxis]
    # The size of a class that is never a candidate is 0.
    right = np.where(code, above, sizes - above) / np.maximum(sizes, 1.0)
    totals = right.sum(axis=1, keepdims=True)
    return np.asarray(np.where(totals > 0, right / np.where(totals > 0, totals, 1.0), np.nan))


def losses(margins: FloatArray, code: BoolArray, shares: FloatArray) -> FloatArray:
    """Losses of the classes, (q, K); infinite for a class that no machine predicts."""
    has_no_machine = np.isnan(shares[:, 0])
    weights = np.where(has_no_machine[:, np.newaxis], 0.0, shares)
    found = np.exp(-margins) @ (weights * code).T + np.exp(margins) @ (weights * ~code).T
    found[:, has_no_machine] = np.inf
    return np.asarray(found)


OUTPUT_CODES = Method(
    "PL-ECOC",
    fit_output_codes,
    (
        {"kernel": "rbf", "C": 1.0},
        {"kernel": "rbf", "C": 10.0},
        {"kernel": "rbf", "C": 100.0},
        {"kernel": "linear", "C": 0.01},
    ),
    version="2",
)
