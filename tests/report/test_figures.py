from math import floor, log10

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.report.words import figures


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.3, "1.30"),
        (0.99951, "1.00"),
        (12.345, "12.3"),
        (999.6, "1,000"),
        (1234.5, "1,230"),
        (0.001234, "0.00123"),
        (2.1e-6, "2.10e-06"),
        (0, "0"),
        (-1.5, "-1.50"),
        (float("nan"), "not a number"),
        (float("inf"), "infinite"),
    ],
)
def test_three_significant_digits(value, text):
    assert figures.significant(value) == text


@given(st.floats(min_value=1e-12, max_value=1e12))
def test_a_written_number_is_within_half_a_unit_of_its_third_digit(value):
    written = float(figures.significant(value).replace(",", ""))
    assert abs(written - value) <= 0.501 * 10 ** (floor(log10(value)) - 2) + 1e-15 * value


@pytest.mark.parametrize(
    ("value", "text"), [(1.5, "1.50 s"), (0.00131, "1.31 ms"), (2e-5, "20.0 µs"), (75.0, "75.0 s")]
)
def test_durations_take_the_unit_that_fits(value, text):
    assert figures.seconds(value) == text


def test_an_interval_beside_a_duration_is_in_its_unit():
    assert figures.seconds_span(1.02e-3, 0.98e-3, 1.06e-3) == "0.980 to 1.06"


def test_memory_is_decimal():
    assert figures.memory(412e6) == "412 MB"
    assert figures.memory(8_589_934_592) == "8.59 GB"


def test_percent():
    assert figures.percent(0.02) == "2%"
    assert figures.percent(0.8843) == "88.4%"
