"""What the triangle of the paper's toy example says, in numbers."""

from collections.abc import Sequence

from reproduce.cache import Payload, Piece
from reproduce.readings import Reading
from reproduce.simplex import paper_example, simplex_picture


def simplex_pieces(*, quick: bool = False, seed: int = 0) -> list[Piece]:
    """One piece; nothing in it is random, and it is the same in the quick run.

    Examples
    --------
    >>> [piece.name for piece in simplex_pieces()]
    ['example of appendix C']
    """
    return [Piece("simplex", "example of appendix C", measured, {})]


def measured() -> Payload:
    """Infimum losses, and losses under the average of the sets, of each prediction."""
    picture = simplex_picture(*paper_example(), steps=1)
    names = picture.loss.predictions.tolist()
    return {
        "predictions": names,
        "infimum": picture.infimum.tolist(),
        "average": (picture.loss.matrix @ picture.compatible.average).tolist(),
        "disambiguated": [names[z] for z in picture.settled],
        "averaged": [names[z] for z in picture.averaged],
    }


def simplex_readings(payloads: Sequence[Payload]) -> list[Reading]:
    """One number for each prediction and either way of reading the sets."""
    found = []
    for payload in payloads:
        for key, quantity in (
            ("infimum", "infimum loss"),
            ("average", "loss under the average of the sets"),
        ):
            for name, value in zip(payload["predictions"], payload[key], strict=True):
                words = ("toy example", None, f"predict {name}", "fixed", quantity)
                found.append(Reading(*words, value, None, "exact"))
    return found
