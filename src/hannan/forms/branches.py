"""The first histories of a game as a list of nodes with the probabilities of a strategy, to draw a tree from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from hannan.arguments import whole
from hannan.arrays import Floats
from hannan.errors import SizeError
from hannan.nodes import Node
from hannan.rules.checks import make_plays
from hannan.rules.observations import canonical
from hannan.rules.paths import moves_at
from hannan.rules.plain import CHANCE, END, Rules, movers
from hannan.rules.questions import ask

MOST = 500
"""The most histories in a picture; a larger one cannot be read."""


class Stepped(Protocol):
    """A game whose rules can be stepped: see `PlayedGame`."""

    rules: Rules

    @property
    def address(self) -> str:
        """The name of the game in errors."""


class Table(Protocol):
    """The methods that are needed of a strategy that is a table of information sets: see `Policy`."""

    def find(self, sequence: int, observation: Hashable, count: int = 0) -> int:
        """Return the place of a set in the table."""

    def offered(self, place: int, actions: Sequence[Hashable]) -> tuple[Floats, list[int]]:
        """Return the probability of each action at a set, and the number of each action there."""

    def after(self, player: int, place: int, k: int) -> int:
        """Return the player's sequence after an action."""


@dataclass(frozen=True)
class _Story:
    """What a player knows of a history: in words, as a key, and as the last sequence in its strategy."""

    words: str
    key: tuple[str, ...]
    sequence: int


@dataclass(frozen=True)
class _Here:
    """A history whose moves are still to be added."""

    number: int
    state: Any
    path: list[int]
    stories: tuple[_Story, ...]


def branches(game: Stepped, policy: Table | None = None, depth: int | None = None, most: int = MOST) -> list[Node]:
    """Return histories breadth first, down to a depth; refuse more than `most` histories."""
    if depth is not None:
        whole("depth", depth)
    rules = game.rules
    make_plays(rules, plays=8)  # finds broken promises, and names them
    start = ask(rules, [], "start", rules.start)
    stories = tuple(_Story("", (), player) for player in range(rules.players))
    nodes: list[Node] = []
    known: dict[tuple[int, Hashable], int] = {}
    waiting = [_begin(rules, nodes, known, -1, "", None, _Here(0, start, [], stories), (0.0,) * rules.players)]
    while waiting:
        here = waiting.pop(0)
        node = nodes[here.number]
        if not node.who:
            continue
        moves = ask(rules, here.path, "actions", partial(moves_at, rules, here.state))
        if depth is not None and node.depth == depth:
            node.cut = True
            continue
        if len(nodes) + len(moves) > most:
            raise SizeError(
                f"{game.address} has more than {most:,} histories, the most that can be drawn: take fewer moves with "
                f"--depth (its first {node.depth} can be drawn), or a smaller game"
            )
        odds, after = _odds(rules, here, node.who, policy)
        for k, (move, text) in enumerate(moves):
            path = [*here.path, k]
            state = ask(rules, here.path, "after", partial(rules.after, here.state, move))
            place = _Here(len(nodes), state, path, after[k])
            waiting.append(_begin(rules, nodes, known, here.number, text, odds[k], place, node.gains))
            node.children.append(place.number)
    return nodes


def _begin(
    rules: Rules, nodes: list[Node], known: dict[tuple[int, Hashable], int], parent: int, move: str,
    probability: float | None, here: _Here, before: Sequence[float],
) -> _Here:  # fmt: skip
    """Add a node; return its place, with the observations of its movers added to their stories."""
    gains = ask(rules, here.path, "gains", partial(rules.gains, here.state))
    turn = ask(rules, here.path, "turn", partial(rules.turn, here.state))
    who = () if turn == END else (CHANCE,) if turn == CHANCE else movers(turn)
    stories, sets, numbers = list(here.stories), [], []
    for player in who if turn != CHANCE else ():
        seen = ask(rules, here.path, "observe", partial(rules.observe, here.state, player))
        story = here.stories[player]
        name = f"{story.words} {rules.observation_text(player, seen)}".strip()
        stories[player] = _Story(name, (*story.key, canonical(seen)), story.sequence)
        sets.append(name)
        numbers.append(known.setdefault((player, stories[player].key), len(known)))
    total = tuple(one + float(more) for one, more in zip(before, gains, strict=True))
    depth = 0 if parent < 0 else nodes[parent].depth + 1
    nodes.append(Node(parent, move, probability, depth, tuple(who), tuple(sets), tuple(numbers), total))
    return _Here(here.number, here.state, here.path, tuple(stories))


def _odds(
    rules: Rules, here: _Here, who: tuple[int, ...], policy: Table | None
) -> tuple[list[float | None], list[tuple[_Story, ...]]]:
    """Return the probability of each move, and the stories of all players after it."""
    if who == (CHANCE,):
        odds: list[float | None] = [float(weight) for _, weight in rules.chance(here.state)]
        return odds, [here.stories] * len(odds)
    ways: list[tuple[float | None, tuple[_Story, ...]]] = [(1.0 if policy is not None else None, here.stories)]
    for player in who:
        menu = list(rules.actions(here.state, player))
        story = here.stories[player]
        weights: Sequence[float | None] = [None] * len(menu)
        after = [story.sequence] * len(menu)
        if policy is not None:
            place = policy.find(story.sequence, rules.observe(here.state, player), len(menu))
            offered, places = policy.offered(place, menu)
            weights, after = list(map(float, offered)), [policy.after(player, place, k) for k in places]
        ways = [
            (None if odds is None or weight is None else odds * weight, _told(rules, stories, player, action, sequence))
            for odds, stories in ways
            for action, weight, sequence in zip(menu, weights, after, strict=True)
        ]
    return [odds for odds, _ in ways], [stories for _, stories in ways]


def _told(
    rules: Rules, stories: tuple[_Story, ...], player: int, action: Hashable, sequence: int
) -> tuple[_Story, ...]:
    """Return the stories after an action of `player`. Only its own story grows: others learn of it by observations."""
    story = stories[player]
    mine = _Story(
        f"{story.words} {rules.action_text(player, action)}", (*story.key, canonical(action)), sequence
    )  # fmt: skip
    return (*stories[:player], mine, *stories[player + 1 :])
