"""Strategies of ours as OpenSpiel's policies, and back: information sets are matched by playing both games at once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded as load
from hannan.games import catalogue
from hannan.rules.plain import CHANCE, END, movers
from hannan.strategies.profile import Profile
from tests.matching import plan_of
from tests.reference import History, Key, Plan

PERFECT_RECALL = (
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "liars_dice(faces=4)",
    "goofspiel(cards=4,order=descending,information=hidden,returns=half_difference,ties=discard,forced=skip)",
    "goofspiel(cards=3,order=random,information=hidden,returns=win_loss,ties=discard,forced=skip)",
    "goofspiel(cards=3,order=descending,information=hidden,returns=win_loss,ties=discard,forced=skip,players=3)",
)
"""Pairs of the catalogue in which OpenSpiel's information states are exactly our information sets."""

Table = dict[str, list[tuple[int, float]]]
"""OpenSpiel's way to write a policy: the probabilities of numbered actions at each information state."""


@dataclass
class Pair:
    """The same game here and there."""

    ours: ExpandedGame
    theirs: Any
    names: dict[Key, str] = field(default_factory=dict)
    menus: dict[Key, dict[Hashable, int]] = field(default_factory=dict)
    """Our actions to OpenSpiel's numbers."""

    def policy(self, profile: Profile) -> Table:
        """Write a profile as OpenSpiel does."""
        plan = plan_of(profile)
        return {
            name: [(self.menus[key][action], p) for action, p in plan[key].items()] for key, name in self.names.items()
        }

    def plan(self, table: Table) -> Plan:
        """Read one of OpenSpiel's policies."""
        return {
            key: {action: dict(table[name])[number] for action, number in self.menus[key].items()}
            for key, name in self.names.items()
        }

    def match(self, state: Any, histories: tuple[History, ...], theirs: Any) -> None:
        """Note all information sets below a state."""
        turn = self.ours.rules.turn(state)
        if turn == END:
            assert theirs.is_terminal()
        elif turn == CHANCE:
            outcomes = zip(self.ours.rules.chance(state), theirs.chance_outcomes(), strict=True)
            for (outcome, probability), (number, same) in outcomes:
                assert probability == pytest.approx(same, abs=1e-12)
                self.match(self.ours.rules.after(state, outcome), histories, theirs.child(number))
        else:
            self._move(state, histories, theirs, ())

    def _move(self, state: Any, histories: tuple[History, ...], theirs: Any, chosen: tuple[Any, ...]) -> None:
        """Let the next of the movers at a node choose: in OpenSpiel they do so one after another."""
        rules = self.ours.rules
        turn = rules.turn(state)
        who = movers(turn)
        player = who[len(chosen)]
        assert theirs.current_player() == player
        seen, name = rules.observe(state, player), theirs.information_state_string(player)
        key = (player, histories[player], seen)
        actions = dict(zip(rules.actions(state, player), theirs.legal_actions(), strict=True))
        assert self.names.setdefault(key, name) == name
        assert self.menus.setdefault(key, actions) == actions
        for action, number in actions.items():
            joint = (*chosen, action)
            after = list(histories)
            after[player] = (*histories[player], (seen, action))
            if len(joint) < len(who):
                self._move(state, tuple(after), theirs.child(number), joint)
            else:
                following = rules.after(state, joint if isinstance(turn, tuple) else action)
                self.match(following, tuple(after), theirs.child(number))


@cache
def pair(address: str) -> Pair:
    """Load a game here and there; the information sets must be the same, and each named once."""
    pyspiel = pytest.importorskip("pyspiel")
    ours = load(address)
    both = Pair(ours, pyspiel.load_game(catalogue.entry(ours.name).openspiel[address]))
    both.match(ours.rules.start(), ((),) * ours.players, both.theirs.new_initial_state())
    assert len(set(both.names.values())) == len(both.names)
    return both
