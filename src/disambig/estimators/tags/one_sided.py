"""Tags of which only one value is ever known: positives without negatives, or the reverse.

Where only positives are listed, "on everywhere" agrees with every row; where candidates are listed,
so that only negatives are known, "off everywhere" does. What is known then cannot say how frequent
a tag is. It takes one number for each tag beside it, its frequency.

A value is *recorded* or not. Assume that of the rows that have the value, each is recorded with the
same probability c, whatever its inputs are. With ``h(x)`` the probability that the value is
recorded at x, ``h(x) / c`` is the probability that it is true, and ``c`` is the share of recorded
rows divided by the frequency of the value (Elkan and Noto, 2008). If nobody gives the frequency, c
comes from h at recorded rows, by models that have not seen them. Where the inputs tell the value
for sure, h is c there; elsewhere it is less. So c is the mean over the half of the recorded rows
where h is largest.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from disambig.candidates import PartialBits
from disambig.candidates.labels.classes import listed, positions, preview
from disambig.estimators.held_out.tag_shares import tag_frequencies
from disambig.exceptions import NoInformationError, warn
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.parameters import check_number

_N_BISECTIONS = 60
# The share of the probabilities of being recorded, so that their order is that of the result.
_NUDGE = 1e-9
# Of a row that is not recorded, if all rows that have the value are.
_TINY = 1e-12
# A tag that is never off with a smaller probability by chance is named.
_CHANCE = 0.01


@dataclass(frozen=True, eq=False)
class OneSidedTags:
    """Which tags are one-sided, and how frequent they are.

    Attributes
    ----------
    values : int8 array (m,)
        The recorded value, 1 or 0, of tags of which no row is known to have the other one, beside
        rows that do not know it; -1 for other tags.
    recorded : float array (m,)
        The share of rows with the recorded value.
    frequencies : float array (m,)
        Of tags that are on.
    kind : {"known bits", "given", "estimated", "estimated within tag_counts"}
        Where the frequencies come from.
    """

    values: AnyArray
    recorded: FloatArray
    frequencies: FloatArray
    kind: str

    @property
    def _chances(self) -> FloatArray:
        """The probability that a row with the value is recorded, ``(m,)``."""
        of_value = np.where(self.values == 1, self.frequencies, 1.0 - self.frequencies)
        chances = self.recorded / np.maximum(of_value, _TINY)
        return np.asarray(np.clip(chances, _TINY, 1.0))

    def filled(self, bits: PartialBits) -> PartialBits:
        """The bits that models learn from: what is not recorded has the other value."""
        fill = (self.values >= 0) & ~bits.known
        return PartialBits(np.where(fill, 1 - self.values, bits.bits).astype(np.int8), bits.tags)

    def probabilities(self, recorded: FloatArray) -> FloatArray:
        """Probabilities of tags from those of the filled bits, ``(q, m)``."""
        share = np.where(self.values == 0, 1.0 - recorded, recorded)
        true = np.minimum(share / self._chances, 1.0)
        # Where c is too low, many are 1: their order is kept.
        return self._signed((1.0 - _NUDGE) * true + _NUDGE * share, recorded)

    def posterior(self, recorded: FloatArray) -> FloatArray:
        """Those of rows whose value is not recorded, ``(n, m)``."""
        share = np.where(self.values == 0, 1.0 - recorded, recorded)
        chances = self._chances
        odds = (1.0 - chances) / chances * share / np.maximum(1.0 - share, _TINY)
        return self._signed(np.minimum(odds, 1.0), recorded)

    def _signed(self, true: FloatArray, otherwise: FloatArray) -> FloatArray:
        """Probabilities of tags from those of the recorded value."""
        found: FloatArray = np.where(self.values == 0, 1.0 - true, true)
        return np.where(self.values < 0, otherwise, found)

    def estimated(
        self, recorded: FloatArray, bits: PartialBits, sample_weight: FloatArray
    ) -> "OneSidedTags":
        """The same with frequencies estimated, if nobody gave them.

        Parameters
        ----------
        recorded : float array (n, m)
            Probabilities of the filled bits, by models that have not seen the row.
        bits : PartialBits
            What is known; with `tag_counts`, the frequencies add up to a number within the bounds.
        sample_weight : float array (n,)
        """
        if self.kind != "estimated":
            return self
        share = np.where(self.values == 0, 1.0 - recorded, recorded)
        weights = np.where(bits.known, sample_weight[:, None], 0.0)
        chances = _upper_means(share, weights)
        of_value = np.minimum(self.recorded / np.maximum(chances, _TINY), 1.0)
        found = np.where(self.values == 0, 1.0 - of_value, of_value)
        found = np.where(self.values < 0, self.frequencies, found)
        if bits.tag_counts is None:
            return replace(self, frequencies=found)
        low, high = sample_weight @ bits.counts / sample_weight.sum()
        least = np.where(self.values == 1, self.recorded, 0.0)
        most = np.where(self.values == 0, 1.0 - self.recorded, 1.0)
        fixed = self.values < 0
        least, most = np.where(fixed, found, least), np.where(fixed, found, most)
        bound = _within(found, least, most, low, high)
        return replace(self, frequencies=bound, kind="estimated within tag_counts")


def _upper_means(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Column by column the weighted mean of the upper half of the values, ``(m,)``; 1 of none.

    Over all recorded rows c would be too low: on made-up tags with half of the positives recorded,
    frequencies were .20 too high on average, and with the upper half the error is .07.

    Examples
    --------
    >>> weights = np.array([[1.0], [1.0], [0.0], [1.0]])
    >>> _upper_means(np.array([[0.1], [0.5], [0.7], [0.9]]), weights).round(4).tolist()
    [0.7667]
    """
    order = np.argsort(-values, axis=0, kind="stable")
    values, weights = (np.take_along_axis(table, order, axis=0) for table in (values, weights))
    half = 0.5 * weights.sum(axis=0)
    # A row in the middle counts in part.
    used = np.clip(half - (np.cumsum(weights, axis=0) - weights), 0.0, weights)
    totals = used.sum(axis=0)
    sums = (used * values).sum(axis=0)
    found: FloatArray = np.divide(sums, totals, out=np.ones(len(sums)), where=totals > 0)
    return found


def _within(
    frequencies: FloatArray, least: FloatArray, most: FloatArray, low: float, high: float
) -> FloatArray:
    """Frequencies times one factor, so that their sum is within bounds if that is possible."""
    total = frequencies.sum()
    if low <= total <= high:
        return frequencies
    goal = low if total < low else high

    def scaled(factor: float) -> FloatArray:
        return np.asarray(np.clip(frequencies * np.exp(factor), least, most))

    down, up = -30.0, 30.0
    for _ in range(_N_BISECTIONS):
        middle = 0.5 * (down + up)
        down, up = (middle, up) if scaled(middle).sum() < goal else (down, middle)
    return scaled(0.5 * (down + up))


def one_sided_tags(
    bits: PartialBits, sample_weight: FloatArray, given: Any, tolerance: Any
) -> OneSidedTags | None:
    """What to do about tags of which one value is known only; None: nothing.

    Parameters
    ----------
    bits : PartialBits
    sample_weight : float array (n,)
    given : None, "estimate", mapping from tag to frequency, or array-like (m,)
    tolerance : None, or another value, which is refused
    """
    on, off = (np.asarray(table.any(axis=0)) for table in _recorded(bits))
    is_open = ~bits.known.all(axis=0)
    values = np.where(is_open & (on != off), np.where(on, 1, 0), -1).astype(np.int8)
    frequencies = _given_frequencies(given, bits.tags)
    if given is None:
        if not (values >= 0).any():
            return None
        if (on & off).any():
            _warn_beside_others(bits, values)
            return None
        if bits.tag_counts is None:
            raise NoInformationError(_message(bits, values))
    elif not isinstance(given, str):
        unnamed = np.where(np.isnan(frequencies), values, -1)
        if (unnamed >= 0).any() and not (on & off).any():
            raise NoInformationError(_message(bits, unnamed))
        values[np.isnan(frequencies)] = -1
    if not (values >= 0).any():
        return None
    if tolerance is not None:
        raise ValueError(
            "PartialMultilabelClassifier: tolerance compares known bits with what other rows say, "
            "and some tags are known to be on only, or off only. Use tolerance=None."
        )
    known = np.where(bits.known, bits.bits, -1)
    recorded = sample_weight @ (known == values) / sample_weight.sum()
    kind = "estimated"
    if isinstance(given, str) or given is None:
        frequencies = tag_frequencies(bits, sample_weight)
    else:
        kind = "given"
        _check(bits, values, recorded, frequencies)
        frequencies = np.where(values < 0, tag_frequencies(bits, sample_weight), frequencies)
    return OneSidedTags(values, recorded, frequencies, kind)


def _recorded(bits: PartialBits) -> tuple[BoolArray, BoolArray]:
    """Tags that are known to be on, and to be off, other than by the number of tags of the row."""
    on, off = bits.bits == 1, bits.bits == 0
    if bits.tag_counts is None:
        return on, off
    low, high = bits.counts.T
    n_on, n_possible = on.sum(axis=1), (~off).sum(axis=1)
    # With the most tags that a row may have, all others are off; with the fewest, all are on.
    return on & (n_possible > low)[:, None], off & (n_on < high)[:, None]


def _message(bits: PartialBits, values: AnyArray) -> str:
    names = preview([listed(bits.tags)[k] for k in np.flatnonzero(values >= 0)])
    what, all_same = ("on", "on") if (values == 1).any() else ("off", "off")
    return (
        f"y: tags {names} are known to be {what} in some rows, and no tag is known both on and "
        f"off, so that 'all {all_same}' agrees with every row. Pass tag_frequencies='estimate', or "
        "the frequencies of the tags, or bounds on their number by tag_counts=; if what is not "
        "listed is known, write it into y."
    )


def _warn_beside_others(bits: PartialBits, values: AnyArray) -> None:
    """Name tags that are never off beside others, unless few rows know them: then it is chance.

    A tag that is never on may be a rare one.
    """
    known, is_on = bits.known, bits.bits == 1
    others = values < 0
    share = is_on[:, others].sum() / max(1, known[:, others].sum())
    # As if it were on as often as the others.
    by_chance = share ** known.sum(axis=0)
    suspicious = np.flatnonzero((values == 1) & (by_chance < _CHANCE))
    if suspicious.size:
        names = preview([listed(bits.tags)[k] for k in suspicious])
        warn(
            f"y: tags {names} are on in every row that knows them, and will be on everywhere. "
            "Write rows in which they are off into y, or pass tag_frequencies= with 'estimate' or "
            "their frequencies."
        )


def _given_frequencies(given: Any, tags: AnyArray) -> FloatArray:
    """The frequencies of the user, ``(m,)``; NaN where there are none."""
    found = np.full(len(tags), np.nan)
    form = "Use None, 'estimate', a mapping from tags to frequencies, or one frequency for each tag"
    if given is None or (isinstance(given, str) and given == "estimate"):
        return found
    if isinstance(given, str):
        raise ValueError(f"tag_frequencies is {given!r}. {form}.")
    if not isinstance(given, Mapping):
        if np.ndim(given) != 1 or len(given) != len(tags):
            raise ValueError(
                f"tag_frequencies has shape {np.shape(given)}, and there are {len(tags)} tags. "
                f"{form}."
            )
        given = dict(zip(listed(tags), given, strict=True))
    column = positions(tags)
    for tag, value in given.items():
        if tag not in column:
            raise ValueError(
                f"tag_frequencies names {tag!r}, which is not among the tags "
                f"{preview(listed(tags))}. {form}."
            )
        found[column[tag]] = check_number(
            "PartialMultilabelClassifier", f"tag_frequencies of {tag!r}", value, most=1
        )
    return found


def _check(
    bits: PartialBits, values: AnyArray, recorded: FloatArray, frequencies: FloatArray
) -> None:
    """Raise an error if more rows are recorded than have the value."""
    of_value = np.where(values == 1, frequencies, 1.0 - frequencies)
    wrong = (values >= 0) & (recorded > of_value + _TINY)
    if wrong.any():
        k = int(np.argmax(wrong))
        value = "on" if values[k] == 1 else "off"
        raise ValueError(
            f"tag_frequencies: tag {listed(bits.tags)[k]!r} is known to be {value} in a share "
            f"{recorded[k]:.3f} of the rows, and {frequencies[k]:.3f} was given for how often it "
            f"is on, which leaves {of_value[k]:.3f}. Correct the frequency."
        )
