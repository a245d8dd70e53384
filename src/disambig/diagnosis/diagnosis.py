"""`diagnose`: look at inputs and candidate sets before training."""

from typing import Any

from disambig.candidates import ClassCounts
from disambig.diagnosis.findings import KINDS, finding_of
from disambig.diagnosis.kinds import kind_of
from disambig.diagnosis.reading import read_targets
from disambig.diagnosis.registry import CHECKS, ignored_codes
from disambig.diagnosis.report import Report
from disambig.diagnosis.subject import Inputs, Subject
from disambig.parameters import check_choice, check_flag
from disambig.threads import limit_threads


@limit_threads(1)
def diagnose(
    X: Any,
    y: Any,
    *,
    kind: str = "auto",
    ignore: Any = (),
    fast: bool = False,
    classes: Any = None,
    unlabeled: Any = None,
) -> Report:
    """Look at inputs and candidate sets before training, and name what will hurt, with rows.

    Every finding has a stable code, the rows it concerns, evidence, why it matters and what to do.
    Nothing is fitted, except for the share of wrong sets (``fast=False``). No true label is used.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, d)
        NaN and infinite entries are allowed here: they are a finding.
    y : candidate sets, n rows
        In any form that the estimators read. Rows that they refuse (an interval with its ends
        swapped, a cyclic order) are findings too, each with its row. For options of a reader
        (places, ties, what 0 and -1 mean) pass the object that it returns, such as
        ``PartialBits.from_any(y, zero="unknown")``; for bags of known class shares ``bag_counts(y,
        bags, proportions)``.
    kind : {"auto", "labels", "numbers", "orders", "bits"}, default "auto"
        What y holds. "auto" goes by its form: objects such as `LabelSets` say it; sets and plain
        labels are labels, two columns of fractions or infinities are intervals, rows of ranks are
        orders. What may be several things raises an error, which says what to pass.
    ignore : list of str
        Codes or names of findings that are not to be looked for.
    fast : bool, default False
        Search the neighbours of 2000 rows, drawn at random, among all rows, and skip what needs
        more. For 100,000 rows and more.
    classes : array-like (K,), optional
        The classes, items or tags, in order.
    unlabeled : object, or a list of them, optional
        Markers of what says nothing, as in `LabelSets.from_any`.

    Returns
    -------
    Report
        ``print`` shows it; `Report.frame` has a row for each sample, `Report.to_json` is for
        programs.

    See Also
    --------
    disambig.trust.cross_examine : Judge the sets by rows that never saw them.
    disambig.theory.ambiguity : Between which classes sets are ambiguous, and where.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig import diagnose
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 2)) + 9.0 * np.repeat([[0, 0], [1, 0], [0, 1]], 30, axis=0)
    >>> y = [{"ant"}, {"ant", "bee"}] * 15 + [{"bee"}, {"bee", "ant"}] * 15 + [{"cow", "dog"}] * 30
    >>> report = diagnose(X, y)
    >>> [(found.code, found.name, found.rows.size) for found in report.issues]
    [('L110', 'classes-always-together', 30)]
    >>> print(report["L110"].message)
    'cow', 'dog' are in the same sets, in all 30 of them.
    """
    check_choice("diagnose", "kind", kind, ("auto", *KINDS))
    check_flag("diagnose", "fast", fast)
    ignored = ignored_codes(ignore)
    found_kind = kind_of(y, kind)
    inputs = Inputs.read(X)
    candidates, refused = read_targets(y, found_kind, classes, unlabeled)
    if inputs.X.shape[0] != len(candidates):
        raise ValueError(
            f"diagnose: X has {inputs.X.shape[0]} rows and y has {len(candidates)}; expected one "
            "set of candidates for each row of X."
        )
    counts = y if isinstance(y, ClassCounts) else None
    subject = Subject(found_kind, candidates, refused, inputs, bool(fast), counts)
    findings = tuple(finding_of(check, subject, check.code in ignored) for check in CHECKS)
    return Report(found_kind, subject.n, inputs.n_features, subject.fast, findings, inputs.index)
