"""What is said about each figure of the paper: what it shows, and where ours differs and why."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Caption:
    """Words around a figure.

    Attributes
    ----------
    title, lead : str
    paragraphs : sequence of str
    differences : sequence of str
        Where definitions or results differ from the authors', each with its reason.

    Notes
    -----
    The words are the same for every run: a finding names the run that it is of, because other
    seeds, quick runs and data that stand in need not show it.
    """

    title: str
    lead: str
    paragraphs: Sequence[str]
    differences: Sequence[str]


_CAPTIONS = {
    "interval": Caption(
        "Interval regression",
        "Ten points of a sine wave are known up to an interval, and the interval tends to reach "
        "away from zero. What regression comes back?",
        (
            "The curves are those of one seed (0 is the published one), by the three methods as "
            "their program computes them, each at the best of three ridges. The list has all "
            "readings of the "
            "same problem. A filled circle has its ridge chosen by the true error, as published; a "
            "square by the distance of leave-one-out predictions to their intervals, which needs "
            "no truth; a diamond is the library's default, with nothing chosen at all. A black "
            "bar is what the authors' own code gave on the seeds 0 to 99.",
            "In the full run with seed 0, the weights and the stopping decide more than the "
            "principle. Ridges chosen by the truth: with votes divided by their sum, as published, "
            "disambiguation is far ahead of averaging; with the votes of the released program the "
            "plain average ties with it; with an intercept averaging is ahead. Chosen without the "
            "truth, in the same run, disambiguation is ahead of averaging under all three kinds of "
            "votes.",
        ),
        (
            "As coded, disambiguation repeats y ← P(A A y) without the divisors of exact steps and "
            "stops when no target moves by 1e-5. In the full run with seed 0, at the smallest "
            "ridge, that is far from the minimum of what it iterates, and run to its optimum the "
            "same program errs more. The library solves the convex program and certifies it.",
            "The published numbers divide votes by their sum, the released program does not. Both "
            "are shown.",
            "The infimum loss as coded takes radii off squared distances and lets negative votes "
            "see the nearest member of an interval. In the full run with seed 0, the exact one is "
            "worse where votes are negative and do not sum to one, and useful with an intercept.",
            "Differences from the authors' numbers are measured against both standard errors, as "
            "if the runs shared nothing, which is lenient: from seed 0 on both have the same "
            "seeds. In the full run with seed 0 all six means are within .001 of theirs, and so "
            "are the three errors in the legend of the curves.",
        ),
    ),
    "classification": Caption(
        "Classification",
        "Labels are hidden in sets, more and more of them. Which method still finds the classes?",
        (
            "There are two corruptions, nearly opposite, and the axis is their probability. In the "
            "paper's text it is that of a row to become {its class, the most frequent class}; in "
            "its program only rows of the most frequent class become ambiguous, and it is that of "
            "each other class to join.",
            "And there are two ways to choose. “Best by truth” is the best of nine pairs "
            "of bandwidth and ridge by the true error of the held-out rows, as published. “Chosen "
            "by sets” is the pair whose held-out predictions lie inside the sets most often, which "
            "needs no truth. The library's default sees neither the grid nor the truth; it "
            "is the same under both, and is run on fewer folds of large data and on one draw (the "
            "table says on how many).",
            "Bars are standard errors over the eight folds of errors that are means over the draws "
            "of the sets. Folds share training rows, and do not tell how much another draw of the "
            "sets would change: read them as a guide.",
            "In the full run with seed 0, choosing without the truth costs at most .01 in most "
            "places up to 80%, for disambiguation, the infimum loss as coded and the average; at "
            "90% it costs more.",
        ),
        (
            "The authors' numbers are from one draw on other folds: differences of a standard "
            "error or two mean nothing. A quick run has one draw as well, so that the spread "
            "between draws is not in its standard errors and more numbers stand out. Another "
            "comparison has equal folds and draws (in a checkout: "
            "`python -m benchmarks.reference classification`): there both codes predicted the "
            "same labels for bandwidths d and d/10.",
            "On svmguide2 at bandwidth d/100 the largest vote of a held-out row is below 1e-30 "
            "for most rows, and the nearest row decides alone. Where its set has one class both "
            "codes agree; where it has several these tie up to rounding, and the codes, which "
            "compute votes by other means, break the tie otherwise. So in the full run with seed 0 "
            "the infimum loss as coded is lower than the authors' at 80% and 90% of their "
            "program's corruption: its best cell is one of these.",
            "The infimum loss of their program is right for votes that are not negative, and "
            "kernel ridge has negative ones. “IL, exact” takes the worst member of a set where a "
            "vote is negative, as the formula says. On dna and svmguide2, full run with seed 0: it "
            "is far better under their program's corruption at high levels, far worse under that "
            "of the text. The average of candidates is linear in the votes, so that theirs is "
            "exact.",
            "The paper gives dna 4000 rows; its training part has 2000. The printed corruption "
            "level is the chance of the singleton; here and on the axis of the figure it is that "
            "of the pair. At level 1 their program makes every row the whole set; we stop at .9.",
        ),
    ),
    "semi-supervised": Caption(
        "Semi-supervised learning",
        "Four labelled points, two thousand without a label, four circles. Do labels travel along "
        "their circle if all points are settled together?",
        (
            "Colours show which class a method predicts at each place of the plane. "
            "Disambiguation joins each point to its 20 nearest; the infimum loss, which settles "
            "every place on its own, sees the four labelled points alone.",
            "In the full run with seed 0, disambiguation gets all labels of all seeds right at "
            "2000 points, where the 20 nearest points are on the same circle. At 1000 points some "
            "are not, and every variant with 20 neighbours loses labels across such edges; the "
            "library's default, which takes 10 where so few rows say anything, loses few. The "
            "table has both sizes.",
        ),
        (
            "The function that the authors released gives every tie to the first class; run "
            "apart from this, on twenty seeds, it recovered none. What is drawn in the paper kept "
            "ties. The library keeps them as undecided until a neighbour decides.",
            "Ours averages over several seeds; the authors' two numbers are from one run.",
            "The smoothing has no negative votes, so that the infimum loss as coded is the exact "
            "one, up to rounding: their program writes a row without a label as ones, among which "
            "the faint votes of the four labelled points can drown. Here such a row has no vote.",
            "The paper prints the label as x₁² + x₂², without the root, and its Gaussian without "
            "the minus; taken here as they must be meant.",
        ),
    ),
    "ranking": Caption(
        "Ranking",
        "Ten items in orders of which pairs are hidden, those far apart first. How many pairs of "
        "new orders come out wrong?",
        (
            "The orders are those of ten random lines at twenty inputs. One panel has the "
            "best of six pairs of bandwidth and ridge by the true error over four draws of the "
            "inputs, as published, the other the pair that gets the fewest known pairs of held-out "
            "rows wrong. "
            "In the full run with seed 0, the choice without the truth is hard: the pairs that are "
            "shown are close in score, and say little about those that are hidden.",
            "In the same run the library's default errs more than the others where little is "
            "hidden, and least of those that see no truth where much is. "
            "At 100% nothing is known: any answer is a guess, and the default refuses.",
        ),
        (
            "The authors' numbers are from one set of lines, other than ours; the difference is "
            "measured by the spread between our sets. Another comparison has the same lines "
            "(in a checkout: `python -m benchmarks.reference ranking`): there both codes agreed "
            "within standard errors.",
            "The infimum loss is not exact in either code: both alternate between orders and "
            "members of the sets, theirs from the known pairs, ours also from the mean of each "
            "set, and the lower end counts. An exact one is out of reach for ten items.",
            "Their average takes one random member of each set. “AC, exact” is the mean over all "
            "orders that a row allows.",
            "The level is not the share of hidden pairs. In the full run with seed 0, their "
            "thresholds at 50% hide 29% of the pairs (37% on the lines of the authors' run), of "
            "which nearly all follow from the others. The last point of the published "
            "figure was set by hand; theirs is not shown.",
            "The linear program of the paper is exact up to five items, not six; ours decodes all "
            "ten exactly, by dynamic programming.",
        ),
    ),
    "simplex": Caption(
        "The triangle of distributions",
        "One input, three labels: what the sets leave possible, and what is smallest there.",
        (
            "Each point of the triangle is a distribution over three labels. A loss divides it "
            "into regions of one best prediction each; the sets leave a part of it possible. "
            "Disambiguation takes the possible distribution of the smallest expected loss, which "
            "lies in a corner where one label explains everything. The average of the sets lies "
            "elsewhere, and calls for another label.",
        ),
        (
            "In the paper's table of this example the measure of {a, c} should put half on a and "
            "half on c; as printed, all three labels tie.",
        ),
    ),
    "rates": Caption(
        "Exponential rates",
        "Where sets are never ambiguous for good, the theorem has errors fall exponentially with "
        "the number of rows. Where they are, no number of rows can help.",
        (
            "Top: four separated clusters and k = k₀ n neighbours. In the full run with seed 0, "
            "the error of the infimum loss falls as fast as the theorem's bound, and that of "
            "disambiguation much faster, because it asks a whole cluster at once. Below: two laws "
            "under which the average of candidates is wrong in the limit of many rows, and one in "
            "which two classes always come together, so that nothing tells them apart.",
        ),
        (
            "The paper has the theorem and no figure of it, so there are no numbers of the authors "
            "to compare with. The theorem bounds the slope from above; it is no claim that "
            "disambiguation has it.",
        ),
    ),
}


def caption(figure: str) -> Caption:
    """The words of a figure, by its name.

    Examples
    --------
    >>> caption("ranking").title
    'Ranking'
    """
    return _CAPTIONS[figure]
