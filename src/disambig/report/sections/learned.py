"""*How it learned*: the objective, what changed, and the time that it took."""

from typing import Any

from disambig.plots import LearningTraceDisplay
from disambig.report.document import Figure, Section
from disambig.report.inputs import ReportInputs, judge_name
from disambig.report.texts import cell, clean_text, counted, share

_STEPS = {"read": "reading the table", "fit": "learning", "examine": "judging the rows"}


def learned_section(inputs: ReportInputs) -> Section:
    """How the solver went."""
    estimator = inputs.estimator
    trace = tuple(estimator.trace_)
    # As in the summary, so that a report that is made again is the same.
    seconds = {name: round(value, 3) for name, value in inputs.seconds.items()}
    total = sum(seconds.values())
    facts: list[tuple[str, Any]] = [
        (f"seconds for {_STEPS.get(name, name)}", f"{value:.2f}") for name, value in seconds.items()
    ]
    facts += [
        ("objective", cell(getattr(estimator, "objective_", None), 6)),
        # Where there is a trace, the sentence has its length.
        ("iterations", None if trace else estimator.n_iter_),
        ("converged", _yes(estimator.converged_)),
        ("proved to be optimal", _yes(estimator.certified_)),
        ("confidence by", _judge(inputs)),
    ]
    texts = tuple(f"Warning: {clean_text(text, 500)}" for text in inputs.warnings)
    took = f"{total:.1f} seconds" if seconds else ""
    if not trace:
        return Section(
            "learned",
            "How it learned",
            f"Learning took {took or 'no steps'}; the chosen models keep no trace of theirs.",
            texts=texts if inputs.has_rows else (),
            facts=_known(facts),
        )
    display = LearningTraceDisplay.of(trace)
    sentence = (
        f"Learning took {counted(len(trace), 'step')}{' and ' + took if took else ''}; "
        f"{share(int(display.undecided[0]), len(inputs))} rows were undecided at first and "
        f"{int(display.undecided[-1]):,} at the end."
    )
    text = (
        f"The objective by step: {display.objective[0]:.4g} at first, "
        f"{display.objective[-1]:.4g} at the end; undecided rows: {display.undecided[0]:.0f} at "
        f"first, {display.undecided[-1]:.0f} at the end."
    )

    def draw(ax: Any) -> None:
        display.plot(ax)

    return Section(
        "learned",
        "How it learned",
        sentence,
        texts=texts if inputs.has_rows else (),
        facts=_known(facts),
        figures=(Figure("trace", "Objective and undecided rows", text, draw, (6.4, 3.6)),),
    )


def _judge(inputs: ReportInputs) -> str:
    """Who judged the labels; rows that were not examined have the confidence of the fit."""
    if inputs.examination is None:
        return str(getattr(inputs.estimator, "confidence_kind_", "–"))
    return judge_name(inputs.examination)


def _yes(value: Any) -> str:
    return "–" if value is None else "yes" if value else "no"


def _known(facts: list[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, value) for name, value in facts if value is not None)
