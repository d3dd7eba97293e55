"""Observations that forget: sets that rules present alike are kept apart by what a player did, and that is said."""

from __future__ import annotations

from typing import Any

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.rules.checks import check_rules
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


class Stating(Forgetful):
    """The same, but the rules say that what is seen is all that the player knows."""

    observations_name_sets = True


WARNING = "Players forget their own choices there. Methods distinguish these sets, and so solve another game"


def test_check_names_two_histories() -> None:
    checked = check_rules(Forgetful())
    assert checked.alike == 2
    assert checked.example == "node r:0 and node r:1"
    assert check_rules(Recalling()).alike == 0
    assert check_rules(Kuhn()).alike == 0


def test_only_rules_that_state_sets_are_warned_of() -> None:
    """An observation that holds what is new follows the documentation: nothing is lost, and nothing is said."""
    for rules in (Forgetful(), Recalling(), Kuhn(), hn.load("tron").played().rules):
        assert check_rules(rules, most=500).warning == ""
    checked = check_rules(Stating())
    assert "2 sets have the observation of another one, such as node r:0 and node r:1" in checked.warning
    assert WARNING in str(checked)


def test_sizes_count_them() -> None:
    assert load_expanded(Forgetful()).sizes.alike == (2,)
    assert load_expanded(Recalling()).sizes.alike == (0,)
    assert hn.load("kuhn_poker").played().sizes.alike == check_counts("kuhn_poker")


def check_counts(address: str) -> tuple[int, ...]:
    """Count by hand: names of sets after the player's own past, and without it."""
    plexes = load_expanded(address).form.treeplexes
    return tuple(sum(list(plex.observation).count(seen) > 1 for seen in plex.observation) for plex in plexes)


def test_inspect_and_check_say_the_same(hannan: Any, tmp_path: Any) -> None:
    names = "Forgetful, Recalling, Stating"
    text = f"import sys\nsys.path.insert(0, '.')\nfrom tests.rules.test_recall import {names}\n"
    (tmp_path / "mine.py").write_text(text)
    assert hannan("inspect", "mine.py:Forgetful", "--json").record["sets_presented_alike"] == [2]
    for command in ("inspect", "check"):
        assert WARNING in " ".join(hannan(command, "mine.py:Stating").err.split())
        assert WARNING in hannan(command, "mine.py:Stating", "--json").record["warning"]
        for name in ("mine.py:Forgetful", "mine.py:Recalling", "tron(height=3,width=3)"):
            assert "forget" not in hannan(command, name).err
