"""Frequencies: what the words of the archive mean, and after how many observations a season repeats."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.data.series.frequency import HALF_HOURLY, UNITS, Frequency

KNOWN = {  # word: (what pandas calls it, GluonTS's seasonality, the cycle)
    "4_seconds": ("4s", 900, 900),
    "minutely": ("min", 1440, 1440),
    "10_minutes": ("10min", 144, 144),
    "half_hourly": ("30min", 48, 48),
    "hourly": ("h", 24, 24),
    "daily": ("D", 1, 7),
    "weekly": ("W", 1, 52),
    "monthly": ("M", 12, 12),
    "quarterly": ("Q", 4, 4),
    "yearly": ("Y", 1, 1),
    "5_months": ("5M", 1, 1),  # no whole number of them is a year
}


@pytest.mark.parametrize("word", KNOWN)
def test_the_words_of_the_archive(word):
    frequency = Frequency.of(word)
    assert (frequency.alias, frequency.seasonality, frequency.cycle) == KNOWN[word]


@given(st.text(max_size=12))
def test_another_word_means_nothing(word):
    if word in UNITS or word == HALF_HOURLY:
        assert Frequency.of(word).word == word
    else:
        with pytest.raises(ValueError, match="there is no frequency"):
            Frequency.of(word)


@given(st.integers(1, 10_000), st.sampled_from(sorted(UNITS)))
def test_a_season_is_at_least_one_observation(count, unit):
    frequency = Frequency.of(f"{count}_{unit}")
    assert frequency.count == count and 1 <= frequency.seasonality <= frequency.cycle
