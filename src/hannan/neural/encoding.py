"""The row that a network reads at an information set, and which of its outputs stand for the actions there.

A row holds the `features` that the rules write of a player's knowledge, or the player's own history (for each of its
choices the observation, in bits, and the action), or both. Histories of different sets differ, so their rows differ.
Features may leave facts out; sets that share a row then share what is learnt.
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
"""The number of random plays that measure a game that is not expanded."""
MOST_FEATURES = 2**20
"""The largest number of features, and of heads."""
MOST_STEPS = 64
"""The largest number of choices in a row; of a longer history, the row holds the last ones."""
HASHED = 32
"""Bits of the hash of an observation that is not a whole number, is negative or is large."""


@dataclass(frozen=True)
class Encoding:
    """The layout of rows; files store it with the weights."""

    features: int
    """The number of features that the rules write; 0: rows hold no features."""
    steps: int
    """The number of the player's own choices in a row, the present one included; 0: no history."""
    bits: int
    """Bits of an observation."""
    heads: int
    """The number of outputs that stand for actions."""
    by_code: bool
    """Whether an action's head is its number in the rules; else it is its place in the menu."""

    @property
    def token(self) -> int:
        """How many numbers of a row describe one choice."""
        return self.bits + self.heads

    @property
    def size(self) -> int:
        """The length of a row."""
        return self.features + self.steps * self.token

    def record(self) -> dict[str, Any]:
        """Return the record that files store."""
        return asdict(self)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Encoding:
        """Return the encoding of a file's record; raise a ValueError if it makes no sense."""
        made = cls(**record)
        most = {"features": MOST_FEATURES, "steps": MOST_STEPS, "bits": 64, "heads": MOST_FEATURES}
        for name, limit in most.items():
            number = getattr(made, name)
            if type(number) is not int or not 0 <= number <= limit:
                raise ValueError(f"its {name} are {shown(number)}, which is out of range")
        if type(made.by_code) is not bool or made.heads < 1:
            raise ValueError("it has no heads, or its by_code is neither true nor false")
        return made


def encoding_of(game: PlayedGame, reads: Reads = "auto") -> Encoding:
    """Return the layout of a game's rows.

    If the game is expanded, `auto` takes the history, so that no two sets share a row, and the features, if the rules
    write them. If it is not expanded, `auto` takes the features alone, or the history if the rules write none.
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
    announced = 0 if source.worded else source.width  # actions; their codes are then the rules' own numbers
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
    """Return an observation as a whole number: itself, or a hash of its text, the same in every process."""
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
    """The numbers of a game that its encoding depends on."""

    width: int
    steps: int = 1
    bits: int = 1
    most: int = 0
    by_code: bool = True

    def note(self, seen: int, codes: list[Any]) -> None:
        """Update the numbers with one choice."""
        self.bits = max(self.bits, 64 if seen < 0 else seen.bit_length())
        self.most = max(self.most, len(codes))
        self.by_code &= all(type(code) is int and 0 <= code < self.width for code in codes)


def _features(rules: Rules) -> int:
    """Return the number of features at the first choice."""
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
    """Measure random plays. Later, longer histories lose their first choices, and unknown actions are refused."""
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
    numbers.most *= 2  # plays may have missed larger menus
    return numbers


def _choices(rules: Rules, draw: random.Random) -> Iterator[tuple[Any, int | tuple[int, ...]]]:
    """Play at random; yield each state at which a player decides, with its turn."""
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
