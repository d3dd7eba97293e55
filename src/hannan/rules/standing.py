"""A line of play: its moves, the state after them, and the gains of the players so far."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from hannan.arguments import shown
from hannan.errors import MismatchError, ParameterError
from hannan.rules.plain import CHANCE, END, Rules, movers
from hannan.rules.positions import moves, moves_of, moves_on, own_part, text_of

Position = Sequence[Any]
"""The moves from the start of play: outcomes of chance, actions, and tuples of actions where several players move."""


class Standing:
    """A line of play that can be extended by legal moves."""

    def __init__(self, rules: Rules, line: Sequence[Any] = ()) -> None:
        self.rules, self.state = rules, rules.start()
        self.moves: list[Any] = []
        self.gains = [float(gain) for gain in rules.gains(self.state)]
        """The gains of each player so far, including those at the present state."""
        self.go(line)

    @property
    def over(self) -> bool:
        """Whether play has ended."""
        return self.rules.turn(self.state) == END

    def go(self, following: Sequence[Any]) -> None:
        """Play legal moves."""
        for move in following:
            self.state = self.rules.after(self.state, move)
            self.moves.append(move)
            gained = self.rules.gains(self.state)
            self.gains = [before + float(gain) for before, gain in zip(self.gains, gained, strict=True)]

    def after(self, following: Sequence[Any]) -> Any:
        """Return the state after some legal moves from the present state; the line stays the same."""
        state = self.state
        for move in following:
            state = self.rules.after(state, move)
        return state

    def onward(self, path: str | Position) -> list[Any]:
        """Return the legal moves of a path, or of a list of moves, that starts at the present state."""
        if isinstance(path, str):
            return moves_on(self.rules, self.moves, path)
        return self._checked(self.moves, self.state, path)

    def from_start(self, path: str | Position) -> list[Any]:
        """Return the legal moves of a path, or of a list of moves, from the start of play."""
        return moves_of(self.rules, path) if isinstance(path, str) else self._checked([], self.rules.start(), path)

    def _checked(self, before: Sequence[Any], state: Any, position: Any) -> list[Any]:
        if not isinstance(position, list | tuple):
            raise ParameterError(
                f"{shown(position)} is not a position: give the names of moves joined by colons, or a list of moves "
                "such as `sight.position`"
            )
        rules, line = self.rules, list(before)
        for move in position:
            wanted = tuple(move) if isinstance(move, list) else move
            legal = moves(rules, state)
            if wanted not in legal:
                raise ParameterError(
                    f"{shown(move)} is not a legal move after {text_of(rules, line)}"
                    + ("; play is over there" if not legal else f"; the first legal move is {shown(legal[0])}")
                )
            line.append(wanted)
            state = rules.after(state, wanted)
        return line[len(before) :]


class Track:
    """The line of play as one seat infers it from its own choices, if only the current joint move is hidden."""

    def __init__(self, rules: Rules, seat: int) -> None:
        self._standing, self._seat = Standing(rules), seat
        self._choices = 0
        """The number of choices of the seat on the line."""

    def to(self, history: Sequence[tuple[Hashable, Hashable]], observation: Hashable) -> tuple[Any, ...]:
        """Return the moves to the present choice of the seat.

        history: the observation and action of the seat at each of its earlier choices. A call continues from the line
        of the call before.
        """
        observed = [*(seen for seen, _ in history), observation]
        for k in range(self._choices, len(observed)):
            self._standing.go(self._next(observed[k], [history[k - 1][1]] if k else []))
            self._choices = k + 1
        return tuple(self._standing.moves)

    def _next(self, observation: Hashable, own: Sequence[Hashable]) -> list[Any]:
        """Return the moves to the next choice of the seat, with this observation; `own`: its last action, if any."""
        seat, rules = self._seat, self._standing.rules
        state, pending = self._standing.state, list[tuple[Any, list[Any]]]()
        turn = rules.turn(state)
        if own:
            fits = [move for move in moves(rules, state) if own_part(turn, move, seat) == own[0]]
            pending += [(rules.after(state, move), [move]) for move in reversed(fits)]
        else:
            pending.append((state, []))
        while pending:
            state, path = pending.pop()
            turn = rules.turn(state)
            if turn == END:
                continue
            if turn != CHANCE and seat in movers(turn):
                if rules.observe(state, seat) == observation:
                    return path
                continue
            pending += [(rules.after(state, move), [*path, move]) for move in reversed(moves(rules, state))]
        raise MismatchError("no line of play leads from the last position to this observation of the seat")
