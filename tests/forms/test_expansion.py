"""Expanding plain-Python rules: what is far too large is refused at once, and watchers hear how far it has got."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pytest

from hannan.errors import SizeError
from hannan.forms.descent import Descent
from hannan.forms.expansion import expand
from hannan.forms.walks import watching
from hannan.rules.plain import END, Rules
from tests.plaingames import Coins


class Wide(Rules):
    """`depth` choices of ten actions each, all seen: (10**(depth + 1) - 1) / 9 histories."""

    players = 1

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.steps = 0

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return 0 if len(state) < self.depth else END

    def actions(self, state: Any, player: int) -> Sequence[Hashable]:
        return range(10)

    def after(self, state: Any, move: Any) -> Any:
        self.steps += 1
        return (*state, move)

    def observe(self, state: Any, player: int) -> Hashable:
        return len(state)


def test_a_game_that_is_far_too_large_is_not_walked() -> None:
    """1.1e15 histories, of which no more are visited than are visited without asking, times the ten actions of each."""
    rules = Wide(15)
    with pytest.raises(SizeError, match=r"Wide with these parameters has about 1\.1e\+15 histories \(estimated\)"):
        expand(rules)
    assert rules.steps < 12 * Descent.quick


def test_a_limit_is_kept() -> None:
    with pytest.raises(SizeError, match="histories"):
        expand(Wide(3), limit=500)
    assert expand(Wide(3), limit=1111).nodes == 1111


def test_watchers_hear_how_far_it_has_got() -> None:
    """111,111 histories; every branching is alike, so the estimate is exact."""
    outer: list[tuple[int, float]] = []
    inner: list[tuple[int, float]] = []
    with watching(lambda *heard: outer.append(heard)):
        tree = expand(Wide(5), progress=lambda *heard: inner.append(heard))
    assert tree.nodes == 111_111
    assert outer == inner
    assert len(outer) > 10
    assert {guess for _, guess in outer} == {111_111.0}
    assert [seen for seen, _ in outer] == sorted(seen for seen, _ in outer)
    assert 0 < outer[0][0] < outer[-1][0] <= tree.nodes


def test_small_games_say_nothing_and_watching_ends() -> None:
    heard: list[int] = []
    with watching(lambda seen, guess: heard.append(seen)):
        expand(Coins())
    assert not heard
    expand(Wide(5))
    assert not heard
