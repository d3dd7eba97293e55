"""Rules as black boxes: plain and compiled ones show the same, and only what is told."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats, Longs
from hannan.forms.boxes import boxed
from hannan.rules.box import Box, View
from hannan.rules.compiled import CompiledRules, Rulebook
from hannan.rules.plain import CHANCE, END, Rules
from hannan.rules.rulesbox import CompiledBox, Groups, RulesBox, rules_box
from tests.certificates.boxes import Bandit

GAMES = ["kuhn_poker", "leduc_poker", "goofspiel(cards=3)", "liars_dice(faces=2)", "oshi_zumo(coins=3)"]


def played(box: Box, seed: int) -> list[View]:
    """Play with actions drawn by the seed; return all views."""
    draw = random.Random(seed)
    views = [box.reset(seed)]
    while views[-1].movers or views[-1].draw:
        views.append(box.step(tuple(draw.choice(list(menu)) for menu in views[-1].actions)))
    return views


def plainly(view: View) -> Any:
    """A view with lists instead of tuples and the like, to compare."""
    return [
        list(view.gains),
        None if view.bounds is None else [list(pair) for pair in view.bounds],
        list(view.movers),
        [list(menu) for menu in view.actions],
        list(view.observations),
        None if view.draw is None else [view.draw.outcome, list(view.draw.outcomes or ()), view.draw.group],
        None if view.draw is None or view.draw.odds is None else list(view.draw.odds),
        None if view.children is None else [[list(g), [list(pair) for pair in b]] for g, b in view.children],
    ]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("groups", ["none", "history", "rules", "known"])
def test_compiled_boxes_show_what_plain_ones_do(game: str, groups: Groups) -> None:
    rules = hn.load(game).played().rules
    told: Any = {"groups": groups, "bounds": "rules", "children": groups == "none"}
    one, other = RulesBox(rules, **told), rules_box(rules, **told)
    assert isinstance(other, CompiledBox)
    for seed in range(20):
        assert [plainly(v) for v in played(one, seed)] == [plainly(v) for v in played(other, seed)]


def test_nothing_is_told_but_what_is_asked_for() -> None:
    rules = hn.load("kuhn_poker").played().rules
    view = rules_box(rules, bounds=None).reset(1)
    assert view.bounds is None
    assert view.children is None
    assert view.draw is not None
    assert view.draw.odds is None
    assert view.draw.group is None


def test_draws_follow_the_rules() -> None:
    """20,000 boards of Leduc with merged suits: within 5 standard deviations of the odds."""
    box = rules_box(hn.load("leduc_poker(merge_suits=true)").played().rules)
    counts: Counter[Any] = Counter()
    for seed in range(20_000):
        view = box.reset(seed)
        assert view.draw is not None
        first = view.draw.outcome
        view = box.step(())
        assert view.draw is not None
        counts[first, view.draw.outcome] += 1
    for (first, second), count in counts.items():
        odds = (1 / 3) * (1 / 5 if first == second else 2 / 5)
        assert abs(count - 20_000 * odds) <= 5 * np.sqrt(20_000 * odds * (1 - odds))


@pytest.mark.parametrize("game", GAMES)
def test_exact_bounds_are_the_extremes_of_what_is_to_come(game: str) -> None:
    """Walk the whole tree by hand and compare at every history."""
    rules = hn.load(game).played().rules
    bounds = boxed(game, bounds="exact").box.bounds  # type: ignore[attr-defined]

    def walk(state: Any, path: list[int]) -> list[tuple[float, float]]:
        from hannan.rules.paths import moves_at

        below = [walk(rules.after(state, move), [*path, k]) for k, (move, _) in enumerate(moves_at(rules, state))]
        here = [(0.0, 0.0)] * rules.players
        if below:
            here = [(min(b[p][0] for b in below), max(b[p][1] for b in below)) for p in range(rules.players)]
        assert bounds(path) == here
        gains = rules.gains(state)
        return [(low + gain, high + gain) for (low, high), gain in zip(here, gains, strict=True)]

    if hn.load(game).expanded().tree.nodes < 3000:
        walk(rules.start(), [])


BOX = """
from hannan.boxes import View
from hannan import Box

class Quiet(Box):
    players = 1
    def reset(self, seed):
        return View([1.0], [(0.0, 0.0)])
    def step(self, moves):
        raise AssertionError

def make():
    return Quiet()

thing = 3
"""


def test_a_class_of_boxes_is_made() -> None:
    game = hn.load(Bandit)
    assert isinstance(game, hn.boxes.BoxedGame)
    assert game.address == "bandit"


def test_boxes_are_loaded_by_address(tmp_path: Path) -> None:
    (tmp_path / "quiet.py").write_text(BOX)
    for name in ("Quiet", "make"):
        game = hn.load(f"module:{tmp_path / 'quiet.py'}:{name}")
        assert isinstance(game, hn.boxes.BoxedGame)
        assert game.players == 1
        assert hn.certify(game, playthroughs=3).value_bounds == pytest.approx((1.0, 1.0), abs=1e-8)
    with pytest.raises(hn.errors.RulesError, match="not a hannan"):
        hn.load(f"module:{tmp_path / 'quiet.py'}:thing")
    with pytest.raises(hn.errors.UnknownNameError):
        hn.load(f"module:{tmp_path / 'quiet.py'}:Loud")
    with pytest.raises(hn.errors.UnsuitableError, match="boxed"):
        game.expanded()


class Tilted(Rules):
    """Player 0 tilts the table, or does not; then a coin falls, which it wins or loses."""

    players = 1

    def __init__(self, tilt: float, grouped: bool) -> None:
        self.tilt, self.grouped = tilt, grouped

    def start(self) -> tuple[str, ...]:
        return ()

    def turn(self, state: tuple[str, ...]) -> int:
        return (0, CHANCE, END)[len(state)]

    def actions(self, state: tuple[str, ...], player: int) -> list[str]:
        return ["flat", "tilt"]

    def chance(self, state: tuple[str, ...]) -> list[tuple[str, float]]:
        up = 0.5 + (self.tilt if state == ("tilt",) else 0.0)
        return [("up", up), ("down", 1 - up)]

    def chance_group(self, state: tuple[str, ...]) -> int | None:
        return 7 if self.grouped else None

    def after(self, state: tuple[str, ...], move: str) -> tuple[str, ...]:
        return (*state, move)

    def observe(self, state: tuple[str, ...], player: int) -> None:
        return None

    def gains(self, state: tuple[str, ...]) -> tuple[float]:
        return (float(state[-1:] == ("up",)),)


@pytest.mark.parametrize("groups", ["history", "rules"])
def test_groups_of_different_distributions_are_noticed_where_the_rules_are_known(groups: Any) -> None:
    with pytest.raises(hn.errors.UnsuitableError, match=r"here, and \[.*\] at another node of the same group"):
        hn.certify(Tilted(0.4, True), groups=groups, playthroughs=50)
    assert hn.certify(Tilted(0.0, True), groups=groups, playthroughs=50).failure == ""
    assert hn.certify(Tilted(0.4, False), groups="none", playthroughs=50).failure == ""


def _start(table: Longs, state: Longs) -> None:
    """Nothing has happened."""


def _turn(table: Longs, state: Longs) -> int:
    return 1 if state[0] == 0 else CHANCE if state[0] == 1 else END


def _actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    out[0], out[1] = 0, 1
    return 2


def _chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    out[0], out[1] = 0, 1
    probabilities[0] = 0.5 + (table[0] / 10 if state[1] == 1 else 0.0)
    probabilities[1] = 1.0 - probabilities[0]
    return 2


def _move(table: Longs, state: Longs, choice: Longs) -> None:
    state[0] += 1
    state[state[0]] = choice[0]


def _observe(table: Longs, state: Longs, player: int) -> int:
    return 0


def _gains(table: Longs, state: Longs, out: Floats) -> None:
    if state[0] == 2:
        out[0] = 1.0 - state[2]


def _group(table: Longs, state: Longs) -> int:
    return 7


@pytest.mark.parametrize("groups", ["history", "rules"])
def test_the_compiled_certification_notices_groups_of_different_distributions(groups: Any) -> None:
    """The same game, compiled: `mccfr` plays, counts and learns in one kernel."""
    book = Rulebook(_start, _turn, _actions, _chance, _move, _observe, _gains, chance_group=_group)

    def tilted(tenths: int) -> hn.CompiledRules:
        return CompiledRules("tilted", 1, book, np.array([tenths]), state_size=3, width=2)

    options: dict[str, Any] = {"groups": groups, "bounds": (0.0, 1.0), "method": "mccfr", "playthroughs": 50}
    with pytest.raises(hn.errors.UnsuitableError, match=r"here, and \[.*\] at another node of the same group"):
        hn.certify(tilted(4), **options)
    assert hn.certify(tilted(0), **options).failure == ""
    assert hn.certify(tilted(4), **{**options, "groups": "none"}).failure == ""
