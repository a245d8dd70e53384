"""The numbers of the paper's toy example with three labels."""

from collections.abc import Sequence

from reproduce.cache import Job, Payload
from reproduce.results import FigureResult
from reproduce.simplex import paper_example, simplex_picture


def simplex_jobs(*, quick: bool = False, seed: int = 0) -> list[Job]:
    """One job; it has nothing random, and is the same in the quick run.

    Examples
    --------
    >>> [job.name for job in simplex_jobs()]
    ['example of appendix C']
    """
    return [Job("simplex", "example of appendix C", simplex_losses, {})]


def simplex_losses() -> Payload:
    """The infimum loss of each prediction, and its loss under the average of the sets."""
    picture = simplex_picture(*paper_example(), steps=1)
    names = picture.loss.predictions.tolist()
    return {
        "predictions": names,
        "infimum": picture.infimum.tolist(),
        "average": (picture.loss.matrix @ picture.compatible.average).tolist(),
        "disambiguated": [names[z] for z in picture.disambiguated],
        "averaged": [names[z] for z in picture.averaged],
    }


def simplex_results(payloads: Sequence[Payload]) -> list[FigureResult]:
    """The infimum loss and the loss under the average of the sets, for each prediction."""
    found = []
    for payload in payloads:
        for key, quantity in (
            ("infimum", "infimum loss"),
            ("average", "loss under the average of the sets"),
        ):
            for name, value in zip(payload["predictions"], payload[key], strict=True):
                words = ("toy example", None, f"predict {name}", "fixed", quantity)
                found.append(FigureResult(*words, value, None, "exact"))
    return found
