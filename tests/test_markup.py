"""What a notebook shows: whole HTML, nothing from elsewhere, every text escaped."""

from __future__ import annotations

import math
import re
from typing import Any
from xml.etree import ElementTree

import pytest

import hannan as hn
from hannan.markup import ABOVE, BELOW, COLOURS, HIGH, LEFT, RIGHT, WIDE, cell, chart, facts, grid, page
from hannan.pictures.trees import nodes_of

NASTY = "<script>alert('&\"x')</script>"


def parsed(html: str) -> ElementTree.Element:
    """Read HTML as XML, which it is too, without its name space; refuse what would be loaded or run."""
    assert re.findall(r"https?://[^\"]*", html) in ([], ["http://www.w3.org/2000/svg"])
    assert not re.search(r"<(script|link|img|iframe|style)|\s(src|href|on\w+)=", html)
    return ElementTree.fromstring(html.replace(' xmlns="http://www.w3.org/2000/svg"', ""))


def named(game: Any) -> Any:
    """Give a game a name that would be a program."""
    game.name, game.built_in = NASTY, False
    return game


SHOWN: dict[str, Any] = {
    "expanded game": lambda: named(hn.load("matching_pennies").expanded()),
    "played game": lambda: named(hn.views.PlayedGame(hn.load("kuhn_poker").played().rules)),
    "profile": lambda: hn.uniform(named(hn.load("matching_pennies"))),
    "policy": lambda: hn.Policy.of_profile(hn.uniform(named(hn.load("matching_pennies")))),
    "result": lambda: hn.solve(named(hn.load("matching_pennies")), "cfr", iterations=9),
    "log": lambda: hn.records.LoggedRun({"game": NASTY, "method": "cfr"}, (), None),
    "match": lambda: hn.match("kuhn_poker", "uniform", "uniform", games=20, names=[NASTY, "b"]),
    "search": lambda: hn.search(named(hn.load("goofspiel(cards=3,information=open)")), iterations=40),
    "certificate": lambda: hn.certify(named(hn.load("kuhn_poker")), playthroughs=2000),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_every_record_is_whole_and_escaped(kind: str) -> None:
    shown = SHOWN[kind]()
    html = shown._repr_html_()
    parsed(html)
    assert "&lt;script&gt;alert(&#x27;&amp;&quot;x&#x27;)&lt;/script&gt;" in html
    curved = kind in ("search", "certificate")  # the others have no curve, or one of gaps that are 0
    assert ("<polyline" in html) == curved


def test_a_small_game_shows_its_tree_and_a_large_one_does_not() -> None:
    nodes = nodes_of(hn.load("kuhn_poker").played())
    root = parsed(hn.load("kuhn_poker")._repr_html_())
    texts = [text.text for text in root.iter("text")]
    assert sum(text == "J p Jpb" for text in texts) == 2
    assert sum(re.fullmatch(r"-?\d, -?\d", text or "") is not None for text in texts) == 30  # ends of play
    assert len(list(root.iter("rect"))) == sum(node.chance for node in nodes) == 4
    circles = [circle for circle in root.iter("circle") if circle.get("r") == "7"]
    assert [sum(circle.get("fill") == COLOURS[player] for circle in circles) for player in (0, 1)] == [12, 12]
    assert "<svg" not in hn.load("leduc_poker")._repr_html_()


def test_sizes_are_shown_only_once_they_are_known() -> None:
    game = hn.load("leduc_poker").played()
    cells = [cell.text for cell in parsed(hn.views.PlayedGame(game.rules)._repr_html_()).iter("td")]
    assert "histories" not in cells
    expanded = hn.load("leduc_poker").expanded()
    _ = expanded.form
    cells = [cell.text for cell in parsed(expanded._repr_html_()).iter("td")]
    assert cells[cells.index("histories") + 1] == "9,457"


def test_rules_that_break_a_promise_are_shown_without_a_tree() -> None:
    class Broken(hn.Rules):
        def start(self) -> Any:
            return ()

        def turn(self, state: Any) -> Any:
            raise RuntimeError("nobody knows")

        def actions(self, state: Any, player: int) -> Any:
            return ["a"]

        def after(self, state: Any, move: Any) -> Any:
            return state

        def observe(self, state: Any, player: int) -> Any:
            return None

    html = hn.views.PlayedGame(Broken())._repr_html_()
    assert parsed(html) is not None
    assert "<svg" not in html


def test_a_curve_stands_where_its_numbers_say() -> None:
    """On log-log scales 1, 10, 1000 lie at 0, 1/3 and 1 of the width; the gaps 1, 0.1, 0.01 at equal steps down."""
    root = parsed(chart([(1, 1.0), (10, 0.1), (1000, 0.01)], "iterations", "gap"))
    (line,) = root.iter("polyline")
    points = [tuple(map(float, point.split(","))) for point in str(line.get("points")).split()]
    width, height = WIDE - LEFT - RIGHT, HIGH - ABOVE - BELOW
    expected = [(LEFT, ABOVE), (LEFT + width / 3, ABOVE + height / 2), (LEFT + width, ABOVE + height)]
    for point, place in zip(points, expected, strict=True):
        assert point == pytest.approx(place, abs=0.06)  # a tenth of a pixel is written
    assert {"1", "10", "100", "1e+03", "0.1", "0.01", "gap", "iterations"} == {text.text for text in root.iter("text")}


@pytest.mark.parametrize("points", [[], [(1, 1.0)], [(1, 0.0), (2, 0.0)], [(1, math.nan), (2, math.inf), (3, 1.0)]])
def test_what_cannot_be_drawn_is_left_out(points: list[tuple[float, float]]) -> None:
    assert chart(points, "iterations", "gap") == ""


@pytest.mark.parametrize("points", [[(1, 1.0), (1, 1.0)], [(1, 1e-300), (10**9, 1e300)], [(5, 0.5), (6, 0.49)]])
def test_curves_of_any_extent_stay_in_the_frame(points: list[tuple[float, float]]) -> None:
    root = parsed(chart(points, "iterations", "gap"))
    for text in root.iter("text"):
        assert 0 <= float(str(text.get("x"))) <= WIDE
        assert 0 <= float(str(text.get("y"))) <= HIGH
    assert len(list(root.iter("text"))) <= 2 + 2 * 8


def test_the_colours_of_a_page_are_its_own() -> None:
    """Letters and lines take the colour of the page; others are neither near black nor near white."""
    html = hn.load("kuhn_poker")._repr_html_() + chart([(1, 1.0), (9, 0.1)], "x", "y")
    for colour in set(re.findall(r'(?:fill|stroke)="([^"]+)"', html)) - {"currentColor", "none"}:
        red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        light = (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255
        assert 0.3 < light < 0.75 or colour == "#ffffff", colour  # white stands on a coloured mark alone


def test_cells() -> None:
    written = [None, math.nan, True, 1234567, 0.123456789, (1, None), {"a": 0.5, "<b>": 2}, "x" * 1000]
    assert [cell(fact) for fact in written] == [
        "—", "—", "true", "1,234,567", "0.123457", "1  —", "a 0.5, &lt;b&gt; 2", "x" * 299 + "…",
    ]  # fmt: skip
    table = parsed(page("t", grid(["<h>"], [["a"], ["b"]], more=3), facts({"nash_conv": 1.0})))
    assert [one.text for one in table.iter("td")] == ["a", "b", "nash conv", "1"]
    assert [one.text for one in table.iter("p")] == ["… and 3 more"]


def test_a_profile_and_its_policy_are_shown_alike() -> None:
    profile = hn.random_profile("kuhn_poker", seed=3)
    shown = [
        sorted(tuple(cell.text or "" for cell in row) for row in parsed(one._repr_html_()).iter("tr"))
        for one in (profile, hn.Policy.of_profile(profile))
    ]
    assert shown[0] == shown[1]


def test_an_evaluation_shows_its_numbers() -> None:
    """Uniform play of Kuhn poker: its NashConv is 11/12."""
    cells = [cell.text for cell in parsed(hn.evaluate("kuhn_poker", hn.uniform("kuhn_poker"))._repr_html_()).iter("td")]
    assert cells[cells.index("nash conv") + 1] == f"{11 / 12:.6g}"


def test_long_strategies_say_how_much_is_not_shown() -> None:
    root = parsed(hn.uniform("leduc_poker")._repr_html_())
    assert len(list(root.iter("tr"))) == 1 + 2 * 20
    assert [one.text for one in root.iter("p")] == [f"… and {936 - 40} more"]
