"""The authors' functions on unusual inputs.

    python -m benchmarks.reference oddities [--quick] [--write]

Ties, masks of 0 and 1, a row without candidates, votes that are not symmetric, inputs on a grid:
each with their functions and with ours. `docs/paper_and_code.md` refers to the results.
"""

from dataclasses import dataclass

import numpy as np

from benchmarks.reference.environment import Environment
from benchmarks.reference.jobs import run_job
from benchmarks.results import provenance
from disambig import PartialLabelClassifier
from disambig.candidates import LabelSets
from disambig.datasets import make_concentric_circles
from disambig.exceptions import CandidateError
from disambig.losses import ZeroOneLoss
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization
from disambig.votes.dense import DenseVotes
from disambig.weights import NeighborWeights

__all__ = ["CYCLING", "Oddities", "measure", "report"]

_N_NEIGHBORS = 20
_MAX_SECONDS = 2.0
_COLUMNS = ["what is put in", "their functions", "ours"]

# Votes and candidates of four rows. If both half steps multiply by the votes, where the second
# should use their transpose, the iteration on these rows is periodic.
CYCLING = (
    np.array([[0, 1, 1, 0], [0, 1, 1, 1], [1, 0, 1, 1], [1, 0, 0, 1]], dtype=np.float64),
    np.array([[1, 1], [1, 0], [1, 1], [0, 1]], dtype=np.bool_),
)


@dataclass(frozen=True, eq=False)
class Oddities:
    """Results of both programs; without the authors' environment there are only ours.

    Attributes
    ----------
    circles : dict of str to array (seeds,)
        Shares of right labels on the circles, "ours" and "theirs".
    whole_numbers : dict of str to int
        Labels of 200 rows that are outside their sets, for a mask of 0 and 1.
    empty : dict of str to object
        Labels of 200 rows that change if one row has no candidate; and our error message.
    grid : dict of str to float
        Mean number of votes of a row for 2 nearest neighbours on a line of whole numbers.
    cycle : dict of str to bool
        Whether the run on `CYCLING` ends.
    """

    circles: dict[str, FloatArray]
    whole_numbers: dict[str, int]
    empty: dict[str, object]
    grid: dict[str, float]
    cycle: dict[str, bool]


def measure(environment: Environment | None, *, n_circles: int, seed: int = 0) -> Oddities:
    """Run both programs; without `environment` only ours."""
    circles, whole, empty, grid, cycle = {}, {}, {}, {}, {}
    problems = [make_concentric_circles(random_state=seed + t) for t in range(n_circles)]
    fitted = [
        PartialLabelClassifier(NeighborWeights(_N_NEIGHBORS), classes=[1, 2, 3, 4]).fit(
            X, candidates
        )
        for X, candidates, _ in problems
    ]
    circles["ours"] = np.array(
        [(m.labels_ == p.labels).mean() for m, p in zip(fitted, problems, strict=True)]
    )
    votes, mask = _cluster_problem(seed)
    loss = ZeroOneLoss().bind(np.arange(mask.shape[1]))
    found = AlternatingMinimization().solve(
        Problem(DenseVotes(votes), loss, LabelSets.from_mask(mask.astype(np.int64)))
    )
    whole["ours"] = _outside(mask, np.asarray(found.decoded.outputs))
    emptied = mask.copy()
    emptied[-1] = False
    try:
        LabelSets.from_mask(emptied)
        empty["ours"] = "no message"
    except CandidateError as error:
        empty["ours"] = str(error)
    line = np.arange(20.0)[:, np.newaxis]
    training = NeighborWeights(2).fit(line).training_votes() @ np.eye(20)
    grid["ours"] = float((training > 0).sum(axis=1).mean())
    alpha, sets = CYCLING
    ours = AlternatingMinimization().solve(
        Problem(DenseVotes(alpha), ZeroOneLoss().bind(np.arange(2)), LabelSets(sets, np.arange(2)))
    )
    cycle["ours"] = ours.converged
    if environment is not None:
        circles["theirs"] = np.array(
            [
                _circle_share(environment, X, candidates, labels)
                for X, candidates, labels in problems
            ]
        )
        right, _ = _labels(environment, votes, mask)
        numbers, _ = _labels(environment, votes, mask.astype(np.int64))
        whole["theirs"] = _outside(mask, numbers)
        without, _ = _labels(environment, votes, emptied)
        empty["theirs"] = int((without != right)[:-1].sum())
        empty["label"] = int(without[-1])
        weights = run_job(environment, "neighbor_votes", {"X": line, "queries": line, "k": 2})
        grid["theirs"] = float(weights["training"].sum(axis=1).mean())
        _, cycle["theirs"] = _labels(environment, alpha, sets)
    return Oddities(circles, whole, empty, grid, cycle)


def _cluster_problem(seed: int) -> tuple[FloatArray, BoolArray]:
    """Symmetric votes of neighbours among 200 points of three clusters, and their candidates."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(3), [67, 67, 66])
    X = rng.normal(size=(200, 2)) + 1.5 * np.eye(3, 2)[truth]
    mask = np.eye(3, dtype=np.bool_)[truth] | (rng.random((200, 3)) < 0.4)
    votes = NeighborWeights(10).fit(X).training_votes() @ np.eye(200)
    return (votes + votes.T) / 2, mask


def _outside(mask: BoolArray, labels: AnyArray) -> int:
    return int((~mask[np.arange(len(mask)), labels]).sum())


def _labels(environment: Environment, votes: FloatArray, mask: AnyArray) -> tuple[AnyArray, bool]:
    """Their labels, and whether their loop ended."""
    n, m = mask.shape
    arrays = {
        "votes": votes[np.newaxis],
        "sets": mask[np.newaxis],
        "rows": np.array([n]),
        "classes": np.array([m]),
        "limit": _MAX_SECONDS,
    }
    found = run_job(environment, "disambiguate", arrays)
    return found["labels"][0], bool(found["ended"][0])


def _circle_share(
    environment: Environment, X: FloatArray, candidates: BoolArray, labels: AnyArray
) -> float:
    arrays = {"X": X, "queries": X[:1], "k": _N_NEIGHBORS}
    votes = run_job(environment, "neighbor_votes", arrays)["training"]
    found, _ = _labels(environment, votes, candidates)
    return float((found + 1 == labels).mean())


def report(
    found: Oddities, *, environment: Environment | None, reason: str, command: str, seed: int
) -> str:
    """The section as Markdown; `reason` says why there is no environment."""
    authors = environment.describe() if environment is not None else f"not available. {reason}"
    about = provenance(command, seeds=f"from {seed}", more={"Authors' code": authors})
    rows = [
        _row(f"{len(found.circles['ours'])} draws of the four circles", *_circles(found)),
        _row("a mask of 0 and 1 in place of False and True, 200 rows", *_whole(found)),
        _row("the same rows, the last one without a candidate", *_empty(found)),
        _row("2 nearest neighbours, itself included, on a line of 20 whole numbers", *_grid(found)),
        _row("four rows and votes that are not symmetric", *_cycle(found)),
    ]
    return "\n\n".join(
        [
            "## What the authors' functions make of odd inputs",
            "Each input goes through the functions of the authors' wheel and through ours.",
            about,
            "\n".join([_row(*_COLUMNS), "|---|---|---|", *rows]),
        ]
    )


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _circles(found: Oddities) -> tuple[str, str]:
    def words(shares: FloatArray | None) -> str:
        if shares is None:
            return "–"
        return f"all right in {int((shares == 1).sum())}; {shares.mean():.1%} of the labels"

    return words(found.circles.get("theirs")), words(found.circles["ours"])


def _whole(found: Oddities) -> tuple[str, str]:
    ours, theirs = found.whole_numbers["ours"], found.whole_numbers.get("theirs")
    words = "{} labels outside their sets"
    return "–" if theirs is None else words.format(theirs), words.format(ours)


def _empty(found: Oddities) -> tuple[str, str]:
    ours = f"refused: “{found.empty['ours']}”"
    if "theirs" not in found.empty:
        return "–", ours
    label, changed = found.empty["label"], found.empty["theirs"]
    return f"class {label} for that row, and {changed} other labels change", ours


def _grid(found: Oddities) -> tuple[str, str]:
    ours, theirs = found.grid["ours"], found.grid.get("theirs")
    words = "{:g} neighbours a row"
    return "–" if theirs is None else words.format(theirs), words.format(ours)


def _cycle(found: Oddities) -> tuple[str, str]:
    def words(ended: bool | None) -> str:
        if ended is None:
            return "–"
        return "ends" if ended else f"goes round until it is stopped, here after {_MAX_SECONDS:g} s"

    return words(found.cycle.get("theirs")), words(found.cycle["ours"])
