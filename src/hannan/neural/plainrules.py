"""Plain-Python rules, shown to compiled traversals as if they were compiled.

A state of such rules is one number, the place of the state itself in a list that lives as long as a batch.
"""

from __future__ import annotations

import ctypes
from typing import Any

from hannan.errors import STRAY
from hannan.kernels.signatures import BOOK, OPTIONAL
from hannan.neural.encoding import Encoding, observation_number
from hannan.rules.plain import CHANCE, END, Rules, movers
from hannan.solvers.sampling.answering import FIRST_WIDTH, Answering, Callback, no_table


class PlainBook(Answering):
    """Answers the questions of compiled traversals about any rules."""

    def __init__(self, rules: Rules, encoding: Encoding) -> None:
        super().__init__(rules)
        self.encoding = encoding
        self.width = max(FIRST_WIDTH, encoding.heads)
        self._states: list[Any] = []
        self._paths: list[tuple[int, ...]] = []
        self._moves: dict[int, dict[int, Any]] = {}  # outcomes (under CHANCE) or menus, by place and player
        self._here = 0
        answers = {name: self._guarded(getattr(self, f"_on_{name}"), END) for name in (*BOOK, "features")}
        shapes = {**BOOK, "features": OPTIONAL["features"]}
        self.functions = {name: Callback(shapes[name], answers[name]) for name in answers}
        self.table = no_table()

    def begin(self) -> None:
        """Forget all states: a new batch begins."""
        self._states, self._paths, self._moves = [], [], {}

    def path(self) -> list[int]:
        return list(self._paths[self._here]) if self._paths else []

    def _at(self, where: int) -> Any:
        """Return the state that a word of the traversals stands for."""
        self._here = ctypes.c_int64.from_address(where).value
        return self._states[self._here]

    def _keep(self, where: int, state: Any, path: tuple[int, ...]) -> None:
        ctypes.c_int64.from_address(where).value = len(self._states)
        self._states.append(state)
        self._paths.append(path)

    def _on_start(self, where: int) -> None:
        self._keep(where, self._ask("start", self.rules.start), ())

    def _on_turn(self, where: int) -> int:
        turn = self._turn(self._at(where))
        return turn if turn in (END, CHANCE) else sum(1 << player for player in movers(turn))

    def _on_gains(self, where: int, out: int) -> None:
        gains = self._gains(self._at(where))
        (ctypes.c_double * len(gains)).from_address(out)[:] = list(gains)

    def _on_chance(self, where: int, out: int, probabilities: int) -> int:
        outcomes, odds = self._chance(self._at(where))
        self._moves.setdefault(self._here, {})[CHANCE] = outcomes
        count = min(len(outcomes), self.width)
        (ctypes.c_int64 * count).from_address(out)[:] = list(range(count))
        (ctypes.c_double * count).from_address(probabilities)[:] = odds[:count].tolist()
        return len(outcomes)

    def _on_actions(self, where: int, player: int, out: int) -> int:
        menu = self._menu(self._at(where), player)
        self._moves.setdefault(self._here, {})[player] = menu
        codes = [int(action) for action in menu] if self.encoding.by_code else list(range(len(menu)))  # type: ignore[call-overload]
        count = min(len(menu), self.width)
        (ctypes.c_int64 * count).from_address(out)[:] = codes[:count]
        return len(menu)

    def _on_observe(self, where: int, player: int) -> int:
        state = self._at(where)
        if self._moves_here(player):
            return observation_number(self._ask("observe", self.rules.observe, state, player))
        try:  # rules promise an answer to those alone who are about to act
            return observation_number(self.rules.observe(state, player))
        except STRAY:
            return 0

    def _on_features(self, where: int, player: int, out: int) -> None:
        state = self._at(where)
        if not self._moves_here(player):
            try:
                given = self.rules.features(state, player)
            except STRAY:
                return
        else:
            given = self._ask("features", self.rules.features, state, player)
        if given is None or len(given) != self.encoding.features:
            many = "nothing" if given is None else f"{len(given)} numbers"
            self._fail(f"features() returned {many} for player {player}, and {self.encoding.features} elsewhere")
        (ctypes.c_double * len(given)).from_address(out)[:] = [float(feature) for feature in given]

    def _moves_here(self, player: int) -> bool:
        """Return whether a player is known to be about to act: its actions were asked for."""
        return player in self._moves.get(self._here, ())

    def _on_move(self, where: int, choice: int) -> None:
        state, before = self._at(where), self._here
        moves, path = self._moves[before], self._paths[before]
        turn = self._turn(state)
        if turn == CHANCE:
            places = [ctypes.c_int64.from_address(choice).value]
            move = moves[CHANCE][places[0]]
        else:
            who = movers(turn)
            codes = (ctypes.c_int64 * len(who)).from_address(choice)[:]
            places = [self._place(moves[player], code) for player, code in zip(who, codes, strict=True)]
            taken = tuple(moves[player][place] for player, place in zip(who, places, strict=True))
            move = taken if isinstance(turn, tuple) else taken[0]
        number = 0
        for player, place in zip(movers(turn) or (CHANCE,), places, strict=True):
            number = number * len(moves[player]) + place
        following = self._ask("after", self.rules.after, state, move)
        self._keep(where, following, (*path, number))

    def _place(self, menu: Any, code: int) -> int:
        return menu.index(code) if self.encoding.by_code else code
