"""Losses with an embedding, compared with the enumeration of all outputs."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.checks.contract import Contract
from disambig.exceptions import MissingOracleError
from disambig.losses.protocol import ExactInfimum, Faces
from disambig.notation import BoolArray, FloatArray
from disambig.votes import as_votes

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Enumerated:
    """A loss with all its outputs, and sets of targets.

    Attributes
    ----------
    loss : Loss
    psi : float array (P, p)
        Embeddings of all predictions.
    phi : float array (K, p)
        Embeddings of all targets.
    candidates : object
        n sets.
    inside : bool array (n, K)
        Which targets each set has.
    """

    loss: Any
    psi: FloatArray
    phi: FloatArray
    candidates: Any
    inside: BoolArray

    @property
    def table(self) -> FloatArray:
        """``loss(z, y)`` of all predictions and targets, ``(P, K)``."""
        return self.psi @ self.phi.T


def check_minimisers(
    contract: Contract, case: Enumerated, rng: np.random.Generator, *, ties: bool
) -> None:
    """Both minimisers return all targets of least cost, for scores as problems have them."""
    n = len(case.inside)
    # Integers, so that many scores tie.
    votes = rng.integers(-1, 3, (n, 4)) * 1.0 if ties else rng.normal(size=(n, 4))
    tolerance = np.full(n, 1e-10)
    to_predict = votes @ case.phi[rng.integers(0, len(case.phi), 4)]
    to_choose = votes @ case.psi[rng.integers(0, len(case.psi), 4)]
    everything = np.ones((n, len(case.psi)), dtype=np.bool_)
    for name, faces, table, scores, allowed in (
        (
            "best_prediction",
            case.loss.best_prediction(to_predict, tolerance),
            case.psi,
            to_predict,
            everything,
        ),
        (
            "best_candidate",
            case.loss.best_candidate(to_choose, case.candidates, tolerance),
            case.phi,
            to_choose,
            case.inside,
        ),
    ):
        _check_faces(contract, name, faces, table, scores, allowed)


def _check_faces(
    contract: Contract,
    name: str,
    faces: Faces,
    table: FloatArray,
    scores: FloatArray,
    allowed: BoolArray,
) -> None:
    contract.holds(
        len(faces) == len(scores),
        f"{name} returned {len(faces)} faces for {len(scores)} rows of scores.",
    )
    costs = np.where(allowed, scores @ table.T, np.inf)
    least = costs.min(axis=1)
    first = faces.first().embedded
    contract.close(
        np.einsum("ip,ip->i", first, scores),
        least,
        f"the cost of what {name} returns",
        reason="the least cost by enumeration",
        atol=_ROUNDING,
    )
    tied = costs <= least[:, None] + _ROUNDING
    for row, members in enumerate(tied):
        vertices = table[members]
        contract.holds(
            np.isclose(vertices, first[row], rtol=0, atol=1e-12).all(axis=1).any(),
            f"{name}: row {row} has a vertex that is none of its best outputs.",
        )
        contract.close(
            faces.embedded[row],
            vertices.mean(axis=0),
            f"the embedding of row {row} of {name}",
            reason=f"the mean of the {len(vertices)} outputs of least cost",
            atol=1e-12,
        )
        # Outputs with equal embeddings are one vertex or several: both are right.
        single, equal = len(vertices) == 1, (np.ptp(vertices, axis=0) <= 1e-12).all()
        contract.holds(
            bool(faces.is_vertex[row]) == single or equal > single,
            f"{name}: is_vertex of row {row} is {bool(faces.is_vertex[row])}, but "
            f"{len(vertices)} outputs have the least cost.",
        )


def check_starts(contract: Contract, case: Enumerated) -> None:
    """The average start is the mean of the losses over each set; an unknown start is refused."""
    start = case.loss.start(case.candidates, "average")
    contract.holds(
        np.shape(start) == (len(case.inside), case.psi.shape[1]),
        f"start(..., 'average') has shape {np.shape(start)}; expected one row for each set and "
        f"{case.psi.shape[1]} columns.",
    )
    expected = np.array([case.table[:, members].mean(axis=1) for members in case.inside])
    found = start @ case.psi.T
    # A constant for each row changes no prediction.
    found, expected = (one - one[:, :1] for one in (found, expected))
    contract.close(
        found,
        expected,
        "the loss of predictions to start(..., 'average')",
        reason="the mean loss to the members of each set, up to a constant for each row",
        atol=1e-10 * max(1.0, float(np.abs(case.table).max())),
    )
    contract.refuses(
        lambda: case.loss.start(case.candidates, "no such start"),
        (ValueError, MissingOracleError),
        "start(..., 'no such start')",
    )
    largest = float(np.abs(case.table).max())
    contract.holds(
        case.loss.magnitude(case.candidates) >= largest * (1 - 1e-12),
        f"magnitude is {case.loss.magnitude(case.candidates)}, but a loss of {largest} occurs.",
    )


def check_infimum(contract: Contract, case: Enumerated, rng: np.random.Generator) -> None:
    """The infimum prediction minimises the infimum loss, if the loss offers it."""
    if not isinstance(case.loss, ExactInfimum):
        return
    alpha = rng.normal(size=(4, len(case.inside)))
    lowest = np.array([case.table[:, members].min(axis=1) for members in case.inside])
    highest = np.array([case.table[:, members].max(axis=1) for members in case.inside])
    # A negative vote takes the worst member.
    costs = np.maximum(alpha, 0) @ lowest + np.minimum(alpha, 0) @ highest
    with suppress(MissingOracleError):
        faces = case.loss.infimum_prediction(as_votes(alpha), case.candidates, 1e-10)
        gaps = np.abs(case.psi[None] - faces.first().embedded[:, None]).max(axis=2)
        contract.close(
            costs[np.arange(4), gaps.argmin(axis=1)],
            costs.min(axis=1),
            "the infimum loss of infimum_prediction",
            reason="the least infimum loss by enumeration",
            atol=_ROUNDING * max(1.0, float(np.abs(costs).max())),
        )
