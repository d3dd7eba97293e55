"""The picture of a tree: each information set hangs on a line of its own, and every mover's set is named."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.nodes import layout
from hannan.pictures.trees import nodes_of

pytest.importorskip("matplotlib")

CASES = {"goofspiel(cards=3)": 3, "matching_pennies": None, "kuhn_poker": None, "kuhn_poker(players=3)": 5}
"""Games, each with the depth to which it is drawn."""


@pytest.fixture(autouse=True)
def closed() -> Any:
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def members(address: str, depth: int | None) -> dict[tuple[int, str, int], int]:
    """Count the histories of each set of several, by player, name and depth, from the tree alone."""
    counts: Counter[tuple[int, str, int]] = Counter()
    for node in nodes_of(hn.load(address).played(), None, depth):
        counts.update((player, name, node.depth) for player, name in zip(node.who, node.sets, strict=False))
    return {key: count for key, count in counts.items() if count > 1}


@pytest.mark.parametrize("address", CASES)
def test_every_set_of_several_histories_hangs_on_a_line_of_its_own(address: str) -> None:
    axes = hn.draw(address, depth=CASES[address])
    lines = {line.get_gid(): line for line in axes.lines if (line.get_gid() or "").count("-") == 2}
    branches = Counter(line.get_gid() for line in axes.lines if (line.get_gid() or "").endswith("-branch"))
    expected = members(address, CASES[address])
    assert sorted(branches.values()) == sorted(expected.values())
    assert {f"{name}-branch" for name in lines} == set(branches)
    spans = {name: (line.get_xdata()[0], *sorted(line.get_ydata())) for name, line in lines.items()}
    for (one, (x, top, bottom)), (other, (x2, top2, bottom2)) in combinations(spans.items(), 2):
        if top <= bottom2 and top2 <= bottom:  # side by side: another place, so that two do not read as one
            assert abs(x - x2) > 0.05, (one, other)
    assert all(line.get_linestyle() == "--" for line in lines.values())


def test_neighbouring_lines_of_a_player_have_different_colours() -> None:
    axes = hn.draw("goofspiel(cards=3)", depth=3)
    found = defaultdict(set)
    for line in axes.lines:
        if (line.get_gid() or "").count("-") == 2:
            found[line.get_gid().split("-")[1]].add(tuple(line.get_color()))
    assert {player: len(colours) for player, colours in found.items()} == {"0": 3, "1": 3}


def test_joint_nodes_carry_the_name_of_each_movers_set() -> None:
    axes = hn.draw("goofspiel(cards=3)", depth=3)
    nodes = nodes_of(hn.load("goofspiel(cards=3)").played(), None, 3)
    where = layout(nodes)
    drawn = Counter((text.get_text(), text.xy) for text in axes.texts if hasattr(text, "xy"))
    wanted = Counter(
        (name, place) for node, place in zip(nodes, where.places, strict=True) for name in node.sets if node.joint
    )
    assert sum(wanted.values()) == 2 * (3 + 54)  # the first prize is one of 3, then 9 joint moves and 2 prizes
    assert drawn == wanted


def test_names_do_not_lie_on_each_other() -> None:
    """At joint nodes the boxes of all names of one column are disjoint, and the marks of nodes cover none of them."""
    axes = hn.draw("goofspiel(cards=3)", depth=3)
    axes.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts if hasattr(text, "xy") and text.xy[0] > 2]
    assert len(boxes) == 108
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_a_set_at_two_depths_is_joined_across_them() -> None:
    class Late(hn.Rules):
        """Chance moves or not, and the player does not see it."""

        players = 1

        def start(self) -> Any:
            return ()

        def turn(self, state: Any) -> Any:
            if state in ((), ("twice",)):
                return hn.CHANCE
            return hn.END if state[-1] in "ab" else 0

        def chance(self, state: Any) -> Any:
            return [("once", 0.5), ("twice", 0.5)] if not state else [("then", 1.0)]

        def actions(self, state: Any, player: int) -> Any:
            return ["a", "b"]

        def observe(self, state: Any, player: int) -> Any:
            return None

        def after(self, state: Any, move: Any) -> Any:
            return (*state, move)

        def gains(self, state: Any) -> Any:
            return (1.0,) if state and state[-1] == "a" else (0.0,)

    axes = hn.draw(Late())
    assert [line.get_gid() for line in axes.lines if line.get_gid()] == ["set-0-0-link"]


def test_a_strategy_is_enough_and_a_file_is_written_as_well(tmp_path: Path) -> None:
    from matplotlib import pyplot

    profile = hn.uniform("kuhn_poker")
    axes = hn.draw(profile, title="mine", size=(5, 4))
    assert (axes.figure.get_suptitle(), list(axes.figure.get_size_inches())) == ("mine", [5, 4])
    assert pyplot.fignum_exists(axes.figure.number)  # it is to be shown
    assert "p 0.5" in {text.get_text() for text in axes.texts}
    written = hn.draw("kuhn_poker", tmp_path / "k.svg", profile)
    assert "p 0.5" in {text.get_text() for text in written.texts}
    assert (tmp_path / "k.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert len(pyplot.get_fignums()) == 1  # a script that writes files opens no windows
    _, ax = pyplot.subplots()
    assert hn.draw(hn.Policy.of_profile(profile), ax=ax) is ax
    solved = hn.draw(hn.solve("kuhn_poker", "lp"))
    assert "J 0.333" in {text.get_text() for text in solved.texts}
    with pytest.raises(hn.errors.ParameterError, match="two strategies"):
        hn.draw(profile, strategy=profile)
    with pytest.raises(hn.errors.ParameterError, match="size is for a new figure"):
        hn.draw(profile, ax=ax, size=(3, 3))


@pytest.mark.parametrize("size", [3, (1,), (0, 1), (1, float("nan")), "ab", (1, 1000)])
def test_a_size_that_is_none_is_refused(size: Any) -> None:
    with pytest.raises(hn.errors.ParameterError, match=r"size|width|height"):
        hn.draw("kuhn_poker", size=size)
