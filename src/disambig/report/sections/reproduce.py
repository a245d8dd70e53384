"""*Reproduce this*: the command, versions, seed and a hash of the data."""

from typing import Any

from disambig.report.document import Section
from disambig.report.inputs import ReportInputs
from disambig.report.texts import clean_text


def reproduce_section(inputs: ReportInputs) -> Section:
    """How to get the same result again."""
    seed = inputs.settings.get("seed")
    facts: list[tuple[str, Any]] = [
        ("hash of the table (SHA-256)", inputs.digest),
        ("seed", "none: folds depend on the inputs alone" if seed is None else seed),
    ]
    facts += [
        (name.replace("_", " "), clean_text(value))
        for name, value in inputs.settings.items()
        if name != "seed" and value is not None
    ]
    facts += [(name, version) for name, version in inputs.versions.items()]
    return Section(
        "reproduce",
        "Reproduce this",
        "The same table, settings and versions give the same labels.",
        facts=tuple(facts),
        code=inputs.command,
    )
