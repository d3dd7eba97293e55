"""Observations that forget: sets that rules present alike are kept apart by what a player did, and that is said."""

from __future__ import annotations

from typing import Any

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.rules.checks import check_game
from hannan.rules.plain import END, Rules
from tests.games.plain import Kuhn


class Forgetful(Rules):
    """One player chooses twice, and at the second choice does not see what it chose first: 2 histories, one view."""

    players = 1

    def start(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> int:
        return END if len(state) == 2 else 0

    def actions(self, state: tuple[int, ...], player: int) -> range:
        return range(2)

    def after(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def observe(self, state: tuple[int, ...], player: int) -> int:
        return len(state)

    def gains(self, state: tuple[int, ...]) -> tuple[float]:
        return (float(len(state) == 2 and state[0] != state[1]),)


class Recalling(Forgetful):
    def observe(self, state: tuple[int, ...], player: int) -> Any:
        return state


def test_check_game_names_two_histories() -> None:
    checked = check_game(Forgetful())
    assert checked.alike == 2
    assert checked.example == "node r:0 and node r:1, say"
    assert "2 information sets look like another one and are kept apart" in str(checked)
    assert check_game(Recalling()).alike == 0
    assert check_game(Kuhn()).alike == 0
    assert "look like" not in str(check_game(Kuhn()))


def test_sizes_count_them() -> None:
    assert load_expanded(Forgetful()).sizes.alike == (2,)
    assert load_expanded(Recalling()).sizes.alike == (0,)
    assert hn.load("kuhn_poker").played().sizes.alike == check_counts("kuhn_poker")


def check_counts(address: str) -> tuple[int, ...]:
    """Count by hand: names of sets after the player's own past, and without it."""
    plexes = load_expanded(address).form.treeplexes
    return tuple(sum(list(plex.observation).count(seen) > 1 for seen in plex.observation) for plex in plexes)


def test_inspect_says_so(hannan: Any, tmp_path: Any) -> None:
    text = "import sys\nsys.path.insert(0, '.')\nfrom tests.rules.test_recall import Forgetful, Recalling\n"
    (tmp_path / "mine.py").write_text(text)
    assert hannan("inspect", "mine.py:Forgetful", "--json").record["sets_presented_alike"] == [2]
    assert "players are taken to recall what they did" in hannan("inspect", "mine.py:Forgetful").err
    assert "recall" not in hannan("inspect", "mine.py:Recalling").err
