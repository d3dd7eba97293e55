"""An OpenSpiel game as rules: a state is an OpenSpiel state that is never changed, an action is its number."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from hannan.errors import STRAY
from hannan.interop.openspiel.games import Wanted, load_theirs
from hannan.interop.openspiel.look import CHANCE_PLAYER, TERMINAL_PLAYER, apply_joint, look, simultaneous_movers
from hannan.interop.stated import Forgetting, StatedRules
from hannan.rules.plain import CHANCE, END, MOST_MOVES
from hannan.rules.visitor import Look, LookedRules, Visitor

SIMULTANEOUS = -2
"""OpenSpiel's player number at nodes of simultaneous moves."""


FEWEST, ENOUGH = 5, 2000
"""The least number of random plays, and the number of moves in all after which no further play begins."""

CLEARLY = 1e12
"""An estimated number of histories that is too large in any case, even after few plays."""


class SpielRules(StatedRules, LookedRules):
    """An OpenSpiel game. Simultaneous moves are joint nodes; a player observes OpenSpiel's information state."""

    def __init__(self, wanted: Wanted, theirs: Any = None) -> None:
        """theirs: the game, if it is loaded already."""
        self.wanted, self.split = wanted, wanted.split
        self.theirs = load_theirs(wanted.address) if theirs is None else theirs
        self.players, self.name = self.theirs.num_players(), wanted.name
        self._nothing = (0.0,) * self.players
        self._range = (float(self.theirs.min_utility()), float(self.theirs.max_utility()))
        self._texts: dict[tuple[int, int], str] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return SpielRules, (self.wanted,)

    def refined(self) -> SpielRules:
        return SpielRules(Wanted(self.wanted.address, True, self.wanted.outcomes), self.theirs)

    def look(self, visitor: Visitor, node: int, state: Any, last: tuple[int, ...], utility: tuple[float, ...]) -> Look:
        return look(visitor, self.remember, node, state, last)

    def start(self) -> Any:
        return self.theirs.new_initial_state()

    def turn(self, state: Any) -> int | tuple[int, ...]:
        player = int(state.current_player())
        if player >= 0:
            return player
        if player == SIMULTANEOUS:
            return simultaneous_movers(state, self.players)
        return END if player == TERMINAL_PLAYER else CHANCE

    def actions(self, state: Any, player: int) -> Sequence[int]:
        menu = tuple(state.legal_actions(player))
        if any((player, action) not in self._texts for action in menu):
            self.remember(state, player, menu)
        return menu

    def chance(self, state: Any) -> Sequence[tuple[int, float]]:
        outcomes = list(state.chance_outcomes())
        if any((CHANCE_PLAYER, outcome) not in self._texts for outcome, _ in outcomes):
            self.remember(state, CHANCE_PLAYER, [outcome for outcome, _ in outcomes])
        return outcomes

    def remember(self, state: Any, player: int, menu: Sequence[int]) -> None:
        """Store the names of actions. An action without a name, or with an ambiguous one, is called by its number."""
        names = []
        for action in menu:
            try:
                names.append(" ".join(state.action_to_string(player, action).split()))
            except STRAY:  # not every game has names
                names.append("")
        for action, name in zip(menu, names, strict=True):
            clear = name if name and names.count(name) == 1 else str(action)
            if self._texts.setdefault((player, action), clear) != clear:
                self._texts[player, action] = str(action)

    def after(self, state: Any, move: Any) -> Any:
        if not isinstance(move, tuple):
            return state.child(move)
        following = state.clone()
        apply_joint(following, self.players, move)
        return following

    def observe(self, state: Any, player: int) -> Hashable:
        seen: str = state.information_state_string(player)
        return seen

    def gains(self, state: Any) -> Sequence[float]:
        return tuple(state.returns()) if state.is_terminal() else self._nothing

    def bounds(self, state: Any) -> Sequence[tuple[float, float]] | None:
        return ((0.0, 0.0) if state.is_terminal() else self._range,) * self.players

    def action_text(self, player: int, action: Any) -> str:
        return self._texts.get((CHANCE_PLAYER if player == CHANCE else player, action), str(action))

    def observation_text(self, player: int, observation: Any) -> str:
        return " ".join(str(observation).split()) or "(empty)"

    def histories(self, plays: int = 200, seed: int = 0) -> float:
        """Estimate the number of histories by random plays (Knuth 1975), without reading names of actions.

        After `FEWEST` plays, no further play begins after `ENOUGH` moves in all, or if there are more than `CLEARLY`
        histories.
        """
        draw, total, made, moves = random.Random(seed), 0.0, 0, 0
        while made < plays and (made < FEWEST or (moves < ENOUGH and total < made * CLEARLY)):
            made += 1
            width = 1.0
            total += 1.0
            for _, _, menus, _ in self._random_play(draw):
                moves += 1
                for menu in menus:
                    width *= len(menu)
                total += width
        return total / made

    def _random_play(self, draw: random.Random) -> Iterator[tuple[Any, tuple[int, ...], list[Any], list[int]]]:
        """Make a random play. Yield each state with its movers (none for chance), the menus, and the actions taken."""
        state = self.theirs.new_initial_state()
        for _ in range(MOST_MOVES):
            turn = self.turn(state)
            if turn == END:
                return
            joint = isinstance(turn, tuple)
            who: Any = turn if joint else () if turn == CHANCE else (turn,)
            menus = [state.legal_actions(player) for player in who] if who else [state.legal_actions()]
            taken = [draw.choice(menu) for menu in menus]
            yield state, who, menus, taken
            if joint:
                apply_joint(state, self.players, taken)
            else:
                state.apply_action(taken[0])

    def forgets_in_plays(self, plays: int = 200, seed: int = 0) -> Forgetting | None:
        """Search random plays for an information state that a player reaches by different choices of its own.

        After `FEWEST` plays, no further play begins after half of `ENOUGH` moves in all.
        """
        draw, made, moves = random.Random(seed), 0, 0
        before: dict[tuple[int, str], Hashable] = {}
        while made < plays and (made < FEWEST or moves < ENOUGH // 2):
            made += 1
            last: list[tuple[Any, ...]] = [()] * self.players
            for state, who, _, taken in self._random_play(draw):
                moves += 1
                for player, action in zip(who, taken, strict=False):  # chance has no player
                    seen = state.information_state_string(player)
                    if before.setdefault((player, seen), hash(last[player])) != hash(last[player]):
                        twice = any(seen == earlier for earlier, _ in last[player])
                        return Forgetting(player, self.observation_text(player, seen), twice, 1)
                    last[player] = (*last[player], (seen, action))
        return None
