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
from disambig.diagnosis.wrong_targets import WRONG_TARGET_CHECKS

CHECKS: tuple[Check, ...] = (
    *LABEL_CHECKS,
    *REGION_CHECKS,
    *BAG_CHECKS,
    *NUMBER_CHECKS,
    *ORDER_CHECKS,
    *BIT_CHECKS,
    *WRONG_TARGET_CHECKS,
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
