"""A sine wave known up to intervals: the paper's regression problem."""

from typing import Any, Literal, NamedTuple

import numpy as np

from disambig.candidates import Intervals, IntervalUnions
from disambig.datasets.corruptions import IntervalCorruption, SkewedCorruption
from disambig.notation import FloatArray
from disambig.parameters import check_choice, check_integer, check_number

_DESIGNS = ("uniform", "grid")


class SineIntervals(NamedTuple):
    """Inputs, the candidate sets of their targets, and the targets.

    Attributes
    ----------
    X : float array (n, 1)
        In [0, 1].
    sets : Intervals or IntervalUnions
        Each contains its target.
    targets : float array (n,)
    """

    X: FloatArray
    sets: Intervals | IntervalUnions
    targets: FloatArray


def make_sine_intervals(
    n_samples: int = 10,
    *,
    frequency: float = 10.0,
    offset: float = 0.0,
    design: Literal["uniform", "grid"] = "uniform",
    corruption: IntervalCorruption | None = None,
    random_state: Any = None,
) -> SineIntervals:
    """``y = sin(frequency x) + offset``, x uniform in [0, 1], known up to a set.

    The regression problem of Cabannes, Bach and Rudi (2021), appendix D.1: ten inputs, skewed
    intervals, kernel ridge weights of bandwidth .1; errors are computed on a grid of 200. Their
    program also has a problem that is not in the paper: 30 inputs, offset 3, signs unknown in seven
    rows out of ten, ``SignCorruption(0.7, within=SkewedCorruption(side="either"))``.

    Parameters
    ----------
    n_samples : int, default 10
    frequency : float, default 10
    offset : float, default 0
        Added to the wave.
    design : {"uniform", "grid"}, default "uniform"
        Independent inputs, or equally spaced ones from 0 to 1, both ends included.
    corruption : IntervalCorruption, default None
        Makes sets of the targets; None: `SkewedCorruption`, as in the paper.
    random_state : int, numpy Generator or None, default None
        The argument of `numpy.random.default_rng`. Inputs are drawn before sets: with the same
        integer, other corruptions have the same inputs. A generator in the state of the authors'
        gives their data.

    See Also
    --------
    disambig.datasets.corruptions.INTERVAL_CORRUPTIONS : Ways to hide a number.

    Examples
    --------
    >>> from disambig.datasets import make_sine_intervals
    >>> X, intervals, targets = make_sine_intervals(random_state=0)
    >>> X.shape, len(intervals), bool(intervals.contains(targets).all())
    ((10, 1), 10, True)
    """
    owner = "make_sine_intervals"
    check_integer(owner, "n_samples", n_samples, least=1)
    check_number(owner, "frequency", frequency, least=-np.inf)
    check_number(owner, "offset", offset, least=-np.inf)
    check_choice(owner, "design", design, _DESIGNS)
    rng = np.random.default_rng(random_state)
    x = np.linspace(0.0, 1.0, n_samples) if design == "grid" else rng.random(n_samples)
    targets = np.sin(frequency * x) + offset
    corrupt = SkewedCorruption() if corruption is None else corruption
    return SineIntervals(x[:, np.newaxis], corrupt(targets, random_state=rng), targets)
