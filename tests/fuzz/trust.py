"""Examinations of fitted estimators with odd arguments, and the diagnosis of odd data."""

from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

import disambig
from disambig.trust import cross_examine
from tests.fuzz import correct
from tests.fuzz.case import ODD_VALUES, Case, Made
from tests.fuzz.estimators import NAMES
from tests.fuzz.inputs import groups, inputs, sample_weights
from tests.fuzz.targets import KINDS, targets
from tests.fuzz.verdict import OwnError, attempt, expect

_LABELS = {"labels": ["a", "b", "c", 0, 1], "numbers": [0.5, 1.5, -3.0, 1e9]}


def _estimator(case: Case, kind: str) -> Any:
    weights = case.option("weights", NAMES, ["auto"], 0.02)
    options: dict[str, Any] = {"weights": weights}
    if case.chance(0.1):
        options["method"] = case.pick(["infimum", "average"])
    if case.chance(0.1):
        options["tolerance"] = case.pick(["auto", 2.0])
    if kind == "bits":
        return disambig.PartialMultilabelClassifier(**options)
    owners = {
        "labels": disambig.PartialLabelClassifier,
        "numbers": disambig.IntervalRegressor,
        "orders": disambig.PartialRanker,
    }
    return owners[kind](**options)


def _answers(case: Case, kind: str, n: int, exam: Any) -> tuple[Any, Any]:
    """Rows and their true targets, some of them wrong."""
    m = case.size(0, min(n, 6))
    rows: Any = case.numpy.permutation(n)[:m].tolist()
    known: Any
    if kind in _LABELS:
        known = [case.pick(_LABELS[kind]) for _ in range(m)]
        if case.chance(0.5):
            known = np.asarray(exam.labels)[rows].tolist()
    else:
        known = np.asarray(exam.labels)[rows].tolist()
    if case.is_odd(0.5):
        odd = [[-1], [n], [0, 0], ["a"], 3, None, np.ones(n, dtype=bool), [True], [0.5], [[0]], []]
        rows = case.pick(odd)
    if case.is_odd(0.4):
        value = case.pick([*ODD_VALUES, [np.nan] * m, ["zzz"] * m, [None] * m, [[0, 0, 0]] * m])
        known = value() if isinstance(value, Made) else value
    case.note(f"answers {rows!r:.60}: {known!r:.80}")
    return rows, known


def _ask(case: Case, exam: Any) -> None:
    """Read-only questions about an examination."""
    n = len(exam)
    with suppress(OwnError):
        share = case.option("false_alarms", [0.1, 0.5, 0.99], [0, 1, -1, "x", None, np.nan], 0.2)
        attempt(attempt(exam.suspects, share).frame)
    with suppress(OwnError):
        asked = case.option("n", [0, 1, 3, n, n + 5], [-1, 1.5, None, "x", True, np.nan], 0.2)
        random = case.option("n_random", [0, 1, 0.5], [-1, 2.5, 99, "x", None, np.nan], 0.2)
        seed = case.option("random_state", [0, None], ["x", -1, 1.5], 0.1)
        questions = attempt(exam.ask, asked, n_random=random, random_state=seed)
        expect(len(set(questions.rows.tolist())) == len(questions.rows), "a row is asked twice")
        attempt(str, questions)
    with suppress(OwnError):
        risk = case.option("risk", [0.05, 0.3], [0, 1, -1, "x", None, np.nan], 0.2)
        delta = case.option("delta", [0.1, 0.5], [0, 1, -1, "x", None], 0.1)
        attempt(exam.accept, risk, delta)
    with suppress(OwnError):
        coverage = case.option("coverage", [0.5, 0.9], [0, 1, -1, "x", None, np.nan], 0.2)
        meaning = case.option("meaning", ["meets", "contains", "truth"], ["x", None], 0.1)
        by_class = case.option("classwise", [False, True], [None, "x"], 0.1)
        X = case.pick([None, inputs(case, 3, 2, "new rows", share=0.3)])
        attempt(exam.predict_set, X, coverage, meaning=meaning, classwise=by_class)
    with suppress(OwnError):
        expect(len(attempt(exam.frame)) == n, "the frame has other rows")


def examination_case(case: Case) -> None:
    """`cross_examine`, and everything that its result offers."""
    kind = case.pick(KINDS)
    n = case.rows(2)
    model = _estimator(case, kind)
    d = n if model.weights == "precomputed" else 2
    X = inputs(case, n, d, share=0.2)
    y = targets(case, kind, n, share=0.15)
    odd = [0, 1, -1, 100, "five", None, [], 2.5, KFold(2, shuffle=True), StratifiedKFold(2)]
    odd += [GroupKFold(2), [([0], [1])], Made(lambda: iter([])), "prefit", np.int64(2)]
    cv = case.option("cv", [2, 3], odd, 0.3)
    repeats = case.option("repeats", [1, 2], [0, -1, 1.5, None], 0.1)
    if isinstance(cv, str) and cv == "prefit" and case.chance(0.7):
        attempt(model.fit, X, y)
    exam = attempt(
        cross_examine,
        model,
        X,
        y,
        cv=cv,
        repeats=repeats,
        groups=groups(case, n),
        sample_weight=sample_weights(case, n) if case.chance(0.3) else None,
    )
    confidence = np.asarray(exam.confidence)
    expect(np.isfinite(confidence).all(), "a confidence is not finite")
    correct.shares(confidence)
    correct.shares(np.asarray(exam.wrong_set_probability))
    _ask(case, exam)
    rows, known = _answers(case, kind, n, exam)
    with suppress(OwnError):
        inclusion = case.option("inclusion", [None], [0.5, 1.0, 0, 2, "x", [0.5], np.nan], 0.3)
        singles = case.option("singletons", [False, True], [None, "x"], 0.1)
        answered = attempt(exam.with_answers, rows, known, inclusion=inclusion, singletons=singles)
        expect(np.isfinite(np.asarray(answered.confidence)).all(), "a confidence is not finite")
        _ask(case, answered)
    if case.chance(0.5):
        again = attempt(exam.refit, rows, known)
        expect(np.isfinite(np.asarray(again.confidence)).all(), "a confidence is not finite")
        _ask(case, again)


def diagnosis_case(case: Case) -> None:
    """`diagnose`: NaN and infinity are findings there."""
    kind = case.pick(KINDS)
    n = case.rows()
    X = inputs(case, n, case.size(1, 3), share=0.5)
    y = targets(case, kind, n, share=0.4)
    asked = case.option("kind", [kind, kind, "auto"], [*KINDS, "magic", None], 0.15)
    ignore = case.option("ignore", [()], ["L110", ["L110"], ["x"], 3, None, [1]], 0.15)
    fast = case.option("fast", [False, True], [None, "x"], 0.1)
    classes = case.option("classes", [None], [*ODD_VALUES, ["a", "b", "c"]], 0.15)
    marker = case.option("unlabeled", [None], [-1, "?", [], {}, np.nan], 0.15)
    report = attempt(
        disambig.diagnose,
        X,
        y,
        kind=asked,
        ignore=ignore,
        fast=fast,
        classes=classes,
        unlabeled=marker,
    )
    attempt(str, report)
    attempt(report.to_json)
    attempt(report.frame)
