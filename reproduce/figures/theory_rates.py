"""The rate experiments as one figure: settings inside and outside the conditions of the theorem."""

from collections.abc import Mapping
from dataclasses import replace
from textwrap import fill

import numpy as np
from matplotlib.figure import Figure

from reproduce.figures.rate_panels import RateBound, RateCurve, RatePanel
from reproduce.figures.rates import rates_figure
from reproduce.rate_plan import APART, TOGETHER, Rates, pooled_slope
from reproduce.slopes import Slope


def theory_rates_figure(found: Mapping[str, Rates], *, narrow: bool = False) -> Figure:
    """Four panels with the errors in the settings of `reproduce.rate_plan`.

    Parameters
    ----------
    found : mapping from str to Rates
        Keys are the names of `rate_plan`; "rates, second" is not drawn.
    narrow : bool
        One panel above the other, for narrow screens, with shorter labels in the first.
    """
    panels = [
        _narrow_rates(found["rates"]) if narrow else _rates(found["rates"]),
        _label_noise(found["label noise"]),
        _ordinal_pairs(found["ordinal pairs"]),
        _always_together(found["always together"]),
    ]
    title = "Errors fall exponentially with the number of rows, where the theory says so"
    notes = [
        "bars: two standard errors over draws of the inputs",
        "hollow at the bottom: no error seen",
        "ties count as if chance decided",
    ]
    if not narrow:
        return rates_figure(panels, title=title, note="; ".join(notes))
    notes = ["numbers: fall of the log error per 100 rows, 95% interval", *notes]
    return rates_figure(panels, title=fill(title, 45), note="\n".join(notes), narrow=True)


def _rates(rates: Rates) -> RatePanel:
    setting = rates.setting
    df, il = rates.slopes.get("DF"), rates.slopes.get("IL")
    pooled = pooled_slope(setting)
    bounds = []
    if il is not None:
        start, stop = il.sizes[0], il.sizes[-1]
        words = f"theorem: {_per_hundred(setting.slope)} per 100 rows, $k_0 |\\log \\eta|$"
        above = (start, 2.0 * float(il.error(np.array(start))))
        bounds.append(RateBound(words, setting.slope, above, stop, (1310, 0.014)))
    if df is not None:
        words = f"a whole cluster at once: {_per_hundred(pooled)} per 100 rows\n"
        above = (100, 2.0 * float(df.error(np.array(100))))
        words += "$-\\log(1 - p(1 - \\eta))$"
        bounds.append(RateBound(words, pooled, above, 350, (185, 0.026)))
    return RatePanel(
        "separated clusters, every wrong class in "
        f"{100 * setting.distributions[0].eta:.0f}% of the sets, k = {setting.k0:g} n neighbours",
        rates.points,
        [
            RateCurve("full supervision", "full supervision: no error at all", (1300, 3.6e-5)),
            RateCurve("DF", f"disambiguation{_fall(df)}", (345, 4.2e-4), slope=df),
            RateCurve("IL", f"infimum loss{_fall(il)}", (690, 3.2e-3), slope=il),
            RateCurve(
                "AC", "average of candidates (triangles): the same errors", (380, 0.26), hollow=True
            ),
        ],
        floor=1e-5,
        bounds=bounds,
    )


def _narrow_rates(rates: Rates) -> RatePanel:
    """The same curves and bounds as in `_rates`, with shorter names at other places."""
    wide = _rates(rates)
    df, il = rates.slopes.get("DF"), rates.slopes.get("IL")
    names = {
        "full supervision": ("full supervision: no error", (900, 3.6e-5)),
        "DF": (f"disambiguation{_numbers(df)}", (370, 2e-4)),
        "IL": (f"infimum loss{_numbers(il)}", (530, 1.7e-3)),
        "AC": ("average of candidates\n(triangles): the same", (560, 0.2)),
    }
    places = {rates.setting.slope: (1290, 0.02), pooled_slope(rates.setting): (230, 0.02)}
    words = {rates.setting.slope: "theorem", pooled_slope(rates.setting): "whole cluster"}
    setting = rates.setting
    return replace(
        wide,
        title=f"separated clusters, k = {setting.k0:g} n neighbours,\n"
        f"every wrong class in {100 * setting.distributions[0].eta:.0f}% of the sets",
        curves=[
            replace(curve, name=names[curve.method][0], at=names[curve.method][1])
            for curve in wide.curves
        ],
        bounds=[
            replace(
                bound,
                name=f"{words[bound.slope]}: {_per_hundred(bound.slope)}",
                at=places[bound.slope],
            )
            for bound in wide.bounds
        ],
    )


def _numbers(slope: Slope | None) -> str:
    """How fast the log error falls, in numbers only; empty without a slope."""
    if slope is None:
        return ""
    mean, least, most = _interval(slope)
    return f": {mean}\n[{least}, {most}]"


def _fall(slope: Slope | None) -> str:
    """How fast the log error falls, with its interval; empty without a slope."""
    if slope is None:
        return ""
    mean, least, most = _interval(slope)
    return f": log error falls by\n{mean} [{least}, {most}] per 100 rows"


def _interval(slope: Slope) -> list[str]:
    """The slope and the ends of its interval, all with as many digits as the slope."""
    return [_per_hundred(value, slope.slope) for value in (slope.slope, slope.high, slope.low)]


def _per_hundred(slope: float, like: float | None = None) -> str:
    digits = 3 if (slope if like is None else like) > -0.01 else 2
    return f"{-100 * slope:.{digits}f}"


def _label_noise(rates: Rates) -> RatePanel:
    return RatePanel(
        "noisy labels, seen more or less precisely",
        rates.points,
        [
            RateCurve("AC", "average of candidates", (400, 0.86)),
            RateCurve("DF", "disambiguation\nfrom that average", (100, 0.50)),
            RateCurve("IL", "infimum loss", (620, 0.065)),
            RateCurve(
                "DF, infimum start",
                "disambiguation\nfrom infimum loss",
                (560, 0.19),
                leader=420,
            ),
        ],
    )


def _ordinal_pairs(rates: Rates) -> RatePanel:
    return RatePanel(
        "squared loss: 0, seen as {0, 2} or {0}",
        rates.points,
        [
            RateCurve("AC", "average of candidates says 1", (130, 0.90)),
            RateCurve("IL", "infimum loss", (120, 0.14)),
            RateCurve("DF", "disambiguation", (45, 0.42)),
        ],
    )


def _always_together(rates: Rates) -> RatePanel:
    last = rates.points[-1].n
    return RatePanel(
        "two classes in every set of one cluster",
        rates.points,
        [
            RateCurve("IL", "", (200, 0.5), clusters=TOGETHER),
            RateCurve("DF", "", (200, 0.5), clusters=TOGETHER),
            RateCurve("DF", "elsewhere:\ndisambiguation", (165, 6e-4), clusters=APART),
            RateCurve("IL", "elsewhere:\ninfimum loss", (470, 0.025), clusters=APART),
        ],
        floor=1e-5,
        bounds=[RateBound("there: a toss of a coin", 0.0, (50, 0.5), last, (390, 0.17))],
    )
