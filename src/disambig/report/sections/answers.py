"""The four answers at the top: what to trust, what is confused, what to check, what to collect."""

import numpy as np

from disambig.candidates.numbers.amounts import amount_text
from disambig.report.document import Answer
from disambig.report.inputs import LEAST_GAIN, TRUST_AT, ReportInputs
from disambig.report.sections.confusions import confusions, share_of_errors
from disambig.report.sections.trust import judged_rows
from disambig.report.texts import clean_text, counted, percent, share
from disambig.trust.abstention import least_answers

_N_CHECKED = 10
_N_CONFUSED = 3
# A class with a lower mean confidence needs more rows.
_UNSURE = 0.8


def four_answers(inputs: ReportInputs) -> tuple[Answer, ...]:
    """What every reader asks first."""
    return (_trusted(inputs), _confused(inputs), _check(inputs), _collect(inputs))


def _trusted(inputs: ReportInputs) -> Answer:
    n = len(inputs)
    noun = inputs.noun()
    question = f"How many {noun} can I trust at {percent(TRUST_AT)}?"
    exam = inputs.examination
    points = []
    if exam is not None and exam.answers is not None and exam.answers.is_uniform:
        found = exam.accept(1.0 - TRUST_AT)
        text = f"{share(int(found.rows.sum()), n)} {noun}."
        points.append(found.promise)
    else:
        text = f"{share(int(np.count_nonzero(inputs.trusted)), n)} {noun}."
        if exam is None:
            points.append("There are too few rows to judge this well: take it as a rank.")
        else:
            points.append(f"By the other rows, {inputs.rightness}.")
        if judged_rows(inputs) is None:
            points.append("No answers have checked it yet.")
    truth = inputs.truth
    if truth is not None:
        sure = inputs.trusted[truth.rows]
        if sure.any():
            right = percent(float(truth.rightness[sure].mean()))
            points.append(f"Where the truth is known, {right} of these are right.")
        if truth.is_feature:
            points.append(
                "The column of the truth was a feature of the model, so that the comparison says "
                "nothing: fit again with --drop."
            )
    return Answer("trusted", question, text, tuple(points), "trust")


def _confused(inputs: ReportInputs) -> Answer:
    names = {"labels": "classes", "orders": "items", "bits": "tags", "numbers": "numbers"}
    noun = names[inputs.kind]
    if inputs.kind == "numbers":
        return _wide_numbers(inputs)
    question = f"Which {noun} are confused?"
    if inputs.kind == "bits":
        question = "Which tags are doubtful?"
    if inputs.examination is None:
        text = "Too few rows to tell; the matrix of candidates shows which stand together."
        return Answer("confused", question, text, link="labels")
    found = confusions(inputs)
    if not found:
        text = f"No {noun} are: hardly any {inputs.noun(False)} is expected to be wrong."
        return Answer("confused", question, text, link="labels")
    top = found[:_N_CONFUSED]
    total = sum(one.errors for one in found)
    first = f"{top[0].first} and {top[0].second}" if top[0].second else top[0].first
    text = f"Most of all {first}."
    points = [one.text for one in top]
    if len(found) > len(top):
        points.append(f"Together they have {share_of_errors(top, total)} of the expected errors.")
    return Answer("confused", question, text, tuple(points), "labels")


def _wide_numbers(inputs: ReportInputs) -> Answer:
    question = "Which numbers are uncertain?"
    columns = inputs.labels.columns
    if "lower_90" not in columns:
        return Answer("confused", question, "Too few rows to tell.", link="labels")
    widths = (inputs.labels["upper_90"] - inputs.labels["lower_90"]).to_numpy(dtype=float)
    values = np.asarray(inputs.targets, dtype=float).ravel()
    edges = np.quantile(values, [0.0, 1 / 3, 2 / 3, 1.0])
    parts = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, 2)
    means = [float(widths[parts == k].mean()) if (parts == k).any() else 0.0 for k in range(3)]
    worst = int(np.argmax(means))
    name = ("lowest", "middle", "highest")[worst]
    text = (
        f"The {name} third: its 90 % ranges have a mean length of {amount_text(means[worst], 3)}."
    )
    points = (f"Over all rows the mean length is {amount_text(widths.mean(), 3)}.",)
    return Answer("confused", question, text, points, "labels")


def _check(inputs: ReportInputs) -> Answer:
    question = "Which ten rows should I check first?"
    suspects, asked = inputs.suspects, inputs.questions
    rows = [] if suspects is None else suspects.rows.tolist()
    n_suspects = min(len(rows), _N_CHECKED)
    if asked is not None:
        worth = asked.rows[asked.gain >= LEAST_GAIN].tolist()
        rows += [row for row in worth if row not in rows]
    rows = rows[:_N_CHECKED]
    if suspects is None:
        # Without an examination the least confident rows.
        rows = np.argsort(inputs.confidence, kind="stable")[:_N_CHECKED].tolist()
    link = "suspects" if n_suspects else ("open" if suspects is None else "ask")
    if not rows:
        return Answer("check", question, "None: no answer is expected to change a label.", (), link)
    parts = []
    if n_suspects:
        parts.append(f"{counted(n_suspects, 'suspect row')}, whose set is probably wrong")
    if len(rows) > n_suspects:
        n_others = len(rows) - n_suspects
        one, more = "row whose answer is worth most", "rows whose answer is worth most"
        if suspects is None:
            one, more = "least sure row", "least sure rows"
        parts.append(counted(n_others, one, more))
    text = f"{' and '.join(parts)}."
    text = text[0].upper() + text[1:]
    if not inputs.has_rows:
        return Answer("check", question, text, ("This report names no rows.",), link)
    points = tuple(
        f"{inputs.name(row)}: given {clean_text(inputs.given(row), 60)}, recovered "
        f"{inputs.label_text(row)} ({inputs.confidence[row]:.2f})"
        for row in rows
    )
    return Answer("check", question, text, points, link)


def _collect(inputs: ReportInputs) -> Answer:
    question = "What should I collect next?"
    points: list[str] = []
    asked, exam = inputs.questions, inputs.examination
    if asked is not None and asked.expected_gain >= 0.5:
        points.append(
            f"Answers to the questions below: about {asked.expected_gain:.1f} more "
            f"{inputs.noun()} right."
        )
    if exam is not None and exam.answers is None and not exam._is_single().all():
        points.append(
            f"Answers to {least_answers(1.0 - TRUST_AT, 0.1)} rows drawn at random: they turn the "
            "stated confidence into a promise."
        )
    found = confusions(inputs)
    if found:
        points.append(_narrower(found[0].first, found[0].second, inputs.kind))
    if inputs.kind == "numbers":
        points.append("Narrower intervals where the 90 % ranges are long.")
    points += _weak_classes(inputs)
    uninformative = float(np.mean(~np.asarray(inputs.table.candidates.informative)))
    if uninformative == 1.0:
        points.append("Candidates of single rows, if they can be had: there are none so far.")
    elif uninformative >= 0.2:
        points.append(f"Any candidates for the {percent(uninformative)} of rows without one.")
    if inputs.suspects is not None and len(inputs.suspects):
        points.append(f"Corrections of {counted(len(inputs.suspects), 'suspect set')}.")
    if not points:
        return Answer("collect", question, "Nothing is needed for these rows.", (), "ask")
    return Answer("collect", question, "In this order:", tuple(points), "ask")


def _narrower(first: str, second: str, kind: str) -> str:
    if kind == "bits":
        return f"Rows whose tag {first} is known, present or absent."
    if kind == "orders":
        return f"Rows that say which of {first} and {second} comes first."
    return f"Sets that have only one of {first} and {second}, or a feature that tells them apart."


def _weak_classes(inputs: ReportInputs) -> list[str]:
    """The class that is least sure, if there is a doubtful one."""
    if inputs.kind != "labels" or inputs.examination is None:
        return []
    labels = inputs.labels["label"].astype(str).to_numpy()
    names, codes = np.unique(labels, return_inverse=True)
    counts = np.bincount(codes)
    means = np.bincount(codes, inputs.confidence) / counts
    least = int(np.argmin(means))
    name, mean, count = str(names[least]), float(means[least]), int(counts[least])
    if mean >= _UNSURE:
        return []
    return [
        f"More rows of {clean_text(name, 60)}: {counted(count, 'row')}, with a mean confidence of "
        f"only {mean:.2f}."
    ]
