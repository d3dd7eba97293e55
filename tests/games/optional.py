"""What follows a state of a game, found by brute force: to compare optional methods with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from hannan.rules.compiled import CompiledRules
from hannan.rules.plain import CHANCE, END

State = tuple[int, ...]
Continuation = tuple[Any, ...]


@dataclass(frozen=True)
class Everything:
    """Every state of a game, and what may happen from there on."""

    rules: CompiledRules

    def after(self, state: State) -> list[State]:
        turn = self.rules.turn(state)
        if turn == END:
            return []
        if turn == CHANCE:
            return [self.rules.after(state, outcome) for outcome, _ in self.rules.chance(state)]
        if isinstance(turn, int):
            return [self.rules.after(state, action) for action in self.rules.actions(state, turn)]
        menus = (self.rules.actions(state, player) for player in turn)
        return [self.rules.after(state, joint) for joint in product(*menus)]

    @cached_property
    def children(self) -> dict[State, list[State]]:
        """By state, those that follow directly; a state comes before what follows it."""
        found: dict[State, list[State]] = {}
        todo = [self.rules.start()]
        while todo:
            state = todo.pop()
            if state not in found:
                found[state] = self.after(state)
                todo += found[state]
        return found

    @cached_property
    def spans(self) -> dict[State, list[tuple[float, float]]]:
        """By state, the least and the most that each player gains after it, over all continuations."""
        spans: dict[State, list[tuple[float, float]]] = {}
        for state in self._backwards:
            sums = [
                [(low + gain, high + gain) for (low, high), gain in zip(spans[child], gains, strict=True)]
                for child in self.children[state]
                for gains in [self.rules.gains(child)]
            ]
            spans[state] = [
                (min(pairs[p][0] for pairs in sums), max(pairs[p][1] for pairs in sums)) if sums else (0.0, 0.0)
                for p in range(self.rules.players)
            ]
        return spans

    @cached_property
    def continuations(self) -> dict[State, int]:
        """By state, a number: equal where play goes on in the same way, move by move, and gains the same."""
        numbers: dict[Continuation, int] = {}
        found: dict[State, int] = {}
        for state in self._backwards:
            turn = self.rules.turn(state)
            players = turn if isinstance(turn, tuple) else (turn,) if turn >= 0 else ()
            menus = tuple(tuple(self.rules.actions(state, player)) for player in players)
            odds = tuple(self.rules.chance(state)) if turn == CHANCE else ()
            rest = tuple(
                (found[child], *(round(gain, 9) for gain in self.rules.gains(child))) for child in self.children[state]
            )
            found[state] = numbers.setdefault((turn, menus, odds, rest), len(numbers))
        return found

    @cached_property
    def _backwards(self) -> list[State]:
        """All states, what follows before what precedes."""
        order: list[State] = []
        seen: set[State] = set()
        todo = [(self.rules.start(), False)]
        while todo:
            state, done = todo.pop()
            if done:
                order.append(state)
            elif state not in seen:
                seen.add(state)
                todo.append((state, True))
                todo += [(child, False) for child in self.children[state]]
        return order
