"""The page of public names is up to date, and every difference between estimators has a reason."""

import inspect

import pytest

from benchmarks.trees.public_face import (
    ATTRIBUTES,
    ESTIMATORS,
    EXPLAINED,
    PACKAGES,
    PAGE,
    PARAMETERS,
    attribute_table,
    attributes,
    differences,
    page,
    parameter_table,
    parameters,
    public_names,
)
from disambig import PartialLabelClassifier, disambiguate

NAMES = [estimator.__name__ for estimator in ESTIMATORS]


def found_differences() -> set[str]:
    return {*differences(parameter_table()), *differences(attribute_table())}


def test_the_page_is_not_stale() -> None:
    message = "run `python -m benchmarks.trees.public_face --write`"
    assert PAGE.read_text(encoding="utf-8") == page(), message


def test_every_difference_has_an_explanation() -> None:
    assert not found_differences() - set(EXPLAINED)


def test_every_explanation_has_a_difference() -> None:
    assert not set(EXPLAINED) - found_differences()


def test_a_difference_is_a_name_that_some_lack_or_another_default() -> None:
    table = {"same": ["1", "1"], "default": ["1", "2"], "lacking": ["1", "–"]}
    assert differences(table) == ["default", "lacking"]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
def test_all_estimators_share_these_parameters(estimator: type) -> None:
    found = parameters(estimator)
    assert set(PARAMETERS) <= set(found)
    assert found["weights"] == found["solver"] == '`"auto"`'


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
def test_all_estimators_share_these_attributes(estimator: type) -> None:
    assert set(ATTRIBUTES) <= set(attributes(estimator))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
def test_docstrings_name_all_parameters_and_attributes(estimator: type) -> None:
    text = str(estimator.__doc__).replace(",", " ").split()
    names = {*parameters(estimator), *attributes(estimator)}
    assert not names - {"by position"} - set(text)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_has_a_line(package: str) -> None:
    found = public_names(package)
    assert not [name for name, text in found.items() if not text]


def test_disambiguate_takes_the_parameters_of_the_classifier() -> None:
    found = set(inspect.signature(disambiguate).parameters)
    assert found - {"X", "y", "sample_weight", "groups"} == set(
        inspect.signature(PartialLabelClassifier).parameters
    ) - {"predict_weights"}


def test_disambiguate_logs_if_it_is_verbose(caplog: pytest.LogCaptureFixture) -> None:
    votes = [[0.5, 0.5], [0.5, 0.5]]
    with caplog.at_level("INFO", logger="disambig"):
        disambiguate(None, [{"a"}, {"a", "b"}], weights=votes)
        assert not caplog.records
        disambiguate(None, [{"a"}, {"a", "b"}], weights=votes, verbose=1)
    assert "PartialLabelClassifier" in caplog.text
