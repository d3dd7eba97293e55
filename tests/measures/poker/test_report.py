"""Nodes of public strategies: every number against enumeration on small decks, and against another solver."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import ParameterError, UnknownNameError
from hannan.forms.game import PublicGame
from hannan.games.holdem.cards import COMBOS
from hannan.games.holdem.dealt import DealtRules
from hannan.games.holdem.entry import holdem
from hannan.games.holdem.ranges import parse_range
from hannan.kernels.public import records as rec
from hannan.measures.poker.grids import grid_text
from hannan.measures.poker.report import NodeReport, report
from hannan.measures.poker.runouts import runouts
from hannan.strategies.public import PublicStrategy
from tests.games.holdem.reference import best_five
from tests.games.holdem.test_rules import GAMES, JUDGES, made
from tests.measures.poker.enumeration import Enumeration

SPOTS = Path(__file__).parents[2] / "games" / "holdem" / "spots"

NODES = {
    "holdem river": ("", "x", "x b10", "b10 r25", "b10 f", "x x"),
    "holdem turn": ("", "x b10", "x x", "x x Ad", "x b10 c Jd", "x b10 c Jc x", "b10 a35 c", "x x Ad b10"),
    "holdem raked": ("", "x b10 c", "b10 f"),
    "holdem limit": ("", "b4 c", "x x Ad x"),
    "holdem flop": ("", "x x Kc", "x x Kc x x", "x x Kc x x Jd"),
    "flop_holdem suits": ("",),
    "rhode_island suits": ("", "x x 2c"),
}
TOLERANCE = 1e-9
"""Relative to chips of at most 500: sums over 10^5 histories in doubles."""


def random_strategy(rules: DealtRules, seed: int) -> PublicStrategy:
    """Return random play: of each type its own, so that suits are told apart."""
    game = PublicGame(rules, mirrored=False)
    form = game.form
    found = np.random.default_rng(seed).random(form.entries)
    for stage in form.arrays.stage:
        for node in form.templates[stage[rec.S_TEMPLATE]].nodes:
            player = node[rec.N_KIND]
            if player < rec.LEAF:
                types, actions = int(stage[rec.S_TYPES + player]), int(node[rec.N_CHILDREN])
                first = int(stage[rec.S_STATE + player] + node[rec.N_SLOT] * types)
                block = found[first : first + actions * types].reshape(actions, types)
                block /= block.sum(axis=0)
    return PublicStrategy(game, found)


def assert_enumerated(strategy: PublicStrategy, at: str, judge: Any) -> NodeReport:
    """Compare a report with enumeration."""
    node, sums = report(strategy, at), Enumeration(strategy, judge).node(at)
    rules = strategy.game.rules
    assert isinstance(rules, DealtRules)
    line = strategy.node(at).line
    assert node.pot == rules.betting.pot + sum(line.chips)
    for one in node.players:
        mine = rules.betting.pot / 2 + line.chips[one.player]
        total = sum(found.reach for found in sums[one.player].values())
        known = {row.name: row for row in one.hands if row.matchups > 0}
        assert set(known) == {name for name, found in sums[one.player].items() if found.reach > 0}
        for name, found in sums[one.player].items():
            if found.reach == 0:
                continue
            row = known[name]
            assert row.matchups / one.total.matchups == pytest.approx(found.reach / total, rel=TOLERANCE)
            assert row.ev == pytest.approx(found.gain / found.reach + mine, abs=500 * TOLERANCE)
            assert row.equity == pytest.approx(found.share / found.reach, abs=TOLERANCE)
            for action, gain in found.gains.items():
                assert row.action_evs is not None
                earned = row.action_evs[node.actions.index(action)]
                assert earned == pytest.approx(gain / found.reach + mine, abs=500 * TOLERANCE)
        if total == 0:  # the card leaves no pair of hands
            assert one.total.ev is one.total.equity is None
            continue
        gain = sum(found.gain for found in sums[one.player].values()) / total
        assert one.total.ev == pytest.approx(gain + mine, abs=500 * TOLERANCE)
    return node


@pytest.mark.parametrize(("name", "at"), [(name, at) for name, paths in NODES.items() for at in paths])
def test_numbers_are_those_of_enumeration(name: str, at: str) -> None:
    rules = made(name)
    assert isinstance(rules, DealtRules)
    if name == "rhode_island suits" and at:
        at = f"x x {rules.outcome_text(rules.outcomes(())[-1][0])}"
    assert_enumerated(random_strategy(rules, 5), at, JUDGES[name.split()[0]])


def test_cards_that_are_mirrors_of_each_other_are_told_by_their_own_hands() -> None:
    """The board is all clubs, so diamonds and hearts are mirrors of each other."""
    parameters = {"ranks": 4, "suits": 3, "board": "AcKcQc", "oop": "AA,AK,JJ", "ip": "KK,QJ"}
    rules = holdem(**parameters, pot=20, stack=20, bets="50%", raises="")
    game = PublicGame(rules)
    assert len(game.form.deals) < len(PublicGame(rules, mirrored=False).form.deals)
    strategy = hn.solve(game, "cfr", iterations=3).strategy
    assert isinstance(strategy, PublicStrategy)
    for at in ("x x Ah", "x x Ad", "x b10 c Jh x x", "x b10 c Jh x x Kd x"):
        assert_enumerated(strategy, at, best_five)


@pytest.mark.parametrize("name", ["river_range", "turn_basic"])
@pytest.mark.slow
def test_another_solver_finds_the_same_numbers(name: str) -> None:
    """Its equities and weights are 32-bit floats; EVs of single hands differ by gap times hands in 10^3 of the pot."""
    peer = json.loads((SPOTS / f"{name}.json").read_text())
    result = hn.solve(f"holdem(file={str(SPOTS / name) + '.toml'!r})", gap=0.002)
    node = report(result.strategy)
    for one in node.players:
        rows = {row.name: row for row in one.hands}
        assert list(rows) == peer[f"hands_{one.player}"]
        for what, column, tolerance in (("ev", "ev", 0.2), ("equity", "equity", 1e-6), ("matchups", "weights", 1e-9)):
            found = [getattr(row, what) for row in rows.values()]
            assert found == pytest.approx(peer[f"{column}_{one.player}"], abs=tolerance), what
        assert one.total.ev == pytest.approx(peer["ev"][one.player], abs=0.01)
        assert one.total.equity == pytest.approx(peer["equity"][one.player], abs=1e-6)
    low, high = peer["value_bracket_oop"]
    assert low - 0.002 <= (node.players[0].total.ev or 0.0) <= high + 0.002


def test_evs_add_up_to_the_pot_and_actions_to_the_ev() -> None:
    strategy = random_strategy(made("holdem turn"), 2)
    for at in ("", "x b10", "x x", "x x Ad", "x b10 c Jc", "x x Ad b10"):
        node = report(strategy, at)
        assert sum(one.total.ev or 0.0 for one in node.players) == pytest.approx(node.pot, rel=1e-12)
        assert sum(one.total.equity or 0.0 for one in node.players) == pytest.approx(1.0, rel=1e-12)
        for one in node.players:
            for row in (one.total, *one.hands):
                if (
                    row.frequencies is not None
                    and row.name != "all"
                    and row.action_evs is not None
                    and row.ev is not None
                ):
                    mean = sum(p * (ev or 0.0) for p, ev in zip(row.frequencies, row.action_evs, strict=True))
                    assert mean == pytest.approx(row.ev, rel=1e-12, abs=1e-12)
                    assert sum(row.frequencies) == pytest.approx(1.0, rel=1e-12)
            assert sum(row.weight for row in one.groups) == pytest.approx(one.total.weight, rel=1e-12)
            mean = sum((row.ev or 0.0) * row.matchups for row in one.groups) / one.total.matchups
            assert mean == pytest.approx(one.total.ev, rel=1e-12)


def test_rake_is_what_is_missing() -> None:
    node = report(random_strategy(made("holdem raked"), 2), "b10 f")
    assert sum(one.total.ev or 0.0 for one in node.players) == pytest.approx(30 - 0.05 * 20)


def test_a_fold_is_worth_nothing() -> None:
    node = report(random_strategy(made("holdem river"), 2), "x b10")
    fold = node.actions.index("f")
    for row in node.players[0].hands:
        assert row.action_evs is None or row.action_evs[fold] == pytest.approx(0.0, abs=1e-12)


def test_ranges_are_texts_that_give_the_same_weights_again() -> None:
    strategy = random_strategy(made("holdem turn"), 4)
    node = report(strategy, "x b10")
    rules = strategy.game.rules
    assert isinstance(rules, DealtRules)
    table = set(rules.on_table(()))
    one = node.players[0]
    for k, action in enumerate(node.actions):
        weights = parse_range(node.action_ranges[action], deck=rules.deck)
        known = {tuple(COMBOS[place]): weights[place] for place in np.flatnonzero(weights)}
        for row, hand in zip(one.hands, sorted(rules.cards(0)), strict=True):
            assert known.pop(hand, 0.0) == pytest.approx(row.weight * (row.frequencies or ())[k], abs=5.1e-5)
        assert all(table & set(map(int, hand)) for hand in known)
    # a node can be solved as a spot of its own
    again = holdem(board="AcKdQcTc", ranks=5, suits=2, pot=30, stack=25, bets="a", **node.ranges)
    assert [again.types(p) for p in (0, 1)] == [rules.types(p) for p in (0, 1)]


def test_the_table_has_a_line_per_hand() -> None:
    node = report(random_strategy(made("holdem turn"), 4), "x b10")
    rows = list(csv.DictReader(io.StringIO(node.csv())))
    assert [row["hand"] for row in rows] == [row.name for one in node.players for row in one.hands]
    for row, hand in zip(rows, node.players[0].hands, strict=False):
        assert row["ev"] == ("" if hand.ev is None else repr(hand.ev))
        assert row["equity"] == ("" if hand.equity is None else repr(hand.equity))
        assert tuple(float(row[action]) for action in node.actions) == hand.frequencies
    assert rows[-1]["f"] == ""


def test_the_grid_has_suited_hands_above_the_diagonal() -> None:
    parameters = {"board": "Td9d6hQc2s", "oop": "AKs,AQo", "ip": "JJ", "pot": 20, "stack": 20, "bets": "a"}
    strategy = hn.solve(holdem(**parameters), "cfr", iterations=5).strategy
    node = report(strategy)
    grid = node.grid("weight")
    assert grid.shape == (13, 13)
    assert {(i, j) for i, j in zip(*np.nonzero(~np.isnan(grid)), strict=True)} == {(0, 1), (2, 0)}
    groups = {row.name: row for row in node.players[0].groups}
    assert node.grid("ev")[0, 1] == pytest.approx(groups["AKs"].ev, rel=1e-12)
    assert node.grid("equity")[2, 0] == pytest.approx(groups["AQo"].equity, rel=1e-12)
    played = node.grid("strategy", action=1)[2, 0]
    assert played == pytest.approx((groups["AQo"].frequencies or ())[1], rel=1e-12)
    lines = grid_text(node, "equity").split("\n")
    assert len(lines) == 14
    assert lines[0].split() == list("AKQJT98765432")


def test_runouts_average_to_the_node() -> None:
    strategy = random_strategy(made("holdem turn"), 6)
    found, node = runouts(strategy, "x b10 c"), report(strategy, "x b10 c")
    assert [one.card for one in found.runouts] == ["Td", "Jc", "Jd", "Qd", "Kc", "Ad"]
    assert sum(one.probability for one in found.runouts) == pytest.approx(1.0, rel=1e-12)
    for player, one in enumerate(node.players):
        assert found.ev[player] == pytest.approx(one.total.ev, rel=1e-12)
        assert found.equity[player] == pytest.approx(one.total.equity, rel=1e-12)
    for card in found.runouts:
        after = report(strategy, f"x b10 c {card.card}")
        assert card.frequencies == (after.players[0].total.frequencies or ())
        assert card.ev[1] == after.players[1].total.ev
    assert len(found.csv().splitlines()) == len(found.runouts) + 1


def test_games_without_chips_or_pairs_of_cards_are_reported_without_grids() -> None:
    node = report(random_strategy(made("rhode_island suits"), 3))
    assert node.ranges == {}
    assert [row.name for row in node.players[0].hands] == [row.group for row in node.players[0].hands]
    with pytest.raises(ParameterError, match="hands of two cards"):
        node.grid("ev")


def test_wrong_questions_get_sentences() -> None:
    strategy = random_strategy(made("holdem turn"), 3)
    with pytest.raises(UnknownNameError, match="'b99' is not possible at this place"):
        report(strategy, "b99")
    with pytest.raises(ParameterError, match="no card is dealt after 'x': ip acts there"):
        runouts(strategy, "x")
    with pytest.raises(ParameterError, match="play is over"):
        runouts(strategy, "b10 f")
    with pytest.raises(ParameterError, match="is not a strategy on a public tree"):
        report(hn.uniform("kuhn_poker"))
    with pytest.raises(ParameterError, match="should be a text"):
        report(strategy, 3)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="a grid shows"):
        report(strategy).grid("luck")
    with pytest.raises(ParameterError, match="does not act here"):
        report(strategy).grid("strategy", player=1)


def test_games_are_known_to_the_other_tests() -> None:
    assert set(NODES) <= set(GAMES)
