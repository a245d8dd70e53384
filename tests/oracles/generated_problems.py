"""Problems for hypothesis. Many have integer votes and losses, so that ties are frequent."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from disambig.candidates import LabelSets
from tests.oracles.tiny_problems import FORMS, LOSSES, WEIGHTINGS, TinyProblem

__all__ = ["label_sets", "problems"]


@st.composite
def label_sets(draw: st.DrawFn, n: int, K: int) -> LabelSets:
    """``n`` non-empty sets among ``K`` classes."""
    mask = draw(hnp.arrays(np.bool_, (n, K)))
    kept = draw(hnp.arrays(np.intp, n, elements=st.integers(0, K - 1)))
    mask[np.arange(n), kept] = True
    return LabelSets(mask, np.arange(K))


@st.composite
def problems(
    draw: st.DrawFn,
    forms: tuple[str, ...] = tuple(FORMS),
    losses: tuple[str, ...] = tuple(LOSSES),
    largest: int = 7,
) -> TinyProblem:
    """Votes drawn entry by entry (these shrink well) or from a seeded weighting; any loss."""
    n, K = draw(st.integers(1, largest)), draw(st.integers(1, 4))
    weighting = draw(st.sampled_from(["integers", "sparse integers", *WEIGHTINGS]))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    if weighting in WEIGHTINGS:
        A = WEIGHTINGS[weighting](rng, n)
    else:
        entry = st.integers(-2, 2) if weighting == "integers" else st.sampled_from([0, 0, 0, 1])
        A = draw(hnp.arrays(np.float64, (n, n), elements=entry.map(float)))
    name = draw(st.sampled_from(losses))
    sets = draw(label_sets(n, K))
    return TinyProblem(
        A=A,
        loss=LOSSES[name](rng, K).bind(sets.classes),
        sets=sets,
        weighting=weighting,
        loss_name=name,
        form=draw(st.sampled_from(forms)),
    )
