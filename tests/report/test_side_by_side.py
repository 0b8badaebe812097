"""The page of implementations beside each other: what is on it, what is marked, and how it lies on a screen."""

from html.parser import HTMLParser

import pytest
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES
from test_theme import contrast

from rosettabench.catalogue.workload import find_workload
from rosettabench.report.charts.theme import DARK, LIGHT
from rosettabench.report.formats.side_by_side import (
    STYLES,
    Section,
    SideBySide,
    changed_words,
    differences,
    render_side_by_side,
)

HOSTILE = "<script>alert(1)</script>"
ROWS = {
    "loss": {
        "one": "def loss(logits, labels):\n    return F.cross_entropy(logits, labels)",
        "two": "def loss(logits, labels):\n    return cross_entropy(logits, labels).mean()",
    },
    "extra": {"two": f'extra = "{HOSTILE}"\n\nmore = 1'},
}
PAGE = SideBySide(HOSTILE, HOSTILE, {"one": "python", "two": "python"}, [Section("All", "Of two.", ROWS)])


class Outline(HTMLParser):
    """What a page holds: its tags with their attributes, its text, and the text that is marked."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self.marks, self.within = [], "", [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "mark":
            self.within = True
            self.marks.append("")

    def handle_endtag(self, tag):
        self.within = self.within and tag != "mark"

    def handle_data(self, data):
        self.text += data
        if self.within:
            self.marks[-1] += data


@pytest.fixture(scope="module")
def outline():
    return Outline(render_side_by_side(PAGE).decode())


def test_the_page_holds_every_definition(outline):
    for row in ROWS.values():
        for text in row.values():
            assert text in outline.text
    heads = [tag for tag, attributes in outline.tags if tag == "th" and attributes.get("scope") == "col"]
    assert len(heads) == 2


def test_the_page_asks_nobody_for_anything(outline):
    assert not {tag for tag, _ in outline.tags} & {"script", "link", "img", "iframe", "object"}
    assert not [name for _, attributes in outline.tags for name in attributes if name in ("src", "href")]
    assert "default-src 'none'" in next(one["content"] for _, one in outline.tags if "http-equiv" in one)


def test_what_differs_from_the_first_column_is_marked(outline):
    assert outline.marks == [".mean()"], "and F. is only left out; what has no other is not marked"


@pytest.mark.parametrize(
    ("first", "other", "changed"),
    [
        ("a b", "a b", []),
        ("a b", "a c", ["c"]),
        ("", "a c", ["a", "c"]),
        ("x y z", "a b c", ["a", "b", "c"]),
    ],
)
def test_words_that_differ(first, other, changed):
    words = [word for part in other.split(" ") for word in (part, " ")][:-1]
    candidates = [[word for part in first.split(" ") for word in (part, " ")][:-1]] if first else []
    places = changed_words(candidates, words)
    assert [words[place] for place in sorted(places)] == changed


def test_lines_that_are_new_or_moved():
    first, other = [["a"], ["b"], ["c"]], [["a"], ["x"], ["b"], ["c"]]
    assert differences(first, other) == [set(), {0}, set(), set()]
    assert differences(first, first[1:]) == [set(), set()]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_colours_stand_out_from_the_ground_and_from_marks(theme):
    style = get_style_by_name(STYLES[theme.name])
    names = [token for token in STANDARD_TYPES if str(token).startswith(USED)]
    colours = {f"#{colour}" for token in names if (colour := style.style_for_token(token)["color"])}
    assert len(colours) > 4
    for ground in (theme.ground, theme.mark):
        assert all(contrast(colour, ground) >= 4.5 for colour in [theme.ink, *colours])


USED = tuple(
    f"Token.{kind}"
    for kind in (
        "Comment.Single",
        "Keyword",
        "Name.Builtin",
        "Name.Class",
        "Name.Function",
        "Literal.String.D",
        "Operator",
    )
)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A page as the command writes it."""
    from rosettabench.catalogue.implementation import implementations
    from rosettabench.cli.show import side_by_side

    workload = find_workload("imdb-gru")
    path = tmp_path_factory.mktemp("show") / "page.html"
    columns = implementations(workload, ["pytorch", "jax"])
    path.write_bytes(render_side_by_side(side_by_side(workload, columns, step=True)))
    return path


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scrolls"), [(1280, False), (390, True)])
def test_it_scrolls_in_its_own_box(opened, page_file, width, scrolls):
    page = opened(width, path=page_file, drawn=False)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("(box => box.scrollWidth > box.clientWidth)(document.querySelector('main'))") == scrolls


@pytest.mark.browser
def test_the_names_of_the_frameworks_stay_in_sight(opened, page_file):
    page = opened(path=page_file, drawn=False)
    page.evaluate("document.querySelector('main').scrollTo(0, 2000)")
    assert page.evaluate("document.querySelector('thead th').getBoundingClientRect().top") == 0


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_are_switched_off(opened, page_file, scheme):
    page = opened(scheme=scheme, path=page_file, drawn=False)
    ground = "getComputedStyle(document.querySelector('mark')).backgroundColor"
    shown = page.evaluate(ground)
    page.uncheck("#marks")
    assert page.evaluate(ground) == "rgba(0, 0, 0, 0)" != shown
