"""Content of a panel of errors against the number of rows, with the positions of its labels."""

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
        The label of the curve.
    at : (float, float)
        The position of the label: n and the error.
    clusters : slice
        The clusters whose errors are drawn.
    slope : Slope, optional
        A fitted line, drawn instead of the lines between the points.
    hollow : bool
        Draw hollow markers, which do not hide another curve.
    leader : float, optional
        The n at which a thin line from the label meets the curve.
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
    """A dotted line of the theory, ``log error = log start[1] + slope (n - start[0])``.

    Attributes
    ----------
    name : str
    slope : float
    start : (float, float)
        Where the line begins: n and the error.
    stop : float
        The n at which the line ends.
    at : (float, float)
        The position of the label.
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
        0 for a linear axis from 0 to 1, else the smallest error on a logarithmic axis.
    bounds : sequence of RateBound
    """

    title: str
    points: Sequence[RatePoint]
    curves: Sequence[RateCurve]
    floor: float = 0.0
    bounds: Sequence[RateBound] = ()
