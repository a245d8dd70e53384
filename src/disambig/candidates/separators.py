"""Labels that look like sets written as text."""

import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Any

__all__ = ["SEPARATORS", "joined_label", "warn_of_joined_labels"]

SEPARATORS = ("|", ";", ",")


def joined_label(labels: Iterable[Any]) -> tuple[str, str] | None:
    """A label whose pieces all occur elsewhere, and the separator between them; or None.

    Examples
    --------
    >>> joined_label(["cat", "dog", "cat|dog"])
    ('cat|dog', '|')
    >>> joined_label(["Paris, France", "Lyon, France"]) is None
    True
    """
    texts = [label for label in labels if isinstance(label, str)]
    for separator in SEPARATORS:
        split = {
            text: {piece.strip() for piece in text.split(separator)}
            for text in texts
            if separator in text
        }
        if not split:
            continue
        occurs = Counter(piece for pieces in split.values() for piece in pieces)
        occurs.update(text for text in texts if text not in split)
        for text, pieces in split.items():
            if len(pieces) > 1 and all(occurs[piece] > 1 for piece in pieces):
                return text, separator
    return None


def warn_of_joined_labels(labels: Iterable[Any]) -> None:
    """Warn if a label is most likely a set that nobody split."""
    found = joined_label(labels)
    if found is not None:
        text, separator = found
        warnings.warn(
            f"The label {text!r} is read as one class, though its pieces occur as labels too. If "
            f"it is a set, use LabelSets.from_strings(y, separator={separator!r}); if it is a "
            "class, name the classes by classes=.",
            UserWarning,
            stacklevel=5,
        )
