"""Strategies on public trees: what they say at each place, in files, in seats, and moved to other games."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import FileError, MismatchError, ParameterError, UnknownNameError
from hannan.forms.game import ExpandedGame, PublicGame
from hannan.kernels.vectors import LANES
from hannan.layouts.public import PublicBackend, PublicSetup
from hannan.measures.evaluation import public_evaluation
from hannan.strategies.public import PublicStrategy
from tests.methods import solver_for
from tests.public_games import CASES, holdem_case

BUILT_IN = "holdem(ranks=5,suits=2,board=AcKdQcTc,oop='AA,KK,JT,AJ',ip='AK,QJ,TT',pot=20,stack=35,bets='50%',raises=a)"


@cache
def solved(name: str, mirrored: bool = True, iterations: int = 12) -> PublicStrategy:
    solver = solver_for("cfr+", PublicGame(CASES[name](), mirrored=mirrored), precision="float64")
    solver.run(iterations)
    found = solver.average()
    assert isinstance(found, PublicStrategy)
    return found


@pytest.mark.parametrize("name", ["kuhn", "dice", "river", "turn raked", "turn gone", "flop"])
def test_every_set_says_what_the_profile_says(name: str) -> None:
    """Names of sets of the expanded game are types and words of public play, which `at` takes."""
    strategy = solved(name)
    profile, rules = strategy.profile(), strategy.game.rules
    game = profile.game
    for player, plex in enumerate(game.form.treeplexes):
        for number in range(plex.sets):
            way = strategy_words(game, player, number)
            probabilities = strategy.at(player, way)
            first = int(plex.begin[number])
            known = profile.strategies[player][first : int(plex.begin[number + 1])]
            np.testing.assert_allclose(list(probabilities.values()), known, atol=1e-12)
            assert list(probabilities) == game.actions_at(player, number)
    assert rules.players == 2


def strategy_words(game: ExpandedGame, player: int, number: int) -> str:
    """Return the type of a player at a set, then all public play on the way there, by the tree."""
    path = game.tree.path(int(game.form.treeplexes[player].node[number]))
    state, words = game.rules.start(), list[str]()
    for step in path:
        turn = game.rules.turn(state)
        assert isinstance(turn, int)
        if turn < 0:
            move = game.rules.chance(state)[step][0]
            words.append(game.rules.action_text(hn.CHANCE, move))
        else:
            move = game.rules.actions(state, turn)[step]
            words.append(game.rules.action_text(turn, move))
        state = game.rules.after(state, move)
    return " ".join([words[player], *words[2:]])


def test_mirrored_boards_say_what_boards_told_apart_say() -> None:
    shared, apart = solved("flop"), solved("flop", mirrored=False)
    for path in ("", "x", "x x Ah", "x x As x", "x x Kd x x Qs", "x x Ks x x Qh x", "x x Qh x x Ad a5"):
        actions, rows = shared.table(path)
        known = apart.table(path)
        assert actions == known[0]
        assert rows.keys() == known[1].keys()
        for name, row in rows.items():
            np.testing.assert_allclose(row, known[1][name], atol=1e-9)
            assert row.sum() == pytest.approx(1, abs=1e-12)
    moved = shared.moved(apart.game)
    np.testing.assert_allclose(moved.probability, apart.probability, atol=1e-9)
    again = moved.moved(shared.game)
    np.testing.assert_array_equal(again.probability, shared.probability)


def test_other_ranges_get_the_same_play_and_even_play() -> None:
    """A game with one more hand, and one in which a card leaves the other game no hand at all."""
    strategy = solved("turn gone")
    more = holdem_case(ranks=5, suits=2, board="AcKdQcTc", pot=20, stack=35, bets="50%", raises="a", oop="JdTd,AdJd",
                       ip="AK,QJ")  # fmt: skip
    moved = strategy.moved(PublicGame(more))
    _, rows = moved.table("")
    np.testing.assert_array_equal(rows["JdTd"], strategy.table("")[1]["JdTd"])
    assert len(set(rows["AdJd"].tolist())) == 1
    with pytest.raises(MismatchError, match="other public play"):
        strategy.moved(solved("flop").game)


def test_places_that_are_not_there_are_sentences() -> None:
    strategy = solved("flop")
    with pytest.raises(UnknownNameError, match="player 1 does not act after ''"):
        strategy.at(1, "AdAh")
    with pytest.raises(UnknownNameError, match="has no type 'AcAh' there"):
        strategy.at(0, "AcAh")
    with pytest.raises(UnknownNameError, match="has no type 'AdAh' there"):
        strategy.at(0, "AdAh x x Ad")
    with pytest.raises(UnknownNameError, match="no player acts after 'x x'"):
        strategy.table("x x")
    with pytest.raises(ParameterError, match="give a type, then"):
        strategy.at(0, "")


def test_what_is_no_strategy_is_refused() -> None:
    strategy = solved("kuhn")
    game, probability = strategy.game, strategy.probability
    with pytest.raises(MismatchError, match="entries"):
        PublicStrategy(game, probability[:-1])
    for wrong in (np.full_like(probability, np.nan), probability - 1, probability + 1):
        with pytest.raises(ParameterError, match="not a probability"):
            PublicStrategy(game, wrong)
    with pytest.raises(ParameterError, match="player 0 with J sum to 0 at a node, not 1"):
        PublicStrategy(game, np.zeros_like(probability))
    with pytest.raises(ParameterError, match="array of floats"):
        PublicStrategy(game, probability.tolist())
    with pytest.raises(ParameterError, match="has no public tree"):
        PublicStrategy(ExpandedGame(game.rules), probability)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="read-only"):
        strategy.probability[0] = 1


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_files_give_the_same_bits(precision: str, tmp_path: Path) -> None:
    solver: Any = solver_for("dcfr", hn.load(BUILT_IN), precision=precision)
    solver.run(5)
    strategy = solver.average()
    hn.save(strategy, tmp_path / "x.strategy")
    back = hn.read(tmp_path / "x.strategy")
    assert isinstance(back, PublicStrategy)
    assert back.probability.dtype == np.dtype(precision)
    assert back.probability.tobytes() == strategy.probability.tobytes()
    assert back.digest == strategy.digest
    assert dict(back.facts) == dict(strategy.facts)
    assert hn.evaluate(back) == hn.evaluate(strategy)


def test_files_of_other_rules_need_their_game(tmp_path: Path) -> None:
    strategy = solved("flop", mirrored=False)
    hn.save(strategy, tmp_path / "x.strategy")
    back = hn.read(tmp_path / "x.strategy", CASES["flop"]())
    assert isinstance(back, PublicStrategy)
    assert not back.game.mirrored
    np.testing.assert_array_equal(back.probability, strategy.probability)
    with pytest.raises((MismatchError, FileError)):
        hn.read(tmp_path / "x.strategy", CASES["turn"]())


@pytest.mark.parametrize("mirrored", [True, False])
def test_other_processes_get_the_same_strategy(mirrored: bool) -> None:
    game = hn.load(BUILT_IN)
    assert isinstance(game, PublicGame)
    if not mirrored:
        game = PublicGame(game.rules, game.name, game.parameters, built_in=True, mirrored=False)
    solver = solver_for("cfr", game)
    solver.run(2)
    again = pickle.loads(pickle.dumps(solver.average()))
    assert again.digest == solver.average().digest
    assert again.game.mirrored == mirrored


def test_uniform_play_is_worth_what_the_expanded_game_says() -> None:
    for name in ("leduc", "turn raked", "flop"):
        game = PublicGame(CASES[name]())
        backend = PublicBackend(PublicSetup(game.form, kept="float64"))
        backend.write("total", np.zeros(game.form.entries + LANES))
        found = public_evaluation(PublicStrategy(game, backend.strategy()))
        expanded = ExpandedGame(game.rules)
        known = hn.evaluate(expanded, hn.uniform(expanded))
        assert found.values == pytest.approx(known.values, abs=1e-12 * game.form.largest)
        assert found.nash_conv == pytest.approx(known.nash_conv, abs=1e-12 * game.form.largest)


def test_a_seat_plays_as_the_strategy_says() -> None:
    """A match of a strategy with itself, and with its profile: every difference is luck that duplicate play takes out.

    The exact score is 0 by symmetry of both seats; plays are drawn, so the mean is within its stated bound.
    """
    strategy = solved("turn")
    found = hn.match(strategy.game, strategy, strategy.profile(), games=2000, seed=1)
    known = hn.evaluate(strategy)
    assert known.exact
    assert abs(found.scores[0]) <= found.half_widths[0]


def test_types_that_are_mirrors_of_each_other_play_alike() -> None:
    """A mirrored tree counts what follows a deal once for all its mirrors: other strategies would be measured wrong."""
    address = "holdem(ranks=4,suits=3,board=AcKcQc,oop='{}',ip='KQ,AK',pot=10,stack=20,bets=a)"
    uneven, even = (hn.load(address.format(oop)) for oop in ("AK,AhQh,QJ:0.5,AdQd:0.1", "AK,AQs,QJ"))
    assert isinstance(even, PublicGame)
    assert len(even.rules.mirrors(())) == 1
    found = hn.solve(uneven, iterations=20).strategy
    assert isinstance(found, PublicStrategy)
    moved = found.moved(even)
    known = hn.evaluate(ExpandedGame(even.rules), moved.profile())
    assert hn.evaluate(moved).values == pytest.approx(known.values, abs=1e-6)  # probabilities have 32 bits
    assert hn.evaluate(moved).gains == pytest.approx(known.gains, abs=1e-6)
    changed, first = moved.probability.copy(), moved.node().entries(0)
    changed[first] = np.linspace(0, 1, first.shape[1]) * np.array([[1], [-1]]) + np.array([[0], [1]])
    with pytest.raises(ParameterError, match=r"player 0 plays \w+ and \w+ differently"):
        PublicStrategy(even, changed)


def test_a_strategy_is_not_moved_to_another_board() -> None:
    strategy = hn.solve(BUILT_IN, iterations=1).strategy
    assert isinstance(strategy, PublicStrategy)
    other = hn.load(BUILT_IN.replace("AcKdQcTc", "AcKdQcTd"))
    assert isinstance(other, PublicGame)
    with pytest.raises(MismatchError, match="deals other cards"):
        strategy.moved(other)
