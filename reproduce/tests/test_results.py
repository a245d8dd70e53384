"""Results of figures: means, standard errors, and differences from the authors' numbers."""

import math
from dataclasses import replace

import pytest

from reproduce.results import FigureResult, compared, departures

WORDS = {"panel": "p", "method": "DF", "choice": "truth", "quantity": "error", "over": "seeds"}


def test_a_single_value_has_no_standard_error() -> None:
    result = FigureResult.of([0.25], **WORDS)
    assert (result.mean, result.standard_error) == (0.25, None)


def test_differences_use_both_standard_errors() -> None:
    result = FigureResult.of([0.4, 0.6], authors=0.3, authors_error=0.1, **WORDS)
    (found,) = compared([result])
    assert found.standard_errors == pytest.approx(0.2 / math.hypot(0.1, 0.1))
    assert departures([result]) == []
    assert departures([result], beyond=1.0) == [found]


def test_without_standard_errors_only_equal_numbers_agree() -> None:
    result = FigureResult.of([0.3004], authors=0.3, **WORDS)
    assert departures([result]) == []
    (found,) = departures([replace(result, mean=0.29)])
    assert found.standard_errors == -math.inf


def test_results_without_a_number_of_the_authors_are_not_compared() -> None:
    assert compared([FigureResult.of([0.1, 0.2], **WORDS)]) == []
