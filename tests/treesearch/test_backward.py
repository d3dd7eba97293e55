"""Exact search against the sequence-form linear program, on whole games and on every subgame."""

from __future__ import annotations

from math import perm
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.rules.plain import Rules
from hannan.rules.positions import text_of
from hannan.solvers import method_class
from hannan.treesearch.backward import BackwardInduction
from tests.averages import average_of
from tests.plaingames import Later
from tests.subgames import worst_subgame
from tests.treesearch.positions import From, Plainly, Unbounded, positions

METHODS = ("bi", "bi-ab", "do", "do-ab")

GAMES = (
    "biased_rps",
    "goofspiel(cards=3,information=open)",
    "goofspiel(cards=3,information=open,ties=discard,returns=win_loss,lowest=0)",
    "goofspiel(cards=4,information=open,order=descending)",
    "oshi_zumo(coins=3)",
    "oshi_zumo(coins=4,size=2,min_bid=1)",
    "tron",
    "pursuit_evasion(moves=2)",
    "random_game(depth=2,branching=3,seed=1)",
    "random_game(depth=2,branching=3,seed=2,utilities=edges,chance=2)",
    "random_game(depth=2,branching=2,seed=3,moves=turns)",
)


def made(method: str, game: Any, **parameters: Any) -> Any:
    """Return a solver that has not begun."""
    kind: Any = method_class(method)
    return kind(game, **parameters)


def solved(method: str, game: Any, **parameters: Any) -> BackwardInduction:
    """Search to the end."""
    solver = made(method, game, **parameters)
    solver.run(1)
    assert isinstance(solver, BackwardInduction)
    assert solver.iterations == 1
    return solver


def value(method: str, game: Any, **parameters: Any) -> float:
    """Return the value, after a look at its proof."""
    proof = solved(method, game, **parameters).proof()
    assert proof.complete
    assert proof.upper - proof.lower <= 1e-11
    assert proof.value is not None
    return proof.value


def by_lp(rules: Rules) -> float:
    """Return the value of a game by the sequence-form linear program."""
    lp = hn.methods.SequenceFormLP(rules)
    lp.run(1)
    return lp.proof().value


@pytest.mark.slow
@pytest.mark.parametrize("address", GAMES)
def test_every_subgame_has_the_value_of_the_linear_program(address: str) -> None:
    rules = load_expanded(address).rules
    solvers = [solved(method, address) for method in METHODS]
    for before, state in positions(rules, 60):
        expected = by_lp(From(rules, state))
        path = text_of(rules, before).removeprefix("r").removeprefix(":")
        for solver in solvers:
            assert solver.value(path) == pytest.approx((expected, expected), rel=0, abs=1e-9), (solver.method, path)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("goofspiel(cards=4,information=open)", "$2:(1,3)"),
        ("goofspiel(cards=4,information=open,ties=discard,returns=win_loss)", "$4:(4,2):$1"),
        ("goofspiel(cards=5,information=open,order=descending)", "(1,4)"),
        ("oshi_zumo", "(2,1)"),
        ("oshi_zumo(coins=6,size=2,min_bid=1)", "(1,3)"),
        ("tron(width=3,height=4)", "(right,up)"),
        ("pursuit_evasion", "(right,left+up)"),
    ],
)
def test_games_started_after_an_unequal_move(method: str, address: str, path: str) -> None:
    """Where the game is no longer symmetric: the usual test games are worth 0, which proves nothing."""
    rules = load_expanded(address).rules
    solver = made(method, address, at=path)
    state = rules.start()
    for move in solver._moves:
        state = rules.after(state, move)
    expected = by_lp(From(rules, state))
    for table in (True, False):
        assert value(method, address, at=path, table=table) == pytest.approx(expected, rel=0, abs=1e-9)
    assert value(method, From(rules, state)) == pytest.approx(expected, rel=0, abs=1e-9)


@pytest.mark.slow
@given(
    depth=st.integers(1, 3),
    branching=st.integers(1, 3),
    chance=st.integers(0, 2),
    moves=st.sampled_from(("joint", "turns")),
    utilities=st.sampled_from(("uniform", "ternary", "edges")),
    seed=st.integers(0, 10**6),
)
def test_random_games(depth: int, branching: int, chance: int, moves: str, utilities: str, seed: int) -> None:
    if (branching**2 * max(chance, 1)) ** depth > 400:
        depth = 2
    address = (
        f"random_game(depth={depth},branching={branching},chance={chance},moves={moves},utilities={utilities},"
        f"seed={seed})"
    )
    game = load_expanded(address)
    expected = by_lp(game.rules)
    for method in METHODS:
        for rules in (game.rules, Unbounded(game.rules)):
            assert value(method, rules) == pytest.approx(expected, rel=0, abs=1e-9)
        assert value(method, game.rules, table=False) == pytest.approx(expected, rel=0, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("address", GAMES)
def test_profiles_are_equilibria(method: str, address: str) -> None:
    game = load_expanded(address)
    profile = average_of(solved(method, game))
    assert hn.evaluate(game, profile).nash_conv <= 1e-9
    assert worst_subgame(profile) <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("address", GAMES)
def test_plain_rules_give_the_same_numbers(method: str, address: str) -> None:
    rules = load_expanded(address).rules
    compiled, plain = solved(method, rules, table=False), solved(method, Plainly(rules), table=False)
    assert plain.proof() == compiled.proof()
    assert plain.strategy() == compiled.strategy()
    assert value(method, Plainly(rules)) == pytest.approx(compiled.proof().value, rel=0, abs=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_biased_rock_paper_scissors(method: str) -> None:
    """(1, 10, 5)/16, by solving three equations."""
    for plays in solved(method, "biased_rps").strategy():
        assert list(plays.values()) == pytest.approx([1 / 16, 10 / 16, 5 / 16], abs=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_gains_on_the_way_that_cancel_only_in_the_end(method: str) -> None:
    """Player 0 takes 1, player 1 answers 0: 1 + 1 + 0 for player 0 (see `Later`)."""
    assert value(method, Later()) == pytest.approx(by_lp(Later()), abs=1e-12)
    assert value(method, Later()) == 2.0


class Settled(Rules):
    """Player 0 begins; both show one of three things, which settles it; then both choose one of two, for nothing."""

    def start(self) -> tuple[Any, ...]:
        return ()

    def turn(self, state: tuple[Any, ...]) -> int | tuple[int, ...]:
        return 0 if not state else hn.END if len(state) == 3 else (0, 1)

    def actions(self, state: tuple[Any, ...], player: int) -> list[str]:
        return ["go"] if not state else ["r", "p", "s"] if len(state) == 1 else ["x", "y"]

    def after(self, state: tuple[Any, ...], move: Any) -> tuple[Any, ...]:
        return (*state, move)

    def observe(self, state: tuple[Any, ...], player: int) -> Any:
        return state

    def gains(self, state: tuple[Any, ...]) -> tuple[float, float]:
        won = self._won(state) if len(state) == 3 else 0.0
        return won, -won

    def bounds(self, state: tuple[Any, ...]) -> list[tuple[float, float]]:
        won = self._won(state) if len(state) == 2 else None
        return [(-2.0, 2.0), (-2.0, 2.0)] if won is None else [(won, won), (-won, -won)]

    def _won(self, state: tuple[Any, ...]) -> float:
        shown = ["rps".index(move) for move in state[1]]
        return (0.0, 1.0, -1.0)[(shown[0] - shown[1]) % 3] * (2.0 if "r" in state[1] else 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_positions_that_bounds_settle_are_played_anyhow(method: str) -> None:
    """What a search from another position left behind is no strategy here."""
    search = made(method, Settled(), at="go")
    search.run(1)
    assert search.proof().value == pytest.approx(0.0, abs=1e-9)
    for path in ("", *(f"({one},{other})" for one in "rps" for other in "rps")):
        for plays in search.strategy(path):
            assert sum(plays.values()) == pytest.approx(1.0, abs=1e-9)
    assert hn.evaluate(Settled(), search.policy().profile()).nash_conv == pytest.approx(0.0, abs=1e-9)


def test_plain_backward_induction_visits_every_position() -> None:
    """Goofspiel in a fixed order: after k rounds (cards!/(cards − k)!)² histories; the paper counts these too."""
    for cards in (2, 3, 4, 5):
        proof = solved("bi", f"goofspiel(cards={cards},information=open,order=descending)", table=False).proof()
        assert proof.nodes == sum(perm(cards, k) ** 2 for k in range(cards))
        assert proof.serial_nodes == 0
        assert proof.cutoffs == 0


def test_pruning_prunes() -> None:
    """In the paper's order: each method searches fewer positions of the game than the one before."""
    address = "goofspiel(cards=5,information=open,order=descending,ties=discard,returns=win_loss)"
    proofs = [solved(method, address, table=False).proof() for method in ("bi", "do", "bi-ab", "do-ab")]
    searched = [proof.nodes - proof.serial_nodes for proof in proofs]
    assert searched == sorted(searched, reverse=True)
    assert searched[0] > 20 * searched[2]
    assert all(proof.cutoffs > 0 for proof in proofs[1:])


def test_the_table_saves_work_and_changes_nothing() -> None:
    address = "goofspiel(cards=5,information=open,order=descending)"
    for method in METHODS:
        with_table, without = solved(method, address, at="(1,2)"), solved(method, address, at="(1,2)", table=False)
        assert with_table.proof().nodes < without.proof().nodes
        assert with_table.proof().value == pytest.approx(without.proof().value, abs=1e-11)


def test_public_names() -> None:
    assert hn.methods.BackwardInduction is BackwardInduction
    assert hn.solve_matrix([[1.0]]).value == 1.0
