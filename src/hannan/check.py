"""Does a game keep the promises that `Rules` makes? Play it and name the first one that is broken."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, TypeVar

from hannan.errors import HannanError, RulesError, SizeError
from hannan.plainwalk import PlainWalk, check_players, wrong_turn
from hannan.rules import CHANCE, END, Rules, movers
from hannan.tree import moves_at, path_text

MOST_MOVES = 4096
"""A line of play longer than this counts as one without end."""

T = TypeVar("T")


@dataclass(frozen=True)
class Check:
    """What a check has seen."""

    histories: int
    """How many histories were visited."""
    complete: bool
    """Whether these are all there are."""
    plays: int
    """How many single plays were made besides."""

    def __str__(self) -> str:
        extent = "all of them" if self.complete else "the first ones, level by level"
        return f"no promise is broken: {self.histories:,} histories ({extent}) and {self.plays} plays to the end"


def check_game(rules: Rules, *, most: int = 100_000, plays: int = 100, seed: int = 0) -> Check:
    """Play a game and raise a `RulesError` that names the first broken promise with the path of play.

    Makes `plays` plays to the end (the first and the last action always, then random ones), looking for lines
    without end, states that change, and answers that differ when asked again; then visits up to `most` histories,
    level by level, checking probabilities, gains, movers and that actions agree inside each information set.
    """
    if not isinstance(rules, Rules):
        raise RulesError(f"{rules!r} is no Rules object; make the game a subclass of hannan.Rules")
    check_players(rules)
    make_plays(rules, plays, seed)
    walk = PlainWalk(rules)
    complete = True
    while walk.frontier and complete:
        try:
            walk.level(most)
        except SizeError:
            complete = False
    return Check(len(walk.turn), complete, plays)


def make_plays(rules: Rules, plays: int, seed: int = 0) -> None:
    """Play to the end several times, each with another way of choosing."""
    draw = random.Random(seed)
    choose: list[Callable[[Sequence[Any]], Any]] = [itemgetter(0), itemgetter(-1), *[draw.choice] * plays]
    for way in choose[:plays]:
        _play(rules, way)


def _play(rules: Rules, choose: Callable[[Sequence[Any]], Any]) -> None:
    path: list[int] = []
    state = _ask(rules, path, "start", rules.start)
    seen: set[Any] = set()
    while True:
        before = _snapshot(state)
        turn = _twice(rules, path, "turn", partial(rules.turn, state))
        if (sentence := wrong_turn(turn, rules.players)) is not None:
            raise RulesError(f"node {_text(rules, path)}: {sentence}")
        if turn == END:
            return
        if turn != CHANCE:
            for player in movers(turn):
                _twice(rules, path, "actions", partial(_listed, rules, state, player))
                _twice(rules, path, "observe", partial(rules.observe, state, player))
        moves = _ask(rules, path, "actions or chance", partial(moves_at, rules, state))
        if not moves:
            raise RulesError(f"node {_text(rules, path)}: somebody is to move and there is nothing to do")
        number = choose(range(len(moves)))
        following = _ask(rules, path, "after", partial(rules.after, state, moves[number][0]))
        if before is not None and _snapshot(state) != before:
            raise RulesError(
                f"node {_text(rules, path)}: after() changed the state it was given; return a new state instead"
            )
        try:
            if following in seen:
                raise RulesError(f"node {_text(rules, [*path, number])}: a state comes back, so play need not end")
            seen.add(state)
        except TypeError:
            pass  # states that cannot be hashed are only watched for their number
        path.append(number)
        if len(path) >= MOST_MOVES:
            raise RulesError(f"node {_text(rules, path)}: play has not ended after {MOST_MOVES} moves")
        state = following


def _listed(rules: Rules, state: Any, player: int) -> list[Any]:
    return list(rules.actions(state, player))


def _ask(rules: Rules, path: list[int], name: str, question: Callable[[], T]) -> T:
    try:
        return question()
    except HannanError:
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        raise RulesError(f"node {_text(rules, path)}: {name}() raised {told}") from error


def _twice(rules: Rules, path: list[int], name: str, question: Callable[[], T]) -> T:
    first, second = _ask(rules, path, name, question), _ask(rules, path, name, question)
    if not _equal(first, second):
        raise RulesError(f"node {_text(rules, path)}: {name}() answered {first!r}, then {second!r}")
    return first


def _equal(first: Any, second: Any) -> bool:
    try:
        return bool(first == second)
    except ValueError:  # arrays compare element by element
        return _snapshot(first) == _snapshot(second)


def _snapshot(state: Any) -> bytes | None:
    """Return what a state is made of, to compare with later; None where that cannot be told."""
    try:
        return pickle.dumps(state)
    except Exception:
        return None


def _text(rules: Rules, path: list[int]) -> str:
    return path_text(rules, path[:12]) + (" …" if len(path) > 12 else "") if path else "r"
