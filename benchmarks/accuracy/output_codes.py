"""PL-ECOC: binary problems on the rows whose set is on one side (Zhang, Yu and Tang, 2017).

Disambiguation-free partial label learning, IEEE TKDE 29(10). A column of the code splits the
classes in two at random. A row takes part if all its candidates are on one side, which is then its
label; a column counts if at least a tenth of the rows do, and, in public programs, five on either
side. ``10 log2 K`` columns, each learnt by a support vector machine h_t (LIBSVM's defaults there:
Gaussian kernel, C = 1). With code M (K, T) a query gets the class of least ``sum_t G[c, t]
exp(-h_t(x) M[c, t])``, where G[c, t], scaled to sum one over t, is the share of the rows with
candidate c at which h_t is on the side of c.

Ours: the machine is chosen. Columns that only repeat another, or turn it around, are left out: the
machine is the same. Where too few columns count, those with most rows are taken; where no column
has rows on both sides, as among large sets, the class that is a candidate most often is all that is
said; elsewhere there is no answer then.
"""

import numpy as np
from sklearn.svm import SVC

from benchmarks.accuracy.method import Fitted, Method, best_candidates
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["OUTPUT_CODES", "draw_code", "fit_output_codes", "losses", "trust"]

_N_DRAWN = 2000
_FEWEST = 5
# exp of a larger margin would be decided by one machine alone.
_LARGEST_MARGIN = 10.0


def draw_code(mask: BoolArray, rng: np.random.Generator) -> BoolArray:
    """Distinct splits of the classes, (K, T), True on one side, with rows on both; T may be 0."""
    n, K = mask.shape
    drawn = rng.random((_N_DRAWN, K)) < 0.5
    # The side of the first class is True: a split and its reverse become the same.
    drawn = drawn == drawn[:, :1]
    _, first = np.unique(drawn, axis=0, return_index=True)
    code = drawn[np.sort(first)].T
    positive, negative = _sides(mask, code)
    used = positive.sum(axis=0) + negative.sum(axis=0)
    used = np.where(positive.any(axis=0) & negative.any(axis=0), used, 0)
    wanted = int(np.ceil(10 * np.log2(K)))
    fewer = np.minimum(positive.sum(axis=0), negative.sum(axis=0))
    counts = (used >= n / 10) & (fewer >= _FEWEST)
    # In the order they were drawn; those with too few rows behind, the fullest first.
    order = np.argsort(np.where(counts, -n - 1, -used), kind="stable")[:wanted]
    return np.asarray(code[:, order[used[order] > 0]])


def _sides(mask: BoolArray, code: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Which rows have all their candidates on the True side of each column, and on the other."""
    # Counts in floating point: products of bools have no BLAS.
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
        return np.asarray(np.clip(found, -_LARGEST_MARGIN, _LARGEST_MARGIN))

    known = margins(X)
    shares = trust(known, code, mask)

    def predict(queries: FloatArray) -> IntArray:
        return np.asarray(losses(margins(queries), code, shares).argmin(axis=1), dtype=np.intp)

    return Fitted(predict, best_candidates(-losses(known, code, shares), mask))


def trust(margins: FloatArray, code: BoolArray, mask: BoolArray) -> FloatArray:
    """G, (K, T), from the margins of the rows, (n, T); nan for a class nobody is on the side of."""
    members = mask.astype(np.float64)
    above = members.T @ (margins > 0)
    sizes = members.sum(axis=0)[:, np.newaxis]
    # A class that is nowhere a candidate is no reason to divide by zero.
    right = np.where(code, above, sizes - above) / np.maximum(sizes, 1.0)
    totals = right.sum(axis=1, keepdims=True)
    return np.asarray(np.where(totals > 0, right / np.where(totals > 0, totals, 1.0), np.nan))


def losses(margins: FloatArray, code: BoolArray, shares: FloatArray) -> FloatArray:
    """(q, K); infinite for a class that no machine is ever on the side of."""
    nobody = np.isnan(shares[:, 0])
    weights = np.where(nobody[:, np.newaxis], 0.0, shares)
    found = np.exp(-margins) @ (weights * code).T + np.exp(margins) @ (weights * ~code).T
    found[:, nobody] = np.inf
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
