"""Tables at which a person plays against a strategy.

The seeds and the person's choices determine a play. So a table keeps the choices, and replays them from the start
until a choice is missing: no thread waits for the person, and a page may reconnect at any time.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from hannan.runs.sitting import Choice, Opponents, Played, Sitting, Situation, opponents
from hannan.web.numbers import finite, number_text, percent_text
from hannan.web.refusals import NotFoundError, StateError

if TYPE_CHECKING:
    from hannan.forms.game import PlayedGame
    from hannan.web.opened import OpenGame, OpenStrategy
    from hannan.web.session import Session

MOST = 50
"""The most tables at one time."""


class _UndecidedError(Exception):
    """The person has not chosen yet."""


class Table:
    """A table: one person, the opponents, and their plays."""

    def __init__(
        self, id: str, game: OpenGame, strategy: OpenStrategy, played: PlayedGame, who: Opponents, seat: int | None,
        seed: int,
    ) -> None:  # fmt: skip
        self.id, self.game, self.strategy = id, game, strategy
        self.lock = threading.Lock()
        self._sitting = Sitting(played, who, self._decide, seat=seat, seed=seed)
        self._answers: list[int] = []
        self._asked = 0
        self._situation: Situation | None = None
        self._before: tuple[Choice, ...] = ()
        self._last: Played | None = None
        self._go()

    def _decide(self, situation: Situation) -> int:
        self._situation = situation
        if self._asked >= len(self._answers):
            raise _UndecidedError
        self._asked += 1
        return self._answers[self._asked - 1]

    def _go(self) -> None:
        """Replay the play up to the first missing choice."""
        self._asked, self._situation = 0, None
        try:
            self._last = self._sitting.play()
            self._situation = None
        except _UndecidedError:
            self._before = tuple(self._sitting.person.choices)

    def act(self, action: int) -> None:
        """Take an action."""
        if self._situation is None:
            raise StateError("the play is over; begin the next one")
        if not 0 <= action < len(self._situation.actions):
            raise NotFoundError(f"action {action} does not exist; choose 0 to {len(self._situation.actions) - 1}")
        self._answers.append(action)
        self._go()

    def next(self) -> None:
        """Begin the next play. A play under way is abandoned and does not count."""
        if self._situation is not None:
            self._sitting.skip()
        self._answers, self._last = [], None
        self._go()

    def hint(self) -> dict[str, Any]:
        """Return the strategy's probabilities of the actions."""
        if self._situation is None:
            raise StateError("the play is over; begin the next one")
        shares = zip(self._situation.actions, self._situation.advice.tolist(), strict=True)
        return {
            "actions": [
                {"index": k, "label": name, "probability": finite(share), "probability_text": percent_text(share)}
                for k, (name, share) in enumerate(shares)
            ]
        }

    def record(self) -> dict[str, Any]:
        """Return the record of the table for the interface."""
        now, over = self._situation, self._last
        score = self._sitting.score
        per_play = None if score.cost is None else score.cost / score.plays
        choices = self._before if over is None else over.choices
        return {
            "id": self.id, "game": self.game.id, "strategy": self.strategy.id,
            "seat": self._sitting.next_seat if over is None else over.seat,
            "play": len(self._sitting.plays) + (over is None), "state": "choosing" if over is None else "over",
            "seen": "" if now is None else now.seen, "board": "" if now is None else now.board,
            "actions": [] if now is None else [
                {"index": k, "label": name, "help": text}
                for k, (name, text) in enumerate(zip(now.actions, now.helps, strict=True))
            ],
            "moves": None if over is None else list(over.moves),
            "earned": None if over is None else over.earned,
            "earned_text": None if over is None else number_text(over.earned),
            "choices": [choice_record(one, over is not None) for one in choices],
            "score": {
                "plays": score.plays, "total": score.total, "mean": score.mean, "cost": score.cost,
                "cost_per_play": per_play, "total_text": number_text(score.total),
                "mean_text": number_text(score.mean), "cost_text": number_text(score.cost),
                "cost_per_play_text": number_text(per_play),
            },
        }  # fmt: skip

    def plays(self, offset: int, limit: int) -> dict[str, Any]:
        """Return a page of the finished plays, the last one first."""
        done = self._sitting.plays
        numbered = list(enumerate(done, 1))[::-1][offset : offset + limit]
        items = [
            {
                "number": number, "seat": one.seat, "earned": one.earned, "earned_text": number_text(one.earned),
                "moves": list(one.moves), "choices": [choice_record(choice, True) for choice in one.choices],
            }
            for number, one in numbered
        ]  # fmt: skip
        return {"total": len(done), "offset": offset, "limit": limit, "items": items}


def choice_record(choice: Choice, over: bool) -> dict[str, Any]:
    """Return the record of a choice; its cost is shown once the play is over."""
    cost = choice.cost if over else None
    return {
        "seen": choice.seen, "action": choice.action, "cost": finite(cost), "cost_text": number_text(cost),
        "best": choice.best if over else None,
    }  # fmt: skip


class Tables:
    """All tables of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._tables: dict[str, Table] = {}

    def all(self) -> list[Table]:
        """Return the tables in the order of their creation."""
        return list(self._tables.values())

    def table(self, id: str) -> Table:
        """Return a table by its id."""
        if id not in self._tables:
            raise NotFoundError(f"table {id[:40]} does not exist")
        return self._tables[id]

    def open(self, game: OpenGame, strategy: OpenStrategy, seat: int | None, seed: int) -> Table:
        """Open a table to play against a strategy."""
        if len(self._tables) >= MOST:
            raise StateError(f"{MOST} tables are open already; close one first")
        played = game.loaded().stepped()
        if seat is not None:
            played.check_player(seat)
        who = opponents(played, [strategy.loaded()])
        table = Table(self._session.number("t"), game, strategy, played, who, seat, seed)
        self._tables[table.id] = table
        return table

    def close(self, id: str) -> None:
        """Close a table."""
        self.table(id)
        self._tables.pop(id, None)

    def close_of(self, opened: OpenGame | OpenStrategy) -> None:
        """Close all tables of a game, or against a strategy."""
        for table in [one for one in self.all() if opened in (one.game, one.strategy)]:
            self._tables.pop(table.id, None)
