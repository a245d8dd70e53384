"""*Trust*: how far the stated confidence holds, with answers or the truth where they are known."""

from typing import Any, NamedTuple

import numpy as np

from disambig.notation import FloatArray, IntArray
from disambig.plots import ReliabilityDisplay, RiskCoverageDisplay
from disambig.report.document import Figure, Section
from disambig.report.inputs import TRUST_AT, ReportInputs
from disambig.report.texts import percent, share
from disambig.trust.abstention import least_answers
from disambig.trust.refitting import answered_rows

_N_BINS = 10
_N_POINTS = 200
# With fewer rows a curve says nothing.
_LEAST_JUDGED = 10


class Judged(NamedTuple):
    """Rows of which it is known how far they are right."""

    confidence: FloatArray
    rightness: FloatArray
    source: str


def judged_rows(inputs: ReportInputs) -> Judged | None:
    """Rows with a truth, else answered ones that were drawn at random; None if too few."""
    exam = inputs.examination
    before = inputs.confidence if exam is None else exam.confidence_by_sets
    if inputs.truth is not None and len(inputs.truth) >= _LEAST_JUDGED:
        rows = inputs.truth.rows
        return Judged(before[rows], inputs.truth.rightness, "rows whose truth is known")
    if exam is not None and exam.answers is not None and len(exam.answers) >= _LEAST_JUDGED:
        found = np.asarray(exam._rightness(exam.answers), dtype=np.float64)
        return Judged(before[exam.answers.rows], found, "answered rows")
    return None


def trust_section(inputs: ReportInputs) -> Section:
    """How far labels may be trusted."""
    n = len(inputs)
    trusted = int(np.count_nonzero(inputs.trusted))
    judged = judged_rows(inputs)
    basis = ", as far as rows tell that never saw their sets" if judged is None else ""
    sentence = f"{share(trusted, n)} {inputs.noun()} can be trusted: {inputs.rightness}{basis}."
    curve = expected_risk(inputs.doubt)
    facts: list[tuple[str, Any]] = [
        ("trusted: each at least 95 % right", share(trusted, n)),
        ("the surest rows that are 95 % right together", share(*_on_average(inputs))),
        inputs.expected_errors,
    ]
    texts = [_basis(inputs), *_promise(inputs)]
    figures = [_risk_figure(inputs.unit, curve, judged)]
    if judged is not None:
        right = float(judged.rightness.mean())
        facts.append((f"right among {len(judged.confidence):,} {judged.source}", percent(right)))
        facts.append(("stated for these", percent(float(judged.confidence.mean()))))
        figures.insert(0, _reliability_figure(inputs.unit, judged))
    facts += _wrong_sets(inputs)
    facts += _truth_facts(inputs)
    return Section(
        "trust", "Trust", sentence, texts=tuple(texts), facts=tuple(facts), figures=tuple(figures)
    )


def expected_risk(doubt: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Coverage, expected share of wrong labels, and least confidence, the surest rows first."""
    ordered = np.sort(doubt)
    n = len(ordered)
    risks = np.cumsum(ordered) / np.arange(1, n + 1)
    at = _points(n)
    return (at + 1.0) / n, risks[at], 1.0 - ordered[at]


def _points(n: int) -> IntArray:
    """Some of n points of a curve, the last one among them."""
    return np.unique(np.linspace(0, n - 1, min(n, _N_POINTS)).round().astype(np.intp))


def _on_average(inputs: ReportInputs) -> tuple[int, int]:
    """The most rows of which 95 % are expected to be right together."""
    ordered = np.sort(inputs.doubt)
    risks = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    kept = np.flatnonzero(risks <= 1.0 - TRUST_AT + 1e-12)
    return int(kept[-1] + 1) if kept.size else 0, len(ordered)


def _basis(inputs: ReportInputs) -> str:
    exam = inputs.examination
    if exam is None:
        return (
            "There are too few rows to hide sets, so that confidence is the share of votes for a "
            "label; take it as a rank, not as a probability."
        )
    text = (
        "The set of each row was hidden, and the other rows judged it. The probability is right if "
        "the chance of a set is the same whichever of its members is true."
    )
    if exam.selection_saw_sets:
        text += " The weights were chosen with the sets in sight, which is slightly optimistic."
    return text


def _promise(inputs: ReportInputs) -> list[str]:
    exam = inputs.examination
    if exam is None:
        return []
    risk = 1.0 - TRUST_AT
    if exam.answers is None:
        if exam._is_single().all():
            return ["Every row has a single candidate, so that there is nothing to choose."]
        return [
            "No answer of a row drawn at random has checked this. Answers of "
            f"{least_answers(risk, 0.1)} such rows or more can turn it into a promise: "
            "disambig ask DIR --random N, then disambig answer DIR FILE --calibrate."
        ]
    try:
        return [exam.accept(risk).promise]
    except ValueError as error:
        return [str(error)]


def _wrong_sets(inputs: ReportInputs) -> list[tuple[str, Any]]:
    if inputs.examination is None or inputs.suspects is None:
        return []
    wrong = float(getattr(inputs.examination, "wrong_share", 0.0))
    rows, is_outside = answered_rows(inputs.examination)
    found: list[tuple[str, Any]] = [
        ("estimated share of sets without the truth", percent(wrong)),
        ("suspect rows", f"{len(inputs.suspects):,}"),
    ]
    if rows.size:
        found.append(("answers outside of their sets", share(int(is_outside.sum()), rows.size)))
    return found


def _truth_facts(inputs: ReportInputs) -> list[tuple[str, Any]]:
    truth = inputs.truth
    if truth is None:
        return []
    sure = inputs.trusted[truth.rows]
    found: list[tuple[str, Any]] = [
        ("truth is known in", share(len(truth), len(inputs))),
        (
            "right among the trusted ones",
            percent(float(truth.rightness[sure].mean())) if sure.any() else "–",
        ),
        (
            "sets that miss the truth",
            share(int(truth.is_outside.sum()), len(truth)),
        ),
    ]
    if inputs.suspects is not None and len(inputs.suspects):
        known = np.isin(truth.rows, inputs.suspects.rows)
        if known.any():
            wrong = int(truth.is_outside[known].sum())
            found.append(("suspects whose set misses the truth", share(wrong, int(known.sum()))))
    return found


def _reliability_figure(unit: str, judged: Judged) -> Figure:
    bins = np.minimum((judged.confidence * _N_BINS).astype(np.intp), _N_BINS - 1)
    weight = np.bincount(bins, minlength=_N_BINS).astype(np.float64)
    used = weight > 0
    stated = np.bincount(bins, judged.confidence, minlength=_N_BINS)[used] / weight[used]
    right = np.bincount(bins, judged.rightness, minlength=_N_BINS)[used] / weight[used]
    error = float(np.sum(weight[used] * np.abs(stated - right)) / weight.sum())
    parts = [
        f"stated {a:.2f}, right {b:.2f} ({w:,.0f} rows)"
        for a, b, w in zip(stated, right, weight[used], strict=True)
    ]
    text = (
        f"Stated confidence against the share that is right, for {len(judged.confidence):,} "
        f"{judged.source}: {'; '.join(parts)}. The mean distance between both, the calibration "
        f"error, is {error:.3f}."
    )

    def draw(ax: Any) -> None:
        ReliabilityDisplay(stated, right, weight[used], expected_calibration_error=error).plot(ax)
        ax.set_ylabel(f"share of right {unit}")

    return Figure("reliability", "Is the stated confidence right?", text, draw, (5.0, 4.2))


def _risk_figure(
    unit: str, expected: tuple[FloatArray, FloatArray, FloatArray], judged: Judged | None
) -> Figure:
    coverage, risk, limits = expected
    display = RiskCoverageDisplay(coverage, risk, limits, risk=1.0 - TRUST_AT, name="expected")
    parts = [
        f"{share_kept:.0%} of the rows: {float(np.interp(share_kept, coverage, risk)):.1%}"
        for share_kept in (0.25, 0.5, 0.75, 1.0)
    ]
    text = f"Expected share of wrong {unit} among the surest rows. {'; '.join(parts)}."
    known: RiskCoverageDisplay | None = None
    if judged is not None:
        order = np.argsort(-judged.confidence, kind="stable")
        wrong = 1.0 - judged.rightness[order]
        # Rows of equal confidence are accepted together.
        stated = judged.confidence[order]
        last = np.flatnonzero(np.append(stated[1:] != stated[:-1], True))
        at = last[_points(len(last))]
        known = RiskCoverageDisplay(
            (at + 1.0) / len(order),
            (np.cumsum(wrong) / np.arange(1, len(order) + 1))[at],
            stated[at],
            name=judged.source,
        )
        text += f" Among {judged.source}: {float(wrong.mean()):.1%} of all."

    def draw(ax: Any) -> None:
        display.plot(ax)
        if known is not None:
            known.plot(ax)
        ax.set_ylabel(f"share of wrong {unit}")

    return Figure("risk", f"Wrong {unit} among the surest rows", text, draw, (5.6, 3.6))
