"""What a panel of errors against the number of rows shows, and where names stand in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from reproduce.rates import RatePoint
from reproduce.slopes import Slope


@dataclass(frozen=True, eq=False)
class RateCurve:
    """One method in a panel.

    Attributes
    ----------
    method : str
    name : str
        What stands beside the curve.
    at : (float, float)
        Where it stands: n, and the error.
    clusters : slice
        Errors at queries of these clusters.
    slope : Slope, optional
        Drawn as a line through the points, in place of one from point to point.
    hollow : bool
        Draw it over another one without hiding it.
    leader : float, optional
        The n at which a thin line from the name meets the curve.
    """

    method: str
    name: str
    at: tuple[float, float]
    clusters: slice = field(default_factory=lambda: slice(None))
    slope: Slope | None = None
    hollow: bool = False
    leader: float | None = None


@dataclass(frozen=True)
class RateBound:
    """A line of the theory, ``log error = log start[1] + slope (n - start[0])``, dotted.

    Attributes
    ----------
    name : str
    slope : float
    start : (float, float)
        Where it begins: n, and the error.
    stop : float
        The n at which it ends.
    at : (float, float)
        Where the name stands.
    """

    name: str
    slope: float
    start: tuple[float, float]
    stop: float
    at: tuple[float, float]


@dataclass(frozen=True, eq=False)
class RatePanel:
    """Curves over the same points.

    Attributes
    ----------
    title : str
    points : sequence of RatePoint
    curves : sequence of RateCurve
    floor : float
        0: a plain axis from 0 to 1. Else the lowest error of a logarithmic one.
    bounds : sequence of RateBound
    """

    title: str
    points: Sequence[RatePoint]
    curves: Sequence[RateCurve]
    floor: float = 0.0
    bounds: Sequence[RateBound] = ()
