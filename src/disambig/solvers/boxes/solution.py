"""What a solver of box-constrained quadratics returns."""

from dataclasses import dataclass

from disambig.notation import FloatArray
from disambig.solvers.loop import Progress, Status

__all__ = ["BoxSolution"]


@dataclass(frozen=True, eq=False)
class BoxSolution:
    """A minimiser of ``y' Q y`` over a box, with its certificate.

    Attributes
    ----------
    y : (n,) array
        Inside the box, exactly; read-only.
    value : float
        ``y' Q y``.
    kkt : float
        The residual of `scaled_kkt`: no single entry of `y`, moved to its own best place, moves by
        more than this share of the size of `y`.
    n_iter : int
        Steps of all stages.
    status : Status
        ``CONVERGED`` only if `kkt` is within the tolerance that was asked for.
    trace : tuple of Progress
        Every step of every stage. ``undecided`` counts the entries that break the tolerance.
    """

    y: FloatArray
    value: float
    kkt: float
    n_iter: int
    status: Status
    trace: tuple[Progress, ...]

    def __post_init__(self) -> None:
        self.y.setflags(write=False)

    @property
    def converged(self) -> bool:
        """Is the certificate within the tolerance?"""
        return self.status is Status.CONVERGED
