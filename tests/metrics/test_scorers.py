"""Every scorer says what it is, and its example does what it shows."""

import doctest
import inspect
import pickle

import pytest

import disambig.metrics
from disambig.metrics.scorer import SetScorer

SCORERS = {
    name: thing
    for name in disambig.metrics.__all__
    if isinstance(thing := getattr(disambig.metrics, name), SetScorer)
}


def test_there_are_scorers_of_all_kinds() -> None:
    assert {"covering", "kendall", "interval", "tag"} <= {name.split("_")[0] for name in SCORERS}
    assert all(name == scorer.name for name, scorer in SCORERS.items())


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_is_documented(name: str) -> None:
    text = inspect.getdoc(SCORERS[name]) or ""
    assert f"`{SCORERS[name].score.__name__}`" in text.split("\n")[0]
    assert text.startswith("Minus ") == (SCORERS[name].sign < 0)
    parts = [part.split("\n")[0] for part in text.split("\n\n")]
    assert {"Parameters", "Returns", "Examples"} <= set(parts)


@pytest.mark.parametrize("name", SCORERS)
def test_its_example_runs(name: str) -> None:
    text = inspect.getdoc(SCORERS[name]) or ""
    assert f"scoring={name}" in text
    found = doctest.DocTestParser().get_doctest(text + "\n", {}, name, None, None)
    assert len(found.examples) > 5
    said: list[str] = []
    assert not doctest.DocTestRunner().run(found, out=said.append).failed, "".join(said)


def test_a_scorer_can_be_copied_by_pickle() -> None:
    again = pickle.loads(pickle.dumps(disambig.metrics.covering_scorer))
    assert again == disambig.metrics.covering_scorer
    assert again.__doc__ == disambig.metrics.covering_scorer.__doc__
