"""One input, three labels: the distributions that sets allow, and the smallest expected loss.

The distributions over three labels form a triangle. A loss divides it into regions, one for each
best prediction; a distribution over candidate sets allows a part of it. Disambiguation takes the
allowed distribution of the smallest expected loss. The default is the example of the paper's
appendix, in which "c" is in every set, but "a" is best under the average of the sets.

    python -m examples.simplex [--out docs/figures/simplex.png]
    python -m examples.simplex --loss squared --sets "a|c=3" "b|c" --out squared.png
"""

import argparse

import numpy as np

from disambig.candidates import LabelSets
from disambig.losses import AbstainLoss, OrdinalLoss, ZeroOneLoss
from disambig.theory.calibration import calibration_constants
from reproduce.figures import simplex_figure
from reproduce.simplex import paper_example, simplex_picture

LOSSES = {
    "zero_one": ZeroOneLoss(),
    "absolute": OrdinalLoss(power=1),
    "squared": OrdinalLoss(power=2),
    "abstain": AbstainLoss(0.4),
}


def read_sets(texts: list[str]) -> tuple[LabelSets, list[float]]:
    """Sets and their frequencies from texts such as ``a|c=3``; the default frequency is 1."""
    parts = [text.partition("=") for text in texts]
    sets = LabelSets.from_strings([part[0] for part in parts], classes=["a", "b", "c"])
    return sets, [float(part[2] or 1) for part in parts]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loss", choices=["paper", *LOSSES], default="paper")
    parser.add_argument("--sets", nargs="+", help="labels a, b, c, joined by |, and how often")
    parser.add_argument("--out", default="simplex.png")
    arguments = parser.parse_args()

    loss, sets, shares = paper_example()
    if arguments.loss != "paper":
        loss = LOSSES[arguments.loss].bind(sets.classes)
    if arguments.sets:
        sets, shares = read_sets(arguments.sets)
    picture = simplex_picture(loss, sets, shares)
    figure = simplex_figure(
        picture, title="What the sets leave possible, and what is smallest there"
    )
    figure.savefig(arguments.out, dpi=100)

    found = loss.well_behaved(sets)
    for members, measure in zip(found.sets, found.measures, strict=True):
        weights = None if measure.measure is None else np.round(measure.measure, 6) + 0.0
        print(f"Measure of {sorted(members)}: {'none' if weights is None else weights.tolist()}")
    for embedding in ("losses", "units"):
        constants = calibration_constants(loss, embedding)
        print(
            f"Calibration, embedding {embedding!r}: delta {constants.delta:.4f}, "
            f"c_phi {constants.c_phi:.4f}, c_psi {constants.c_psi:.4f}"
        )
    names = loss.predictions
    infimum = dict(zip(names.tolist(), picture.infimum.round(6).tolist(), strict=True))
    print(f"Infimum losses: {infimum}")
    print(f"Disambiguated: {names[list(picture.disambiguated)].tolist()}", end=", ")
    print(f"from the average of the sets: {names[list(picture.averaged)].tolist()}")
    print(f"Figure: {arguments.out}")


if __name__ == "__main__":
    main()
