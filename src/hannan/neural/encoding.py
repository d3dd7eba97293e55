"""What a network reads of an information set, and which of its numbers stand for the actions there.

A row holds what the rules write of what a player knows (`features`), or the player's own history (for each of its
choices what it saw, in bits, and what it did), or both. A history leaves nothing out, so that rows of different sets
differ; features may be fewer, and then sets that share a row share what is learnt.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any, Literal, get_args

from hannan.arguments import choice, shown
from hannan.errors import HannanError, UnsuitableError
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.rules.doors import source_of
from hannan.rules.observations import worded
from hannan.rules.plain import CHANCE, END, MOST_MOVES, Rules, movers

Reads = Literal["auto", "features", "history", "both"]

PLAYS = 300
"""Random plays that tell how long the histories of a game are that is not expanded."""
MOST_FEATURES = 2**20
"""Features and heads, at most."""
MOST_STEPS = 64
"""Choices that a row remembers, at most: of longer histories, the last ones."""
HASHED = 32
"""Bits of an observation that is no whole number, or a large one."""


@dataclass(frozen=True)
class Encoding:
    """How rows are made; written into files beside the weights."""

    features: int
    """How many numbers the rules write; 0: they are not read."""
    steps: int
    """How many of its own choices a row remembers, the present one included; 0: none."""
    bits: int
    """Of an observation."""
    heads: int
    """How many numbers a network says of a row."""
    by_code: bool
    """Whether an action's number is its own, as the rules have it; else it is its place in the menu."""

    @property
    def token(self) -> int:
        """How many numbers of a row tell of one choice."""
        return self.bits + self.heads

    @property
    def size(self) -> int:
        """How many numbers a row has."""
        return self.features + self.steps * self.token

    def record(self) -> dict[str, Any]:
        """Return what a file says of it."""
        return asdict(self)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Encoding:
        """Return what a file says; raise a ValueError where it makes no sense."""
        made = cls(**record)
        most = {"features": MOST_FEATURES, "steps": MOST_STEPS, "bits": 64, "heads": MOST_FEATURES}
        for name, limit in most.items():
            number = getattr(made, name)
            if type(number) is not int or not 0 <= number <= limit:
                raise ValueError(f"its {name} are {shown(number)}")
        if type(made.by_code) is not bool or made.heads < 1:
            raise ValueError("it has no heads, or does not say how they are numbered")
        return made


def encoding_of(game: PlayedGame, reads: Reads = "auto") -> Encoding:
    """Return how rows of a game are made.

    `auto` reads the history where the game is expanded, so that no two sets share a row, and the features where they
    are written; a game that is not expanded is read by its features alone, if it has some.
    """
    choice("reads", reads, get_args(Reads))
    rules = game.rules
    written = rules.writes("features")
    if reads in ("features", "both") and not written:
        raise UnsuitableError(
            f"the rules of {game.address} write no features: write features(state, player), or use reads='history', "
            "which takes the player's own history"
        )
    if reads == "auto":
        whole = isinstance(game, ExpandedGame)
        reads = ("both" if written else "history") if whole else ("features" if written else "history")
    source = source_of(rules)
    announced = 0 if source.worded else source.width  # actions, whose codes are then the rules' own
    numbers = _exactly(game, announced) if isinstance(game, ExpandedGame) else _by_plays(rules, announced)
    steps = min(numbers.steps, MOST_STEPS) if reads in ("history", "both") else 0
    return Encoding(
        features=_features(rules) if reads in ("features", "both") else 0,
        steps=steps,
        bits=numbers.bits if steps else 0,
        heads=numbers.width if numbers.by_code or announced else max(numbers.most, 1),
        by_code=numbers.by_code,
    )


def observation_number(observation: Hashable) -> int:
    """Return the whole number that an observation is, or one made from its text: the same in every process."""
    if type(observation) is int and 0 <= observation < 2**HASHED:
        return observation
    text, lasting = worded(observation)
    if not lasting:
        raise HannanError(
            f"observation {text} has another text in every process; let observe() return numbers and words"
        )
    return int.from_bytes(blake2b(text.encode(), digest_size=HASHED // 8).digest(), "big")


@dataclass
class _Numbers:
    """What is needed of the codes of a game."""

    width: int
    steps: int = 1
    bits: int = 1
    most: int = 0
    by_code: bool = True

    def note(self, seen: int, codes: list[Any]) -> None:
        """Take note of one choice."""
        self.bits = max(self.bits, 64 if seen < 0 else seen.bit_length())
        self.most = max(self.most, len(codes))
        self.by_code &= all(type(code) is int and 0 <= code < self.width for code in codes)


def _features(rules: Rules) -> int:
    """Return how many features there are at the first choice."""
    for state, turn in _choices(rules, random.Random(0)):
        return len(rules.features(state, movers(turn)[0]) or ())
    return 0


def _exactly(game: ExpandedGame, announced: int) -> _Numbers:
    tree = game.tree
    labels, numbers = tree.labels, _Numbers(announced)
    numbers.steps = max(1, *(plex.levels for plex in tree.treeplexes))
    actions = [[tree.action_of(code) for code in plex.action[1:].tolist()] for plex in tree.treeplexes]
    if labels is not None:
        whole = [code for codes in actions for code in codes if type(code) is int]
        numbers.width = max([0, *(code + 1 for code in whole)])
        numbers.width = numbers.width if numbers.width <= 2 * max(1, _most(game)) else 0
    for plex, codes in zip(tree.treeplexes, actions, strict=True):
        numbers.most = max(numbers.most, int(plex.sizes.max(initial=0)))
        numbers.by_code &= all(type(code) is int and 0 <= code < numbers.width for code in codes)
        for code in plex.observation.tolist():
            seen = code if labels is None else observation_number(labels.observations[code])
            numbers.bits = max(numbers.bits, 64 if seen < 0 else seen.bit_length())
    return numbers


def _most(game: ExpandedGame) -> int:
    return max(int(plex.sizes.max(initial=0)) for plex in game.tree.treeplexes)


def _by_plays(rules: Rules, announced: int) -> _Numbers:
    """Ask random plays; what they miss is forgotten (of a long history) or refused (of an action) later."""
    draw, numbers = random.Random(0), _Numbers(announced, by_code=announced > 0)
    for _ in range(PLAYS):
        made = [0] * rules.players
        for state, turn in _choices(rules, draw):
            for player in movers(turn):
                made[player] += 1
                seen: Any = rules.observe(state, player)
                number = int(seen) if announced else observation_number(seen)
                numbers.note(number, list(rules.actions(state, player)))
        numbers.steps = max(numbers.steps, *made)
    numbers.most *= 2  # plays may have missed some
    return numbers


def _choices(rules: Rules, draw: random.Random) -> Iterator[tuple[Any, int | tuple[int, ...]]]:
    """Play at random, and yield the states at which somebody decides, with who does."""
    state: Any = rules.start()
    for _ in range(MOST_MOVES):
        turn = rules.turn(state)
        if turn == END:
            return
        if turn == CHANCE:
            outcomes = rules.chance(state)
            (move,) = draw.choices([outcome for outcome, _ in outcomes], [weight for _, weight in outcomes])
        else:
            yield state, turn
            joint = tuple(draw.choice(list(rules.actions(state, player))) for player in movers(turn))
            move = joint if isinstance(turn, tuple) else joint[0]
        state = rules.after(state, move)
