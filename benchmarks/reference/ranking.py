"""The paper's ranking figure: our code, the authors' code, and an earlier run of it.

    python -m benchmarks.reference ranking [--quick] [--write]

Ten items whose scores are random lines, 20 training inputs, 50 queries on a grid; pairs far apart
in score are hidden (ten thresholds); four draws of the training inputs for the same lines; six
cells (bandwidth 1, .5; ridge n^-1/2 × 1000, 1, .001), of which each method takes the one with the
lowest error over the draws, as the authors do. Both programs get the same lines and inputs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.reference.environment import Environment
from benchmarks.reference.jobs import JobError, run_job
from benchmarks.results import provenance
from disambig.datasets import ScoreGapCorruption, make_ranking_lines
from disambig.datasets.corruptions.orders import information_left
from disambig.notation import FloatArray, IntArray
from reproduce.ranking import (
    BANDWIDTHS,
    LEVELS,
    N_ITEMS,
    N_QUERIES,
    N_TRAINING,
    pair_signs,
    ranking_ridges,
)
from reproduce.ranking_sweep import ranking_sweep
from reproduce.recorded import recorded_ranking

__all__ = ["LEVELS", "QUICK_LEVELS", "RankingErrors", "report", "run_draws"]

QUICK_LEVELS = LEVELS[3::3]
METHODS = ("df", "il", "ac")
_NAMES = {"df": "DF", "il": "IL", "ac": "AC"}
_MAX_SECONDS = 120.0
_EMPTY = "–"


@dataclass(frozen=True, eq=False)
class RankingErrors:
    """Errors and costs of both programs on the draws.

    `ours` and `theirs` are, by method, the shares of wrong pairs, (draws, cells, levels); `theirs`
    is None if a draw is missing. `left` is the share of pairs that are known in the training rows.
    """

    levels: tuple[float, ...]
    left: FloatArray
    ours: dict[str, FloatArray]
    theirs: dict[str, FloatArray] | None
    seconds: dict[str, float]
    their_seconds: dict[str, float]
    programs: int
    unended: tuple[int, int]
    failures: tuple[str, ...]

    @property
    def n_draws(self) -> int:
        """Number of training sets."""
        return len(self.ours["df"])


def shown_pairs(scores: FloatArray, levels: Sequence[float]) -> IntArray:
    """Their input, (levels, n, pairs): the signs of the pairs that are shown, without closure."""
    i, j = np.triu_indices(scores.shape[1], 1)
    found = []
    for level in levels:
        signs = np.zeros((len(scores), scores.shape[1], scores.shape[1]))
        shown = ~ScoreGapCorruption(level).hidden(scores)
        signs[:, i, j] = np.sign(scores[:, i] - scores[:, j]) * shown
        second, first = np.tril_indices(scores.shape[1], -1)
        found.append(signs[:, first, second])
    return np.array(found).astype(np.int8)


def run_draws(
    *,
    levels: Sequence[float],
    n_draws: int,
    seed: int,
    environment: Environment | None,
    print_line: Callable[[str], None] = print,
) -> RankingErrors:
    """Errors of all cells on `n_draws` training sets; without `environment` only ours."""
    rng = np.random.default_rng(seed)
    lines = rng.normal(size=(N_ITEMS, 2))
    test = make_ranking_lines(N_QUERIES, N_ITEMS, design="grid", lines=lines)
    truth = pair_signs(test.scores)
    ridges = ranking_ridges(N_TRAINING)
    ours: dict[str, list[FloatArray]] = {method: [] for method in METHODS}
    theirs: dict[str, list[FloatArray]] = {method: [] for method in METHODS}
    seconds: dict[str, float] = {}
    their_seconds: dict[str, float] = {}
    failures, left = [], []
    programs = unended = their_unended = 0
    for draw in range(n_draws):
        train = make_ranking_lines(N_TRAINING, N_ITEMS, lines=lines, random_state=rng)
        problems = [ScoreGapCorruption(level)(train.scores) for level in levels]
        left.append([information_left(orders) for orders in problems])
        with threadpool_limits(1):
            if draw == 0:  # The first call compiles.
                ranking_sweep(train.X, test.X, problems, BANDWIDTHS, ridges)
            run = ranking_sweep(train.X, test.X, problems, BANDWIDTHS, ridges)
        for method in METHODS:
            signs = pair_signs(-run.predictions[method].astype(np.float64))
            ours[method].append((signs != truth).mean(axis=(-2, -1)))
        _add(seconds, run.seconds)
        unended += run.unconverged
        line = f"draw {draw + 1} of {n_draws}: ours {sum(run.seconds.values()):.2f} s CPU"
        if environment is not None:
            inputs = {
                "X": train.X,
                "queries": test.X,
                "signs": shown_pairs(train.scores, levels),
                "bandwidths": np.array(BANDWIDTHS),
                "regularizations": np.array(ridges),
                "limit": _MAX_SECONDS,
                "seed": seed + draw,
            }
            try:
                found = run_job(environment, "ranking", inputs)
            except JobError as error:
                failures.append(f"draw {draw + 1}: {error}")
                line += f", authors: {error}"
            else:
                for method in METHODS:
                    theirs[method].append((found[method] != truth).mean(axis=(-2, -1)))
                spent = {k[8:]: float(v) for k, v in found.items() if k.startswith("seconds_")}
                _add(their_seconds, spent)
                programs += int(found["programs"])
                their_unended += int(found["unended"])
                line += f", authors {sum(spent.values()):.1f} s"
        print_line(line)
    complete = len(theirs["df"]) == n_draws
    return RankingErrors(
        levels=tuple(levels),
        left=np.array(left).mean(axis=0),
        ours={method: np.array(values) for method, values in ours.items()},
        theirs={m: np.array(values) for m, values in theirs.items()} if complete else None,
        seconds=seconds,
        their_seconds=their_seconds if complete else {},
        programs=programs,
        unended=(unended, their_unended),
        failures=tuple(failures),
    )


def _add(total: dict[str, float], spent: dict[str, float]) -> None:
    for part, value in spent.items():
        total[part] = total.get(part, 0.0) + value


def best_cell(errors: FloatArray, level: int) -> FloatArray:
    """Errors by draw of the cell with the lowest mean; `errors` is (draws, cells, levels)."""
    chosen: FloatArray = errors[:, errors[..., level].mean(axis=0).argmin(), level]
    return chosen


def report(
    result: RankingErrors,
    *,
    environment: Environment | None,
    reason: str,
    command: str,
    seed: int,
) -> str:
    """The section as Markdown; `reason` says why there is no environment."""
    authors = environment.describe() if environment is not None else f"not available. {reason}"
    about = provenance(
        command,
        seeds=f"{seed} (lines and inputs)",
        more={"Authors' code": authors, "Threads": "1 for both codes; CPU seconds"},
    )
    parts = [
        "## Ranking: the paper's figure, beside the authors' code",
        f"Share of wrong pairs at {N_QUERIES} queries, {N_ITEMS} items, {N_TRAINING} training "
        f"inputs, mean ± standard error over {result.n_draws} draws of these; the best of six "
        "cells for each method and level, chosen with the truth as the authors do. *Known*: "
        "pairs of the training rows that are shown or follow from what is shown. *Difference*: "
        "ours less theirs, draw by draw; negative is in our favour. Our AC is the mean over all "
        "linear extensions, theirs one random member. *Earlier*: their code on other lines and "
        "draws. At level 1 nothing is known: ours answers with the items as they are numbered, "
        "theirs with what its solver was left with by the problem before. The experiment is the "
        "second part of the script that comes with their wheel, rebuilt from its text.",
        about,
        _error_table(result),
        _verdict(result),
        "**CPU seconds**, all draws, cells and levels",
        _time_table(result),
        f"Disambiguations that did not end: ours {result.unended[0]}, theirs {result.unended[1]}. "
        "Ours batches all cells and levels of a draw, and predicts as `PartialRanker` does.",
    ]
    return "\n\n".join([*parts, *(f"Not finished: {failure}" for failure in result.failures)])


def _error_table(result: RankingErrors) -> str:
    head = ["level", "known", "method", "ours", "authors", "difference", "earlier"]
    rows = []
    for t, level in enumerate(result.levels):
        for method in METHODS:
            ours = best_cell(result.ours[method], t)
            row = [f"{level:.2f}", f"{100 * result.left[t]:.0f} %", _NAMES[method], _mean(ours)]
            if result.theirs is None:
                row += [_EMPTY, _EMPTY]
            else:
                theirs = best_cell(result.theirs[method], t)
                row += [_mean(theirs), _mean(ours - theirs, sign=True)]
            # Their AC is one random member.
            named = "ac_coded" if method == "ac" else method
            index = LEVELS.index(level) if level in LEVELS else -1
            earlier = recorded_ranking(index, named)
            rows.append([*row, _EMPTY if earlier is None else f"{earlier:.3f}"])
    return _table(head, rows)


def _verdict(result: RankingErrors) -> str:
    """Where our error is above theirs by more than a standard error, of both or of pairs."""
    if result.theirs is None:
        return "The authors' code: not available."
    beyond_both: list[str] = []
    beyond_paired: list[str] = []
    for method in ("df", "il"):
        for t, level in enumerate(result.levels):
            ours, theirs = (best_cell(code[method], t) for code in (result.ours, result.theirs))
            gap = ours - theirs
            if result.left[t] == 0 or gap.mean() <= _spread(gap):
                continue
            place = f"{_NAMES[method]} at {level:.2f} ({_mean(gap, sign=True)})"
            both = np.hypot(_spread(ours), _spread(theirs))
            (beyond_both if gap.mean() > both else beyond_paired).append(place)
    return (
        "DF and IL above theirs, levels where something is known: by more than the standard errors "
        f"of the two together: {', '.join(beyond_both) or 'nowhere'}; within these, but by more "
        f"than that of the difference: {', '.join(beyond_paired) or 'nowhere'}."
    )


def _time_table(result: RankingErrors) -> str:
    rows = []
    parts = [*result.seconds, "all"]
    for part in parts:
        ours, theirs = (
            sum(seconds.values()) if part == "all" else seconds.get(part, float("nan"))
            for seconds in (result.seconds, result.their_seconds)
        )
        row = [f"**{part}**" if part == "all" else part, f"{ours:.3f}"]
        if not result.their_seconds:
            rows.append([*row, _EMPTY, _EMPTY])
            continue
        rows.append([*row, f"{theirs:.2f}", f"{theirs / ours:.0f} ×"])
    head = ["part", "ours", f"authors ({result.programs} linear programs)", "authors / ours"]
    return _table(head, rows)


def _spread(values: FloatArray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def _mean(values: FloatArray, *, sign: bool = False) -> str:
    return f"{values.mean():{'+' if sign else ''}.3f} ± {_spread(values):.3f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
