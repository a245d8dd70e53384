"""Exponential rates: errors against the number of rows, with slopes compared with the theorem.

Separated clusters with ``k = k0 n`` neighbours, to which the theorem applies; two distributions
under which the average of candidates is wrong at every n; a cluster in which two classes are always
candidates together. The run takes some six minutes on one thread.

    python -m benchmarks.rates [--write] [--quick] [--plot FILE]
"""

import argparse
from pathlib import Path

from benchmarks.results import write_section
from reproduce.rate_plan import N_DRAWS, N_QUERIES, Rates, rate_plan, rate_slopes
from reproduce.rates import RATE_METHODS, measure_rate

__all__ = ["main", "run"]


def run(*, quick: bool = False) -> dict[str, Rates]:
    """All settings; the quick run has a twentieth of the draws."""
    found = {}
    for name, (setting, sizes) in rate_plan().items():
        points = []
        for n, n_inputs in sizes.items():
            inputs = max(2, n_inputs // 20) if quick else n_inputs
            point = measure_rate(setting, n, n_inputs=inputs, n_draws=N_DRAWS, n_queries=N_QUERIES)
            print(name, n, {method: f"{point.error(method):.2e}" for method in RATE_METHODS})
            points.append(point)
        found[name] = Rates(setting, points, rate_slopes(name, points))
    return found


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the draws")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the figure into FILE")
    options = parser.parse_args(arguments)
    from benchmarks.rates_report import report

    found = run(quick=options.quick)
    command = "python -m benchmarks.rates" + (" --quick" if options.quick else "")
    text = report(found, f"{command} --write")
    if options.plot:
        from benchmarks.rates_figure import draw

        draw(found, options.plot)
    if options.write:
        write_section("rates", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
