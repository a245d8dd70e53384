"""What a notebook shows of a fitted estimator: scikit-learn's diagram, and what was recovered."""

from typing import Any

import numpy as np

from disambig.estimators.selection.trial_texts import short_numbers, weights_text
from disambig.notebooks import html_table


class NotebookMixin:
    """Adds what a fit recovered to scikit-learn's diagram of an estimator."""

    def _repr_html_inner(self) -> str:
        shown: str = super()._repr_html_inner()  # type: ignore[misc]
        return shown + fitted_html(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += fitted_html(self)
        return bundle


def fitted_html(estimator: Any) -> str:
    """A small table of a fitted estimator; empty before the fit."""
    confidence = getattr(estimator, "confidence_", None)
    if confidence is None:
        return ""
    n = len(confidence)
    resolved = int(np.count_nonzero(estimator.resolved_))
    facts = [
        ("rows", f"{n:,}"),
        (f"resolved (confidence from {estimator.resolve_at:g} on)", f"{resolved:,}"),
        ("mean confidence", f"{float(np.mean(confidence)):.3f}"),
        ("confidence by", estimator.confidence_kind_),
        ("chosen", short_numbers(weights_text(estimator.weights_))),
    ]
    return html_table("Recovered", ("", ""), facts)
