"""The report of the rate experiments, as Markdown."""

import numpy as np

from benchmarks.results import provenance
from reproduce.rate_plan import APART, N_DRAWS, N_QUERIES, TOGETHER, Rates, pooled_slope
from reproduce.rates import RATE_METHODS, RatePoint

__all__ = ["report"]

_INFIMUM_START = "DF, infimum start"


def report(found: dict[str, Rates], command: str) -> str:
    """The section as Markdown."""
    more = {
        "Draws": f"{N_DRAWS} draws of the sets for each draw of the inputs, {N_QUERIES} new inputs",
        "Intervals": "errors ± one standard error over draws of the inputs; slopes: Poisson "
        "likelihood, 95 % by resampling whole draws of the inputs (1000 times)",
    }
    return "\n\n".join(
        [
            "## Exponential rates, seen",
            "Error at new inputs after n rows, with votes of `k = k0 n` neighbours. Classes that "
            "tie count as if chance decided. *Separated clusters*: four, one class each, every "
            "other class joins a set with probability eta. DF: alternating minimisation from the "
            "mean of each set, the default under the 0-1 loss; predictions from the relaxed "
            "targets. From the infimum start it ends in the same errors, except where a column "
            "shows others. 0: no error seen.",
            provenance(command, seeds="0", more=more),
            _slope_table(found),
            "IL and AC are wrong only where another class is in all k sets, both on the same "
            "queries; they are fitted where eta^k < .03. The theorem bounds the slope of DF from "
            "above. DF comes close to asking a whole cluster at once, unless neighbours are so few "
            "(2 to 4 at eta = .8) that the cluster splits into components; it is fitted where it "
            "errs.",
            *[f"**{_TITLES[name]}**\n\n{_error_table(rates)}" for name, rates in found.items()],
            "Label noise: AC goes to the wrong class, and takes DF along if it starts from the "
            "mean of each set; from the infimum start DF is right. Always together: the first "
            "cluster (*here*) stays a toss of a coin for everybody, the others (*elsewhere*) do "
            "not suffer from it.",
        ]
    )


_TITLES = {
    "rates": "Separated clusters, eta = .9, k0 = .04",
    "rates, second": "Separated clusters, eta = .8, k0 = .02",
    "label noise": "Label noise (10 classes, k0 = .2): .6 as {1, a random other}, .4 as {0}; 1 is "
    "the better prediction",
    "ordinal pairs": "Squared loss on three levels (k0 = .1): always 0, seen as {0, 2} in .9, else "
    "{0}",
    "always together": "As the first with eta = .8, but class 1 is in every set of cluster 0",
}


def _slope_table(found: dict[str, Rates]) -> str:
    lines = [
        "| eta | k0 | method | fitted on n | slope of log error | theorem: k0 log eta | "
        "whole cluster: log(1 - p(1 - eta)) |\n|---|---|---|---|---|---|---|"
    ]
    for rates in found.values():
        setting = rates.setting
        for method, slope in rates.slopes.items():
            lines.append(
                f"| {setting.distributions[0].eta:.1f} | {setting.k0:g} | {method} | "
                f"{slope.sizes[0]}-{slope.sizes[-1]} | {slope.slope:.5f} "
                f"[{slope.low:.5f}, {slope.high:.5f}] | {setting.slope:.5f} | "
                f"{pooled_slope(setting):.5f} |"
            )
    return "\n".join(lines)


def _error_table(rates: Rates) -> str:
    is_ambiguous = rates.setting.name == "always together"
    parts = {" here": TOGETHER, " elsewhere": APART} if is_ambiguous else {"": slice(None)}
    methods = [method for method in RATE_METHODS if method != _INFIMUM_START or _differs(rates)]
    heads = [f"{method}{part}" for method in methods for part in parts]
    lines = ["| n | k | draws | " + " | ".join(heads) + " |\n" + "|---" * (len(heads) + 3) + "|"]
    for point in rates.points:
        cells = [_cell(point, method, part) for method in methods for part in parts.values()]
        draws = len(point.n_predictions) * point.n_draws
        lines.append(f"| {point.n} | {point.k} | {draws:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _differs(rates: Rates) -> bool:
    return any(
        not np.allclose(point.wrong["DF"], point.wrong[_INFIMUM_START], rtol=1e-9)
        for point in rates.points
    )


def _cell(point: RatePoint, method: str, part: slice) -> str:
    error = point.error(method, part)
    return f"{error:.3g} ± {point.standard_error(method, part):.1g}" if error else "0"
