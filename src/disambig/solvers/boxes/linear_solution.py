"""What the linear program returns."""

from dataclasses import dataclass

from disambig.notation import FloatArray
from disambig.solvers.loop import Status

__all__ = ["LinearSolution"]


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """Targets and predictions at the optimum of `linear_program`, with their certificate.

    Attributes
    ----------
    y : (n,) array
        Targets, inside their intervals exactly; read-only.
    z : (q,) array
        Predictions; read-only.
    value : float
        The objective at `y` and `z`.
    gap : float
        No targets and predictions have an objective below ``value - gap``. The bound is computed
        anew from the multipliers, so it holds whatever the program that found them believed.
    n_iter : int
        Iterations of the simplex method.
    status : Status
        ``CONVERGED``, or ``MAX_ITER``; a program that fails otherwise raises.
    """

    y: FloatArray
    z: FloatArray
    value: float
    gap: float
    n_iter: int
    status: Status

    def __post_init__(self) -> None:
        self.y.setflags(write=False)
        self.z.setflags(write=False)

    @property
    def converged(self) -> bool:
        """Did the program end at an optimum?"""
        return self.status is Status.CONVERGED
