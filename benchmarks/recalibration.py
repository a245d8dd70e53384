"""Which map recalibrates confidences best, by the number of answers.

Confidences are drawn from two distributions, and the probability of being right is one of seven
functions of them: 14 cases, two of them with confidences that are calibrated already. The number
is ``E |map(c) - P(right | c)|``: the mean and the worst of the cases, each a mean over the draws.
The limits and the prior of `disambig.trust.recalibration` come from this table. Five minutes.

    python -m benchmarks.recalibration [--write] [--quick]
"""

import argparse
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression

from benchmarks.results import provenance, write_section
from disambig.notation import BoolArray, FloatArray
from disambig.trust.recalibration import fit_recalibration

ANSWERS = (5, 10, 25, 50, 100, 200, 400, 1000)
Map = Callable[[FloatArray], FloatArray]


def _logits(c: FloatArray) -> FloatArray:
    return np.asarray(logit(np.clip(c, 1e-3, 1 - 1e-3)))


RIGHT: dict[str, Map] = {
    "calibrated": lambda c: c,
    "too high by .2": lambda c: np.clip(c - 0.2, 0.02, 1),
    "logits too large": lambda c: expit(_logits(c) / 2.5),
    "logits shifted": lambda c: expit(_logits(c) - 1),
    "square": lambda c: 0.95 * c**2,
    "step": lambda c: np.where(c > 0.8, 0.95, 0.45),
    "too low": lambda c: expit(1.8 * _logits(c) + 0.3),
}
DRAWS: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "beta": lambda rng, n: rng.beta(4, 1, n),
    "half near 1": lambda rng, n: np.where(
        rng.uniform(size=n) < 0.5, 1 - rng.beta(1, 60, n), rng.beta(3, 2, n)
    ),
}


def smoothed_targets(confidence: FloatArray, right: BoolArray) -> Map:
    """Platt's map without a prior, fitted to ``(R + 1) / (R + 2)`` and ``1 / (W + 2)``."""
    z, n_right = _logits(confidence), right.sum()
    n_wrong = len(right) - n_right
    targets = np.where(right, (n_right + 1) / (n_right + 2), 1 / (n_wrong + 2))

    def loss(ab: FloatArray) -> float:
        u = ab[0] + ab[1] * z
        return float(np.sum(np.logaddexp(0, u) - targets * u))

    bounds = [(-20, 20), (0, 20)]
    a, b = minimize(loss, [0.0, 1.0], method="L-BFGS-B", bounds=bounds).x
    return lambda c: np.asarray(expit(a + b * _logits(c)))


def plain_isotonic(confidence: FloatArray, right: BoolArray) -> Map:
    """scikit-learn's isotonic regression as it is."""
    fitted = IsotonicRegression(out_of_bounds="clip").fit(confidence, right)
    return lambda c: np.asarray(fitted.predict(c))


METHODS: dict[str, Callable[[FloatArray, BoolArray], Map]] = {
    "identity": lambda c, right: lambda x: x,
    "Platt, with his targets": smoothed_targets,
    "Platt, with a prior": lambda c, right: fit_recalibration(c, right, method="platt"),
    "isotonic": plain_isotonic,
    "isotonic, shrunk": lambda c, right: fit_recalibration(c, right, method="isotonic"),
}


def errors(n_answers: int, n_draws: int) -> dict[str, FloatArray]:
    """``E |map(c) - P(right | c)|`` of every method in every case."""
    found: dict[str, list[float]] = {name: [] for name in METHODS}
    for right_of in RIGHT.values():
        for draw in DRAWS.values():
            gaps: dict[str, list[float]] = {name: [] for name in METHODS}
            for seed in range(n_draws):
                rng = np.random.default_rng([seed, n_answers])
                confidence, others = draw(rng, n_answers), draw(rng, 2000)
                right = rng.uniform(size=n_answers) < right_of(confidence)
                for name, fit in METHODS.items():
                    values = fit(confidence, right)(others)
                    gaps[name].append(float(np.abs(values - right_of(others)).mean()))
            for name in METHODS:
                found[name].append(float(np.mean(gaps[name])))
    return {name: np.array(values) for name, values in found.items()}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="few answers and draws")
    options = parser.parse_args(arguments)
    n_draws = 2 if options.quick else 30
    lines = ["| answers | " + " | ".join(METHODS) + " |", "|---" * (len(METHODS) + 1) + "|"]
    for n_answers in ANSWERS[:3] if options.quick else ANSWERS:
        found = errors(n_answers, n_draws)
        cells = [f"{values.mean():.3f} / {values.max():.3f}" for values in found.values()]
        lines.append(f"| {n_answers} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    command = "python -m benchmarks.recalibration"
    text = (
        "## Recalibration of confidences by answers\n\n"
        "The mean and the worst of 14 made-up cases of ``E |map(c) - P(right | c)|``.\n\n"
        f"{provenance(command, seeds=f'0 to {n_draws - 1}')}\n\n" + "\n".join(lines) + "\n"
    )
    if options.write:
        write_section("recalibration", text)


if __name__ == "__main__":
    main()
