"""The sequence-form linear program: known values, its own proof, other solvers, other libraries, and bad input."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.forms.treeplex import reaches
from hannan.rules.plain import END, Rules
from hannan.solvers.exact.lift import lifted
from hannan.solvers.exact.linear import LinearProgram
from tests.games.plain import Kuhn
from tests.matching import grown, plan_of
from tests.reference import best_value, counterfactual
from tests.subgames import worst_subgame

VALUES = {
    "kuhn_poker": -1 / 18,  # Kuhn (1950)
    "leduc_poker": -0.085606424078,  # papers.md, known to twelve digits
    "liars_dice(faces=4)": 0.0625,  # papers.md
    "goofspiel": 0.0,  # symmetric
    "biased_rps": 0.0,  # antisymmetric matrix
    "matching_pennies": 0.0,
    "matrix_game(payoffs=[[3,-1],[-2,4]])": 1.0,  # by hand: (3·4 - 2)/(3 + 4 + 1 + 2)
    "matrix_game(payoffs=[[[3,1],[0,2]],[[1,3],[4,2]]])": 1.5,  # constant-sum 4, by hand
}
"""To player 0."""

LIARS_DICE = load_expanded("liars_dice")
"""Takes about a second to solve: long enough to be interrupted."""


def solved(game: Any, **parameters: Any) -> hn.methods.SequenceFormLP:
    solver = hn.methods.SequenceFormLP(game, **parameters)
    solver.run(1)
    assert solver.ending == "exact"
    assert solver.iterations == 1
    return solver


@pytest.mark.parametrize("address", VALUES)
@pytest.mark.parametrize("parameters", [{}, {"algorithm": "ipm"}, {"perturbation": 0.3}], ids=str)
def test_known_values(address: str, parameters: dict[str, Any]) -> None:
    solver = solved(address, **parameters)
    proof = solver.proof()
    assert proof.value == pytest.approx(VALUES[address], abs=1e-9)
    assert proof.lower - 1e-12 <= VALUES[address] <= proof.upper + 1e-12
    assert proof.gap < 1e-9
    found = hn.evaluate(solver.game, solver.average())
    assert found.nash_conv == pytest.approx(proof.gap, abs=1e-12)  # numpy here, the kernels there
    assert hn.exact_gap(solver.game, solver.average()).nash_conv < 1e-9


def test_plain_rules_and_the_reference() -> None:
    game = load_expanded(Kuhn())
    plan = plan_of(solved(game).average())
    tree = grown(game)
    best = [best_value(tree, player, [(1.0, plan)]) for player in range(2)]
    assert best == pytest.approx([-1 / 18, 1 / 18], abs=1e-12)


def test_payoffs_of_any_size() -> None:
    payoffs = np.random.default_rng(1).normal(size=(6, 7))
    value = solved(hn.matrix_game(payoffs)).proof().value
    for size in (1e-9, 1e9):
        proof = solved(hn.matrix_game(payoffs * size)).proof()
        assert proof.value == pytest.approx(value * size, rel=1e-9)
        assert proof.gap < 1e-12 * size
    assert solved(hn.matrix_game([[0, 0], [0, 0]])).proof().gap == 0.0


@given(
    seed=st.integers(0, 10**6),
    depth=st.integers(1, 3),
    branching=st.integers(1, 3),
    chance=st.integers(0, 2),
    hidden=st.booleans(),
    moves=st.sampled_from(["joint", "turns"]),
    utilities=st.sampled_from(["uniform", "ternary", "edges"]),
)
@settings(max_examples=25)
def test_the_limit_of_cfr_plus(**parameters: Any) -> None:
    if parameters["branching"] == 3:
        parameters["depth"] = min(parameters["depth"], 2)
    rules = ",".join(f"{name}={word}" for name, word in parameters.items()).replace("True", "true")
    game = load_expanded(f"random_game({rules.replace('False', 'false')})")
    solver = solved(game)
    proof = solver.proof()
    assert proof.gap < 1e-9
    assert hn.exact_gap(game, solver.average()).nash_conv < 1e-9
    total = game.form.total
    assert total is not None
    result = hn.solve(game, "cfr+", gap=1e-3, iterations=20_000)
    assert result.nash_conv <= 1e-3
    best = hn.evaluate(game, result.profile).best_values
    assert total - best[1] - 1e-9 <= proof.value <= best[0] + 1e-9


@given(rows=st.integers(1, 5), columns=st.integers(1, 5), seed=st.integers(0, 10**6))
@settings(max_examples=15)
def test_gambit_in_rational_numbers(rows: int, columns: int, seed: int) -> None:
    gambit = pytest.importorskip("pygambit")
    matrix = np.random.default_rng(seed).integers(-9, 10, size=(rows, columns))
    theirs = gambit.Game.from_arrays(matrix, -matrix)
    equilibrium = gambit.nash.lp_solve(theirs, rational=True).equilibria[0]
    value = float(equilibrium.payoff(next(iter(theirs.players))))
    assert solved(hn.matrix_game(matrix)).proof().value == pytest.approx(value, abs=1e-12)


class Detour(Rules):
    """Player 0 stops, worth 1, or goes on; player 1 then takes 2, or nothing, and last player 0 loses 1.5, or nothing.

    To stop is best whatever player 1 would do: no plain solution has to play well after `go`.
    """

    MOVES: ClassVar = {"": ("stop", "go"), "go": ("nothing", "take"), "gonothing": ("lose", "nothing")}
    WORTH: ClassVar = {"stop": 1.0, "gotake": -2.0, "gonothinglose": -1.5}

    def start(self) -> str:
        return ""

    def turn(self, state: str) -> int:
        return {"": 0, "go": 1, "gonothing": 0}.get(state, END)

    def actions(self, state: str, player: int) -> Sequence[str]:
        return self.MOVES[state]

    def after(self, state: str, move: Any) -> str:
        return state + str(move)

    def observe(self, state: str, player: int) -> str:
        return state

    def gains(self, state: str) -> Sequence[float]:
        worth = self.WORTH.get(state, 0.0)
        return worth, -worth


def test_perturbed_play_is_best_off_the_path_too() -> None:
    plain, perturbed = solved(Detour()), solved(Detour(), perturbation=0.3)
    for solver in (plain, perturbed):
        assert solver.proof().gap < 1e-12
        assert solver.average().at(0, "") == {"stop": 1.0, "go": 0.0}
    assert worst_subgame(plain.average()) > 0.1  # an equilibrium, and foolish where it is not reached
    assert perturbed.average().at(1, "go") == {"nothing": 0.0, "take": 1.0}
    assert worst_subgame(perturbed.average()) < 1e-9


SUBGAMES = {
    "random_game(depth=2,branching=3)": 1e-6,
    "random_game(depth=2,branching=2,chance=2)": 1e-6,
    "random_game(depth=3,branching=2)": 1e-3,
    "random_game(depth=3,branching=2,moves=turns)": 1e-9,
    "random_game(depth=4,branching=2,moves=turns)": 1e-9,
}
"""The largest NashConv in any subgame, as documented: play after one choice off the path is within 1e-6 of best, after
two within 1e-3; where everybody moves in turn it is pure, and then exact."""


@pytest.mark.parametrize("address", SUBGAMES)
def test_perturbed_play_in_every_subgame(address: str) -> None:
    foolish = 0.0
    for seed in range(5):
        game = load_expanded(address.replace(")", f",seed={seed})"))
        perturbed = solved(game, perturbation=0.3)
        assert perturbed.proof().gap < 1e-9
        assert worst_subgame(perturbed.average()) < SUBGAMES[address]
        foolish = max(foolish, worst_subgame(solved(game).average()))
    assert foolish > 0.1  # so the test can tell


@pytest.mark.parametrize(
    "address", ["kuhn_poker", "goofspiel(cards=3)", "random_game(depth=3,moves=turns,hidden=true)"]
)
def test_own_mistakes_are_answered_by_a_best_response(address: str) -> None:
    game = load_expanded(address)
    plan = plan_of(solved(game).average())
    for player in range(2):
        for key, worth in counterfactual(grown(game), plan, player).items():
            earned = sum(plan[key][action] * value for action, value in worth.items())
            assert earned == pytest.approx(max(worth.values()), abs=1e-9)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("kuhn_poker(players=3)", "has 3 players"),
        ("prisoners_dilemma", "two players whose utilities have no constant sum"),
        ("random_game(players=3,payoffs=identical)", "has 3 players"),
    ],
)
def test_refused_with_a_reason(address: str, words: str) -> None:
    with pytest.raises(hn.errors.UnsuitableError, match=words):
        hn.methods.SequenceFormLP(address)
    with pytest.raises(hn.errors.UnsuitableError, match=words):
        hn.solve(address, "lp")


@pytest.mark.parametrize(
    "parameters", [{"algorithm": "magic"}, {"perturbation": 1.0}, {"perturbation": -0.1}, {"time_limit": -1.0}], ids=str
)
def test_bad_parameters(parameters: dict[str, Any]) -> None:
    with pytest.raises(hn.errors.ParameterError, match=next(iter(parameters))):
        hn.methods.SequenceFormLP("kuhn_poker", **parameters)


def test_solve_says_exact() -> None:
    result = hn.solve("leduc_poker", "lp")
    assert result.stop == "exact"
    assert result.iterations == 1
    assert result.nash_conv < 1e-9
    assert hn.solve("kuhn_poker", "lp(perturbation=0.1)").stop == "exact"


def test_once_is_enough_and_nothing_is_nothing() -> None:
    solver = hn.methods.SequenceFormLP("kuhn_poker")
    solver.run(0)
    assert solver.iterations == 0
    assert [list(part) for part in solver.average().strategies] == [
        list(p) for p in hn.uniform("kuhn_poker").strategies
    ]
    solver.run(50)
    before = solver.average()
    solver.run(1)
    assert solver.iterations == 1
    assert all((a == b).all() for a, b in zip(before.strategies, solver.current().strategies, strict=True))


def test_saved_and_resumed(tmp_path: Path) -> None:
    solver = solved("leduc_poker", perturbation=0.3)
    solver.save(tmp_path / "lp.checkpoint")
    again = hn.resume(tmp_path / "lp.checkpoint")
    assert isinstance(again, hn.methods.SequenceFormLP)
    assert again.proof() == solver.proof()
    assert again.perturbation == 0.3
    assert again.iterations == 1


def in_the_middle(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Let something happen once, while HiGHS is at work: when it asks whether to go on."""
    asked, left = LinearProgram._asked, [happens]

    def first(program: LinearProgram, event: Any) -> None:
        if left:
            left.pop()()
        asked(program, event)

    monkeypatch.setattr(LinearProgram, "_asked", first)


def test_time_limit_and_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    hurried = hn.methods.SequenceFormLP(LIARS_DICE, time_limit=0.0)
    with pytest.raises(hn.HannanError, match="no solution of liars_dice after 0 seconds"):
        hurried.run(1)
    assert hurried.iterations == 0
    hurried.average()  # uniform still, and valid
    cancelled = hn.methods.SequenceFormLP(LIARS_DICE)
    in_the_middle(monkeypatch, cancelled.cancel)
    cancelled.run(1)
    assert (cancelled.ending, cancelled.iterations) == ("interrupted", 0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself Ctrl-C there")
def test_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests that run in the background ignore it
    try:
        _interrupted(monkeypatch)
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = hn.methods.SequenceFormLP(LIARS_DICE)
    in_the_middle(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        solver.run(1)
    assert solver.iterations == 0
    solver.run(1)  # and it can be run again
    assert solver.proof().gap < 1e-9
    assert solver.proof().value == pytest.approx(-7 / 258, abs=1e-9)  # what the rational check confirms
    assert hn.exact_gap(LIARS_DICE, solver.average()).nash_conv < 1e-9


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself Ctrl-C there")
def test_ctrl_c_in_solve_gives_the_result_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    in_the_middle(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGINT))
    result = hn.solve(LIARS_DICE, "lp")
    assert result.stop == "interrupted"
    assert result.nash_conv == pytest.approx(hn.evaluate(LIARS_DICE, hn.uniform(LIARS_DICE)).nash_conv, abs=1e-12)


SMALL = np.array([[0.0, 4.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 4.0]])


@pytest.mark.parametrize("parameters", [{}, {"algorithm": "ipm"}, {"perturbation": 0.3}], ids=str)
@pytest.mark.parametrize("constant", [1e6, 1e9, -1e9, 1e12])
def test_payoffs_with_a_large_constant(constant: float, parameters: dict[str, Any]) -> None:
    """1.7 is the value without it, by exact fractions; payoffs themselves are rounded to 1e-4 beside 1e12."""
    plain = load_expanded([SMALL, -SMALL])
    solver = solved([SMALL + constant, -SMALL - constant], **parameters)
    assert solver.proof().value - constant == pytest.approx(1.7, abs=1e-3 if abs(constant) > 1e10 else 1e-6)
    assert (
        hn.evaluate(plain, hn.Profile(plain, solver.average().strategies)).nash_conv
        < 1e-3 / 1e12 * abs(constant) + 1e-9
    )


class Richer(Kuhn):
    """Kuhn poker in which player 1 owes player 0 a fortune at the end."""

    fortune: ClassVar[float] = 1e9

    def gains(self, state: Any) -> tuple[float, float]:
        first, _ = super().gains(state)
        owed = self.fortune if self.turn(state) == END else 0.0
        return first + owed, -first - owed


def test_a_large_constant_on_a_tree() -> None:
    solver = solved(Richer())
    assert solver.proof().value - 1e9 == pytest.approx(-1 / 18, abs=1e-6)
    plain = load_expanded(Kuhn())
    assert hn.evaluate(plain, hn.Profile(plain, solver.average().strategies)).nash_conv < 1e-6  # 1e9 / 6 is rounded


@pytest.mark.parametrize("parameters", [{}, {"perturbation": 0.3}], ids=str)
def test_a_large_constant_beside_factors(parameters: dict[str, Any]) -> None:
    place = np.arange(48)
    payoffs = np.where(place[:, None] < place, 1.0, 2.0) + 3 * np.eye(48)
    plain, solver = solved([payoffs, -payoffs], **parameters), solved([payoffs + 1e9, -payoffs - 1e9], **parameters)
    assert plain._parts.sums.shape[0] > 0
    assert solver.proof().value - 1e9 == pytest.approx(plain.proof().value, abs=1e-6)
    assert hn.evaluate(plain.game, hn.Profile(plain.game, solver.average().strategies)).nash_conv < 1e-6


def test_lifting_changes_no_payoff() -> None:
    rng = np.random.default_rng(1)
    form = load_expanded("leduc_poker").form
    payoffs = csr_array((form.payoff(0) + 1000, tuple(form.sequences)))
    rest, constant = lifted(payoffs, form.treeplexes)
    for _ in range(3):
        x, y = (reaches(plex, _random(plex, rng)) for plex in form.treeplexes)
        assert x @ (rest @ y) + constant == pytest.approx(x @ (payoffs @ y), rel=1e-12)


def _random(plex: Any, rng: np.random.Generator) -> Any:
    weights = rng.random(plex.sequences)
    sums = np.add.reduceat(weights, plex.begin[:-1])
    return np.concatenate(([1.0], weights[1:] / np.repeat(sums, plex.sizes)))


@pytest.mark.parametrize("given", ["x", [1], None, {}, True, float("nan"), -0.1, 1, 10**400])
@pytest.mark.parametrize("parameter", ["perturbation", "time_limit"])
def test_parameters_that_are_no_numbers(parameter: str, given: Any) -> None:
    if parameter == "time_limit" and (given is None or given == 1):
        return
    with pytest.raises(hn.errors.ParameterError, match=f"{parameter}="):
        hn.methods.SequenceFormLP("kuhn_poker", **{parameter: given})
