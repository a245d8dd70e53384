"""Readings: means, standard errors, and how far they are from the authors' numbers."""

import math
from dataclasses import replace

import pytest

from reproduce.readings import Reading, compared, departures

WORDS = {"panel": "p", "method": "DF", "choice": "truth", "quantity": "error", "over": "seeds"}


def test_a_single_value_has_no_standard_error() -> None:
    reading = Reading.of([0.25], **WORDS)
    assert (reading.mean, reading.standard_error) == (0.25, None)


def test_distances_use_both_standard_errors() -> None:
    reading = Reading.of([0.4, 0.6], authors=0.3, authors_error=0.1, **WORDS)
    (found,) = compared([reading])
    assert found.standard_errors == pytest.approx(0.2 / math.hypot(0.1, 0.1))
    assert departures([reading]) == []
    assert departures([reading], beyond=1.0) == [found]


def test_without_standard_errors_only_equal_numbers_agree() -> None:
    reading = Reading.of([0.3004], authors=0.3, **WORDS)
    assert departures([reading]) == []
    (found,) = departures([replace(reading, mean=0.29)])
    assert found.standard_errors == -math.inf


def test_readings_without_a_counterpart_are_not_compared() -> None:
    assert compared([Reading.of([0.1, 0.2], **WORDS)]) == []
