"""The examination of bits."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from disambig.candidates import PartialBits
from disambig.candidates.labels.classes import listed
from disambig.estimators.held_out.tag_shares import (
    expected_share,
    likelier_bits,
    mixed_shares,
    tag_signs,
)
from disambig.estimators.held_out.wrong_sets import WrongSets
from disambig.estimators.held_out.wrong_signs import fit_wrong_signs
from disambig.estimators.tags.one_sided import OneSidedTags
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.trust.answers import Answers
from disambig.trust.examined import Examined
from disambig.trust.kinds.sign_sets import bit_scores, bit_set_scores, bits_at, inner_bits
from disambig.trust.kinds.signs import (
    SignExamination,
    calibrated,
    held_out_signs,
    of_last_step,
    suspicion_of,
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BitExamination(SignExamination):
    """The examination of bits, of which `labels` are tables ``(n, m)`` of 0 and 1.

    `confidence` is the expected share of right bits, with the weights of the tags; known bits are
    taken as right. `suspicion` is one minus the mean probability of the known bits. An answer has
    all bits. Prediction sets are partial bits: with "meets" they contradict no known bit of the
    row, with "truth" no true bit.

    Attributes
    ----------
    tag_weights : float array (m,)
        With sum one.
    one_sided : OneSidedTags or None
        What is done about tags of which one value is known only. Hidden bits then tell whether a
        value is recorded, and the frequencies of the tags how much more often it is true.
    recorded : float array (n, m)
        The calibrated probabilities of what models learn from; with one-sided tags these are of
        recorded values, and otherwise `held_out_probabilities`.
    """

    tag_weights: FloatArray
    one_sided: OneSidedTags | None
    recorded: FloatArray

    def __post_init__(self) -> None:
        super().__post_init__()
        self.recorded.setflags(write=False)

    @property
    def tags(self) -> AnyArray:
        """The tags, in the order of the columns of `labels`."""
        tags: AnyArray = self.candidates.tags
        return tags

    @property
    def _plural(self) -> str:
        return "bits"

    def _label_column(self) -> list[str]:
        names = np.array([str(tag) for tag in listed(self.tags)], dtype=object)
        return [", ".join(names[row]) for row in self.labels == 1]

    def _columns(self) -> dict[str, Any]:
        chosen = np.where(
            self.recovered == 1, self.held_out_probabilities, 1.0 - self.held_out_probabilities
        )
        found = np.where(self.candidates.known, np.inf, chosen)
        place = found.argmin(axis=1)
        least = found[np.arange(len(self)), place]
        is_open = np.isfinite(least)
        names = [str(tag) for tag in listed(self.tags)]
        return {
            "doubtful_bit": [
                names[tag] if has_one else None for tag, has_one in zip(place, is_open, strict=True)
            ],
            "doubtful_bit_confidence": np.where(is_open, least, np.nan),
            "n_known_bits": np.count_nonzero(self.candidates.known, axis=1),
        }

    def _observed(self) -> tuple[FloatArray, AnyArray]:
        return self.held_out_probabilities, tag_signs(self.candidates)

    def _wrong_probability(self) -> FloatArray:
        """That of the most suspect bit."""
        return np.asarray(self._sign_posterior().max(axis=1, initial=0.0))

    def _sign_text(self, place: int, sign: int) -> str:
        return f"{listed(self.tags)[place]}={1 if sign > 0 else 0}"

    def _read_complete(self, labels: Any, owner: str) -> AnyArray:
        bits = PartialBits.from_any(labels, self.tags)
        complete = bits.known.all(axis=1)
        if not complete.all():
            entry = int(np.argmin(complete))
            tag = listed(self.tags)[int(np.argmin(bits.known[entry]))]
            raise CandidateError(
                f"{owner}: entry {entry} says nothing about tag {tag!r} "
                f"({np.count_nonzero(~complete)} such entries). An answer has 0 or 1 for every "
                "tag; rows with unknown bits are candidates and belong in y."
            )
        return bits.bits

    def _rightness(self, answers: Answers) -> FloatArray:
        right: FloatArray = (self.recovered[answers.rows] == answers.labels) @ self.tag_weights
        # Weights sum to one up to rounding.
        return np.clip(right, 0.0, 1.0)

    def _is_single(self) -> BoolArray:
        return np.asarray(self.candidates.known.all(axis=1))

    def _candidate_texts(self, rows: IntArray) -> list[str]:
        names = [str(tag) for tag in listed(self.tags)]
        return [
            ", ".join(
                f"{name}={'?' if bit < 0 else bit}" for name, bit in zip(names, row, strict=True)
            )
            for row in self.candidates.bits[rows].tolist()
        ]

    def _examine(self, rows: Examined) -> "BitExamination":
        return examine_bits(rows)

    def _probabilities_at(self, X: Any) -> FloatArray:
        found = self.calibration(of_last_step(mixed_shares)(self.estimator, X))
        return found if self.one_sided is None else self.one_sided.probabilities(found)

    def _set_scores(self) -> tuple[IntArray, FloatArray]:
        rows = np.flatnonzero(self.candidates.informative)
        return rows, bit_set_scores(self.held_out_probabilities[rows], self.candidates[rows])

    def _truth_scores(self, answers: Answers, is_new: bool) -> FloatArray:
        found = self.held_out_probabilities[answers.rows]
        if is_new:
            # Nothing is recorded of a new row.
            if self.one_sided is not None:
                found = self.one_sided.probabilities(self.recorded[answers.rows])
            return bit_scores(found, answers.labels)
        inner = bit_scores(found, answers.labels, ~self.candidates.known[answers.rows])
        return np.where(self._is_outside(answers), np.inf, inner)

    def _sets_at(self, probabilities: FloatArray, threshold: float) -> PartialBits:
        return bits_at(probabilities, threshold, self.tags)

    def _inner_sets(self, threshold: float) -> PartialBits:
        return inner_bits(self.held_out_probabilities, threshold, self.candidates)


def examine_bits(rows: Examined) -> BitExamination:
    """The examination of bits, by models without the row's fold."""
    bits: PartialBits = rows.candidates
    signs, one_sided = tag_signs(bits), rows.last._one_sided_
    learned = bits if one_sided is None else one_sided.filled(bits)
    read = rows if one_sided is None else replace(rows, candidates=learned)
    shares = held_out_signs(read, mixed_shares, mixed_shares)
    calibration, recorded = calibrated(rows, shares, tag_signs(learned))
    probabilities = recorded
    if one_sided is not None:
        # That a value is recorded is what the others are asked of a row in which it is.
        of_new, of_open = one_sided.probabilities(recorded), one_sided.posterior(recorded)
        probabilities = np.where(bits.known, of_new, of_open)
    if rows.folds is None:
        likelier = likelier_bits(probabilities, rows.last.tag_frequencies_)
        labels = np.where(bits.known, bits.bits, likelier).astype(np.int8)
    else:
        labels = np.asarray(rows.last.labels_, dtype=np.int8)
    weights = rows.last.loss_.weights
    confidence = expected_share(probabilities, labels, bits, weights)
    # Of one-sided tags, wrong values cannot be separated from frequencies that are wrong.
    wrong_signs = (
        fit_wrong_signs(calibration, probabilities, signs, rows.kept.all_weights)
        if one_sided is None
        else WrongSets(0.0, is_known=False)
    )
    return BitExamination(
        **rows.shared_fields(labels, confidence, suspicion_of(probabilities, signs)),
        recovered=labels.copy(),
        held_out_probabilities=probabilities,
        calibration=calibration,
        wrong_signs=wrong_signs,
        tag_weights=weights.copy(),
        one_sided=one_sided,
        recorded=recorded.copy(),
    )
