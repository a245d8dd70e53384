"""Checks of bags of known class shares: what the shares alone can tell apart."""

from disambig.candidates.labels.bag_information import bag_information
from disambig.candidates.labels.class_counts import ClassCounts, is_in_bags
from disambig.diagnosis.findings import Check, NotApplicable, Outcome, Verdict
from disambig.diagnosis.subject import Subject

_KIND = ("labels",)
_NO_BAGS = "rows are in no bags of known class shares"


def _counts(subject: Subject) -> ClassCounts | None:
    return subject.counts if is_in_bags(subject.counts) else None


def shares_like_chance(subject: Subject) -> Verdict:
    """Bags whose shares differ by no more than chance."""
    counts = _counts(subject)
    if counts is None:
        return NotApplicable(_NO_BAGS)
    found = bag_information(counts)
    evidence = {
        "bags": found.n_known,
        "spread": found.spread,
        "singular_values": found.singular_values.tolist(),
        "noise": found.noise,
    }
    if not found.is_weak:
        return Outcome(evidence=evidence)
    text = f"{found.text[0].upper()}{found.text[1:]}."
    return Outcome(text, None, None, evidence, is_mild=not found.says_nothing)


def too_few_directions(subject: Subject) -> Verdict:
    """Bags whose shares vary in fewer directions than there are classes less one."""
    counts = _counts(subject)
    if counts is None:
        return NotApplicable(_NO_BAGS)
    found = bag_information(counts)
    evidence = {"directions": found.n_directions, "needed": found.n_needed}
    if found.n_directions in (0, found.n_needed):
        return Outcome(evidence=evidence)
    return Outcome(
        f"The class shares of the bags vary in {found.n_directions} directions, and "
        f"{found.n_needed + 1} classes need {found.n_needed}.",
        None,
        None,
        evidence,
    )


BAG_CHECKS = (
    Check(
        "L140",
        "bags-like-chance",
        "Bags whose class shares differ by no more than chance",
        "issue",
        _KIND,
        "Fewer than 20 bags, and no singular value of their shares (less the mean, in units of "
        "chance) is above that of rows dealt to bags by chance. A tip if shares differ by .05.",
        "The shares cannot say which rows have which class. Without sets, equal shares are "
        "refused.",
        "Form bags by place, time or source, whose shares differ; or label some rows.",
        shares_like_chance,
    ),
    Check(
        "L141",
        "bags-confuse-classes",
        "Class shares that vary in too few directions",
        "tip",
        _KIND,
        "Some, but fewer singular values than classes less one are above chance.",
        "Mixtures of some classes are the same in all bags, so that only sets, labels or clusters "
        "of inputs tell these classes apart.",
        "Add bags with other mixtures of these classes, or label some of their rows.",
        too_few_directions,
    ),
)
