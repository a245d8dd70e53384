"""All checks, in the order of the report."""

from collections.abc import Collection
from typing import Any

from disambig.diagnosis.bags import BAG_CHECKS
from disambig.diagnosis.bits import BIT_CHECKS
from disambig.diagnosis.features import FEATURE_CHECKS
from disambig.diagnosis.findings import Check
from disambig.diagnosis.label_regions import REGION_CHECKS
from disambig.diagnosis.labels import LABEL_CHECKS
from disambig.diagnosis.numbers import NUMBER_CHECKS
from disambig.diagnosis.orders import ORDER_CHECKS

CHECKS: tuple[Check, ...] = (
    *LABEL_CHECKS,
    *REGION_CHECKS,
    *BAG_CHECKS,
    *NUMBER_CHECKS,
    *ORDER_CHECKS,
    *BIT_CHECKS,
    *FEATURE_CHECKS,
)


def ignored_codes(ignore: Any) -> frozenset[str]:
    """The codes of the checks that `ignore` names, by code or by name.

    Examples
    --------
    >>> sorted(ignored_codes(["L110", "copies-contradict"]))
    ['B103', 'L103', 'L110', 'N103', 'O103']
    """
    if isinstance(ignore, (str, bytes)) or not isinstance(ignore, Collection):
        raise ValueError(
            f"diagnose: ignore must be a list of codes or names, such as ['L103']; got {ignore!r}."
        )
    known = {check.code for check in CHECKS} | {check.name for check in CHECKS}
    for entry in ignore:
        if entry not in known:
            raise ValueError(
                f"diagnose: ignore has {entry!r}, which is no code or name of a finding. Codes: "
                f"{', '.join(check.code for check in CHECKS)}."
            )
    return frozenset(check.code for check in CHECKS if {check.code, check.name} & set(ignore))


_KINDS = {"L": "Labels", "N": "Numbers", "O": "Orders", "B": "Tags", "F": "Features"}


def text_of_checks() -> str:
    """The codes of docs/diagnosis.md: those that all kinds of target share, then those of each."""
    together: dict[str, list[Check]] = {}
    for check in CHECKS:
        together.setdefault(check.name, []).append(check)
    parts = ["### In all kinds of target"]
    parts += [_entry(checks) for checks in together.values() if len(checks) > 1]
    for letter, title in _KINDS.items():
        own = [one for one in together.values() if len(one) == 1 and one[0].code[0] == letter]
        parts += [f"### {title}", *(_entry(checks) for checks in own)]
    return "\n\n".join(parts)


def _entry(checks: list[Check]) -> str:
    """A heading that links can name, and what one check of one kind or of several finds."""
    first = checks[0]
    detected: dict[str, list[str]] = {}
    for check in checks:
        detected.setdefault(check.detected, []).append(_KINDS[check.code[0]].lower())
    how = [f"- Detected ({', '.join(kinds)}): {text}" for text, kinds in detected.items()]
    if len(how) == 1:
        how = [f"- Detected: {first.detected}"]
    lines = [
        f"#### {', '.join(check.code for check in checks)}: {first.name}",
        "",
        f"**{first.title}** ({first.level}).",
        "",
        *how,
        f"- Why it matters: {first.why}",
        f"- What to do: {first.remedy}",
    ]
    return "\n".join(lines)


def rows_of_checks() -> str:
    """The table of docs/failures.md: a line for every check, with its cause and its remedy."""
    lines = ["| code | cause | what to do |", "|---|---|---|"]
    for check in CHECKS:
        shared = [one for one in CHECKS if one.name == check.name]
        slug = "-".join([*(one.code.lower() for one in shared), check.name])
        link = f"[{check.code}](diagnosis.md#{slug})"
        remedy = check.remedy.replace("cat|dog", "cat\\|dog")
        lines.append(f"| {link} {check.name} | {check.title} | {remedy} |")
    return "\n".join(lines)
