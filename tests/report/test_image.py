from dataclasses import replace

import pytest

from rosettabench.errors import UsageError
from rosettabench.report.formats.image import SCALE, WIDTH, render_image


def test_the_picture_is_a_png_wide_enough_for_the_plots(summary):
    image = render_image(summary)
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = (int.from_bytes(image[i : i + 4], "big") for i in (16, 20))
    assert width >= WIDTH * SCALE
    assert height > 500


def test_without_a_ranking_there_is_no_picture(summary):
    with pytest.raises(UsageError, match="no ranking"):
        render_image(replace(summary, contests=()))
