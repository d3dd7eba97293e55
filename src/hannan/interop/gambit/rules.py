"""Gambit files as rules: a tree or a table, played node by node."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from hannan.addresses import write
from hannan.interop.gambit.record import CHANCE as CHANCE_NODE
from hannan.interop.gambit.record import TERMINAL, EfgGame, NfgGame, floats, fractions
from hannan.interop.gambit.text import different
from hannan.interop.stated import Forgetting, StatedRules
from hannan.rules.exact import ExactRules
from hannan.rules.plain import CHANCE, END, NO_MOVERS
from hannan.rules.visitor import Look, LookedRules, Visitor


class EfgRules(StatedRules, ExactRules, LookedRules):
    """A Gambit tree; a state is the number of a node, in the order of the file."""

    def __init__(self, game: EfgGame, path: str = "", parameters: Mapping[str, str] | None = None) -> None:
        """`parameters`: those of the address; with `recall=split`, the rules are those of the refinement."""
        self.game, self.path, self.parameters = game, path or game.title, dict(parameters or {})
        self.split = self.parameters.get("recall") == "split"
        self.players, self.name = len(game.players), write(self.path, self.parameters, {})
        self._menus = [different(list(stated.actions)) for stated in game.sets]
        self._names = self._set_names()
        self._odds = [tuple(map(float, stated.odds or ())) for stated in game.sets]
        self._nothing = (0.0,) * self.players

    def _set_names(self) -> list[str]:
        """Name each set differently within a player; a set without a name is named by its number in the file."""
        names = [""] * len(self.game.sets)
        for player in range(CHANCE_NODE, self.players + 1):
            taken: set[str] = set()
            for place, stated in enumerate(self.game.sets):
                if stated.player == player:
                    name = stated.name or str(stated.number)
                    names[place] = f"{name} ({stated.number})" if name in taken else name
                    while names[place] in taken:
                        names[place] += "'"
                    taken.add(names[place])
        return names

    @property
    def histories(self) -> int:
        """The number of nodes."""
        return len(self.game.player)

    def start(self) -> int:
        return 0

    def turn(self, state: int) -> int:
        player = self.game.player[state]
        return END if player == TERMINAL else CHANCE if player == CHANCE_NODE else player - 1

    def actions(self, state: int, player: int) -> Sequence[str]:
        return self._menus[self.game.set_of[state]]

    def chance(self, state: int) -> Sequence[tuple[str, float]]:
        return list(zip(self.actions(state, CHANCE), self.odds(state), strict=True))

    def odds(self, state: int) -> Sequence[float]:
        """Return the probabilities of a chance node."""
        return self._odds[self.game.set_of[state]]

    def after(self, state: int, move: Any) -> int:
        game = self.game
        return game.child[game.child_begin[state] + self._menus[game.set_of[state]].index(move)]

    def observe(self, state: int, player: int) -> Hashable:
        return self._names[self.game.set_of[state]]

    def gains(self, state: int) -> Sequence[float]:
        outcome = self.game.outcome_of[state]
        return self._nothing if outcome < 0 else floats(self.game.payoffs[outcome])

    def exact_gains(self, state: int) -> Sequence[Fraction]:
        outcome = self.game.outcome_of[state]
        return (Fraction(0),) * self.players if outcome < 0 else fractions(self.game.payoffs[outcome])

    def exact_odds(self, state: int) -> Sequence[Fraction]:
        odds = self.game.sets[self.game.set_of[state]].odds
        assert odds is not None
        return odds

    def look(self, visitor: Visitor, node: int, state: int, last: tuple[int, ...], utility: tuple[float, ...]) -> Look:
        """Like `Visitor.look`, with fewer checks: the file was checked when it was read."""
        game, gained = self.game, None
        if game.outcome_of[state] >= 0:
            gains = self.gains(state)
            if any(gains):
                gained = tuple(gains)
                utility = tuple(map(float.__add__, utility, gained))
        player = game.player[state]
        if player == TERMINAL:
            visitor.ended(utility)
            return Look(gained, utility, END, [], [])
        children = game.children(state)
        if player == CHANCE_NODE:
            below = [(child, last, odds) for child, odds in zip(children, self.odds(state), strict=True)]
            return Look(gained, utility, NO_MOVERS, [], below)
        player -= 1
        before = last[player]
        number = visitor.sets.get((before, self.observe(state, player)))
        if number is None:
            number = visitor.information_set(node, state, player, before, tuple(self.actions(state, player)))
        elif node < visitor.first[number]:
            visitor.first[number] = node
        base, head, tail = visitor.met[number][3], last[:player], last[player + 1 :]
        below = [(child, (*head, base + k, *tail), 1.0) for k, child in enumerate(children)]
        return Look(gained, utility, 1 << player, [number], below)

    def refined(self) -> EfgRules:
        return EfgRules(self.game, self.path, {**self.parameters, "recall": "split"})

    def forgetting(self) -> Forgetting | None:
        """Return where a player forgets: walk the tree, and compare the players' own histories within each set."""
        game, before = self.game, dict[int, int]()
        numbers: dict[tuple[int, int, int], int] = {}  # of a player's own histories, by (the one before, set, action)
        chain: list[tuple[int, int]] = [(-1, -1)]  # for each own history: the one before, and its last set
        forgotten: dict[int, bool] = {}  # the sets at which a player forgets, and whether it is absent-minded there
        pending = [(0, (0,) * self.players)]
        while pending:
            node, last = pending.pop()
            player = game.player[node]
            if player == TERMINAL:
                continue
            children = game.children(node)
            if player == CHANCE_NODE:
                pending.extend((child, last) for child in children)
                continue
            place, mine = game.set_of[node], last[player - 1]
            if before.setdefault(place, mine) != mine:
                forgotten[place] = forgotten.get(place, False) or _meets(chain, place, mine)
            for action, child in enumerate(children):
                key = (mine, place, action)
                if (number := numbers.get(key)) is None:
                    number = numbers[key] = len(chain)
                    chain.append((mine, place))
                pending.append((child, (*last[: player - 1], number, *last[player:])))
        if not forgotten:
            return None
        absent = [place for place, twice in forgotten.items() if twice]
        first = min(absent or forgotten)
        return Forgetting(game.sets[first].player - 1, self._names[first], bool(absent), len(forgotten))


def _meets(chain: list[tuple[int, int]], place: int, history: int) -> bool:
    """Return whether the player's own history contains the set."""
    while history > 0:
        history, at = chain[history]
        if at == place:
            return True
    return False


class NfgRules(ExactRules):
    """A Gambit table: all players choose at once, then play is over. A state is (), then the joint choice."""

    def __init__(self, game: NfgGame, name: str = "") -> None:
        self.game, self.players, self.name = game, len(game.players), name or game.title
        self._menus = [different(list(menu)) for menu in game.strategies]
        self._seen = different(game.players)

    @property
    def histories(self) -> int:
        """The number of nodes."""
        cells = self.game.payoffs if self.game.outcomes is None else self.game.cells
        return 1 + len(cells)

    def start(self) -> tuple[str, ...]:
        return ()

    def turn(self, state: tuple[str, ...]) -> int | tuple[int, ...]:
        return END if state else tuple(range(self.players))

    def actions(self, state: tuple[str, ...], player: int) -> Sequence[str]:
        return self._menus[player]

    def after(self, state: tuple[str, ...], move: tuple[str, ...]) -> tuple[str, ...]:
        return move

    def observe(self, state: tuple[str, ...], player: int) -> Hashable:
        return self._seen[player]

    def gains(self, state: tuple[str, ...]) -> Sequence[float]:
        return tuple(map(float, self.exact_gains(state)))

    def exact_gains(self, state: tuple[str, ...]) -> Sequence[Fraction]:
        if not state:
            return (Fraction(0),) * self.players
        cell, stride = 0, 1
        for menu, action in zip(self._menus, state, strict=True):
            cell += stride * menu.index(action)
            stride *= len(menu)
        return self.game.at(cell)

    def exact_odds(self, state: tuple[str, ...]) -> Sequence[Fraction]:
        return ()
