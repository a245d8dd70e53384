"""The solver of the quadratic relaxation: Frank-Wolfe steps, then rounding."""

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from disambig.candidates import ClassCounts
from disambig.candidates.reading import require_separable
from disambig.exceptions import ConvergenceWarning, MissingOracleError, warn
from disambig.losses.bits.hamming import BoundHamming
from disambig.losses.labels.finite import FiniteLoss
from disambig.memory import require_bytes
from disambig.parameters import check_choice, check_flag, check_integer, check_number
from disambig.problem import Problem
from disambig.solvers.alternating.alternating import AlternatingMinimization
from disambig.solvers.frank_wolfe.bit_hulls import BitHulls
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.hulls import Hulls
from disambig.solvers.frank_wolfe.label_hulls import CountedHulls, LabelHulls
from disambig.solvers.frank_wolfe.losses import QuadraticLoss, quadratic_loss
from disambig.solvers.frank_wolfe.order_hulls import OrderHulls
from disambig.solvers.frank_wolfe.rounding import rounded
from disambig.solvers.frank_wolfe.shifts import spectrum_is_exact, tight_shifts, unit_shifts
from disambig.solvers.frank_wolfe.steps import BlockFrankWolfe, FrankWolfe
from disambig.solvers.loop import Callback, Run, Status, iterate
from disambig.solvers.quadratic_objective import quadratic_objective
from disambig.solvers.solution import Certificate, Solution, Targets, check_embedded, check_start

_STEP_KINDS = ("auto", "plain", "away", "pairwise", "block")
# The number of blocks into which block steps divide the open rows.
_N_BLOCKS = 10
# Arrays of (n, p) numbers that a step needs at once.
_N_ARRAYS = 12
# A bound that exceeds the objective of labels by more than this part of it is wrong; a smaller
# excess is rounding.
_BOUND_TOLERANCE = 1e-9


class FrankWolfeMinimization(BaseEstimator):
    r"""Minimise ``sum_ij A[i, j] loss(y_i, y_j)`` over hulls in place of sets, with a certificate.

    This is the quadratic objective of the paper's appendix, a generalisation of Diffrac: rows pay
    for the differences of their labels, without predictions. A shift makes the objective convex
    over the hulls of the sets and does not change it at labels, so that its minimum over the hulls
    is a lower bound for all labels. Frank-Wolfe steps approach this minimum; the relaxed targets
    are then rounded to labels. If the candidates are `disambig.candidates.ClassCounts`, relaxed
    targets and labels keep the counts.

    ``solution.certificate`` has the quadratic objective of the labels, the relaxed targets with
    their objective, and the bound; ``solution.objective`` is that of the paper, as for all solvers.

    For symmetric losses on labels, the Hamming loss, the Kendall loss and the footrule. The bound
    is proven for up to 400 rows with several candidates. For more rows the eigenvalues of the votes
    come from the Lanczos method, with a margin of a thousandth of their range. If the labels found
    are below the bound, an error is raised.

    Parameters
    ----------
    steps : {"auto", "pairwise", "away", "plain", "block"}, default "auto"
        "pairwise": weight moves from the worst to the best vertex of each row. "away": towards the
        best vertex or away from the worst. "plain": always towards the best vertex. "block":
        "pairwise" in blocks of rows, drawn in proportion to their gaps. "auto" is "pairwise", or
        "plain" if class counts couple the rows.
    shift : {"tight", "unit"}, default "tight"
        How much curvature is added: as little as makes the function convex, or 1, as in Diffrac,
        which minimises ``Tr Phi' (I - A) Phi`` for kernel ridge votes. The latter needs votes whose
        eigenvalues are at most 1, and a loss that is a squared distance.
    rounding : {"nearest", "sampling"}, default "nearest"
        "nearest": each row takes the vertex nearest to it in the embedding of the loss. "sampling":
        the best of these labels and of `n_samples` random draws, with the weights of the relaxed
        targets as probabilities.
    n_samples : int, default 20
    polish : bool, default False
        Whether alternating minimisation continues from the nearest vertices, with and without
        their ties. It never raises the paper's objective and may raise the quadratic one.
    max_iter : int, default 1000
        The largest number of steps; of passes over the rows for "block".
    tol : float, default 1e-4
        Stop when the gap is at most this part of the largest objective that any labels can have.
    random_state : int, RandomState or None, default 0
        For "block" and "sampling".

    Examples
    --------
    >>> import numpy as np
    >>> from disambig import disambiguate
    >>> from disambig.weights import NeighborWeights
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
    >>> found = disambiguate(X, y, weights=NeighborWeights(3), solver=FrankWolfeMinimization())
    >>> found.labels_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    >>> proven = found.solution_.certificate
    >>> proven.objective, bool(proven.bound <= 0.0 <= proven.gap)
    (0.0, True)
    """

    def __init__(
        self,
        steps: Literal["auto", "pairwise", "away", "plain", "block"] = "auto",
        *,
        shift: Literal["tight", "unit"] = "tight",
        rounding: Literal["nearest", "sampling"] = "nearest",
        n_samples: int = 20,
        polish: bool = False,
        max_iter: int = 1000,
        tol: float = 1e-4,
        random_state: Any = 0,
    ) -> None:
        self.steps = steps
        self.shift = shift
        self.rounding = rounding
        self.n_samples = n_samples
        self.polish = polish
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def solve(
        self, problem: Problem, *, start: Solution | None = None, callback: Callback | None = None
    ) -> Solution:
        """Disambiguate; see `disambig.solvers.Solver`.

        The objective of the trace is the relaxed one. A warm start begins near the relaxed targets
        of the earlier solution (``start.certificate.relaxed``), or near its targets if it has none.
        """
        self._check()
        check_embedded(problem, type(self).__name__)
        loss = quadratic_loss(problem)
        n, p = problem.votes.shape[0], len(loss.table)
        require_bytes(
            8.0 * _N_ARRAYS * n * p,
            f"FrankWolfeMinimization of {n} rows and {p} coordinates",
            "Use solver='alternating', which needs less.",
        )
        hulls = self._hulls(problem)
        form = self._form(problem, loss, hulls)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        process = self._process(form, hulls, seed, self._earlier(start, hulls))
        stage = f"frank-wolfe, {self.steps}"
        run: Run[Any] = iterate(
            process, process.begin(), max_iter=int(self.max_iter), stage=stage, callback=callback
        )
        state = run.state
        if run.status is Status.MAX_ITER:
            validity = "proven all the same"
            if not spectrum_is_exact(int(np.count_nonzero(hulls.open_rows))):
                validity = "as valid as that of a converged run, up to the margin of eigenvalues"
            warn(
                f"FrankWolfeMinimization: not converged after max_iter={self.max_iter} steps; the "
                f"gap is {state.gap:.3g}, the tolerance {process.tolerance:.3g}. The bound is "
                f"{validity}. Increase max_iter or tol.",
                ConvergenceWarning,
            )
        nearest, decoded = rounded(
            problem, loss, hulls, state.point, self._n_samples(), np.random.default_rng(seed)
        )
        trace, status = run.trace, run.status
        # Rows with several nearest vertices stay undecided. The relaxed targets themselves are not
        # used for predictions, because the shift makes them too soft: on real images with kernel
        # ridge, the accuracy on new rows was .970 with them and .982 with the nearest vertices.
        drawn = np.flatnonzero(nearest.first().differing(decoded))
        targets: Targets = nearest.replace(drawn, decoded.take(drawn))
        if self.polish and status is not Status.STOPPED:
            # From the mean of ties the labels can end higher than the decoded ones; from those not.
            starts = [targets.embedded, decoded.embedded]
            polished = AlternatingMinimization(starts).solve(problem, callback=callback)
            targets, decoded = polished.targets, polished.decoded
            trace += polished.trace
            status = polished.status if status is Status.CONVERGED else status
        objective = quadratic_objective(problem, decoded)
        _check_bound(state.bound, objective, form.rounding)
        return Solution(
            targets=targets,
            decoded=decoded,
            relaxed_objective=problem.objective(targets.embedded),
            objective=problem.objective(decoded.embedded),
            start="frank-wolfe" if start is None else "warm",
            status=status,
            n_iter=run.n_iter,
            trace=trace,
            tie_tolerance=problem.rtol,
            certificate=Certificate(
                is_convex=True,
                objective=objective,
                bound=state.bound,
                relaxed_objective=state.objective,
                relaxed=hulls.targets(state.point, nearest),
            ),
        )

    def _n_samples(self) -> int:
        return int(self.n_samples) if self.rounding == "sampling" else 0

    def _hulls(self, problem: Problem) -> Hulls:
        loss, candidates = problem.loss, problem.candidates
        if getattr(candidates, "couples_rows", False):
            return self._counted_hulls(loss, candidates)
        kind: Any = LabelHulls if isinstance(loss, FiniteLoss) else OrderHulls
        if isinstance(loss, BoundHamming):
            kind = BitHulls
        hulls: Hulls = kind(loss, candidates)
        return hulls

    def _counted_hulls(self, loss: Any, candidates: Any) -> CountedHulls:
        if not (isinstance(candidates, ClassCounts) and isinstance(loss, FiniteLoss)):
            raise MissingOracleError(
                "FrankWolfeMinimization: of constraints over rows, only ClassCounts under a loss "
                f"on labels are kept; got {type(candidates).__name__} and {type(loss).__name__}."
            )
        if self.polish:
            require_separable(candidates, "FrankWolfeMinimization(polish=True)")
        if self.steps not in ("auto", "plain"):
            raise ValueError(
                f"FrankWolfeMinimization: steps={self.steps!r} moves each row on its own, which "
                "class counts do not allow. Use steps='plain' or 'auto'."
            )
        return CountedHulls(loss, candidates)

    def _form(self, problem: Problem, loss: QuadraticLoss, hulls: Hulls) -> ConvexForm:
        if self.shift == "tight":
            variances = loss.variances(hulls.candidate_means())
            shifts = tight_shifts(problem, hulls.open_rows, variances)
        elif loss.is_concave:
            shifts = unit_shifts(problem, hulls.open_rows)
        else:
            raise MissingOracleError(
                "FrankWolfeMinimization: shift='unit' needs a loss that is a squared distance, "
                "like the 0-1 loss. Use shift='tight'."
            )
        return ConvexForm(problem, loss, hulls.open_rows, shifts)

    def _earlier(self, start: Solution | None, hulls: Hulls) -> Targets | None:
        """The targets of an earlier solution to start near, or None."""
        if start is None:
            return None
        check_start(start, hulls.candidate_means().shape, type(self).__name__)
        proven = start.certificate
        return start.targets if proven is None or proven.relaxed is None else proven.relaxed

    def _process(
        self, form: ConvexForm, hulls: Hulls, seed: int, earlier: Targets | None
    ) -> FrankWolfe | BlockFrankWolfe:
        tolerance = float(self.tol) * form.largest_objective
        if not hulls.rows_are_independent:
            return FrankWolfe(form, hulls, "plain", tolerance, earlier)
        if self.steps == "block":
            size = max(1, int(np.count_nonzero(hulls.open_rows)) // _N_BLOCKS)
            return BlockFrankWolfe(form, hulls, tolerance, size, seed, earlier)
        kind: Any = "pairwise" if self.steps == "auto" else self.steps
        return FrankWolfe(form, hulls, kind, tolerance, earlier)

    def _check(self) -> None:
        name = type(self).__name__
        check_choice(name, "steps", self.steps, _STEP_KINDS)
        check_choice(name, "shift", self.shift, ("tight", "unit"))
        check_choice(name, "rounding", self.rounding, ("nearest", "sampling"))
        check_integer(name, "max_iter", self.max_iter, least=1)
        check_integer(name, "n_samples", self.n_samples, least=1)
        check_flag(name, "polish", self.polish)
        check_number(name, "tol", self.tol)


def _check_bound(bound: float, objective: float, rounding: float) -> None:
    """Raise MissingOracleError if the objective of labels is below the bound."""
    if bound > objective + max(rounding, _BOUND_TOLERANCE * abs(objective)):
        raise MissingOracleError(
            f"FrankWolfeMinimization: the bound {bound:.6g} is above the quadratic objective "
            f"{objective:.6g} of the labels found, so that it is wrong: some eigenvalues of the "
            "votes are outside the range that was computed. For your own operator, check that T "
            "is its transpose and that absolute_row_sums() is |alpha| @ 1 or more, not "
            "|alpha @ 1|. Otherwise pass an array, or use solver='alternating'."
        )
