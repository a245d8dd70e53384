"""*What was tried*: the selection as a picture, and what was chosen."""

from typing import Any

from disambig.estimators.selection.trial_texts import short_numbers, trial_text, weights_text
from disambig.plots import SelectionDisplay
from disambig.report.document import DataTable, Figure, Section
from disambig.report.inputs import ReportInputs
from disambig.report.texts import cell, clean_text, percent

_MAX_TRIALS = 100


def tried_section(inputs: ReportInputs) -> Section:
    """What the selection tried."""
    estimator = inputs.estimator
    chosen = clean_text(short_numbers(weights_text(estimator.weights_)), 600)
    facts = (
        ("estimator", type(estimator).__name__),
        ("chosen", chosen),
        ("solver", _solver(estimator)),
        *_missing_cells(estimator),
    )
    trials = estimator.trials_
    if not len(trials):
        return Section(
            "tried",
            "What was tried",
            "Nothing was compared: the weights were named by the user.",
            facts=facts,
        )
    display = SelectionDisplay.of(trials, estimator.weights_)
    n_used = int((display.shares > 0).sum())
    what = "a mixture of " + f"{n_used} of them" if n_used > 1 else "the best one"
    sentence = (
        f"{len(display.names)} ways to learn from the rows were compared by how well they predict "
        f"sets that were hidden from them, and {what} was chosen."
    )
    text = (
        f"Held-out scores, lower is better. The best: {short_numbers(display.names[0])} with "
        f"{display.scores[0]:.3g}; the worst: {display.scores[-1]:.3g}. Chosen: {chosen}."
    )

    def draw(ax: Any) -> None:
        display.plot(ax)

    height = 1.0 + 0.3 * max(4, min(len(display.names), 12))
    return Section(
        "tried",
        "What was tried",
        sentence,
        facts=facts,
        figures=(Figure("trials", "Held-out scores", clean_text(text, 900), draw, (6.4, height)),),
        tables=(_trials(trials, display),),
    )


def _missing_cells(estimator: Any) -> tuple[tuple[str, str], ...]:
    completion = getattr(estimator, "completion_", None)
    if completion is None or not completion.n_missing:
        return ()
    return (("missing cells", clean_text(str(completion))),)


def _solver(estimator: Any) -> str:
    solver = estimator.solver_
    return "none" if solver is None else clean_text(" ".join(repr(solver).split()), 300)


def _trials(trials: Any, display: SelectionDisplay) -> DataTable:
    loss: dict[str, float] = {}
    for trial in trials:
        loss.setdefault(trial_text(trial), float(trial.held_out_loss))
    rows = [
        (
            rank,
            clean_text(short_numbers(name)),
            cell(score),
            cell(loss[name]),
            percent(part) if part > 0 else "",
        )
        for rank, (name, score, part) in enumerate(
            zip(display.names, display.scores, display.shares, strict=True), start=1
        )
    ]
    return DataTable(
        "trials-table",
        "All that was tried",
        ("rank", "weights or model", "held-out score", "held-out loss", "share in the result"),
        rows[:_MAX_TRIALS],
        len(rows),
        "" if len(rows) <= _MAX_TRIALS else f"The {_MAX_TRIALS} best of {len(rows):,}.",
    )
