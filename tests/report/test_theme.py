"""Colours: each contender's is told from the ground, and the text can be read."""

import pytest

from rosettabench.report.charts.theme import DARK, LIGHT, SHAPES


def luminance(colour):
    """Relative luminance of #rrggbb (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_marks_and_text_stand_out_from_the_ground(theme):
    assert all(contrast(colour, theme.ground) >= 3 for colour in theme.contenders)
    for text in (theme.ink, theme.quiet, theme.alarm):
        assert contrast(text, theme.ground) >= 4.5
        assert contrast(text, theme.wash) >= 4.5


def test_colours_and_shapes_go_together():
    for theme in (LIGHT, DARK):
        colours = len(set(theme.contenders))
        assert colours == len(theme.contenders)
        looks = [(place % colours, place % len(SHAPES)) for place in range(colours * len(SHAPES))]
        assert len(set(looks)) == 56
