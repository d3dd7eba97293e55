"""Bounds, positions, chance groups and features of every compiled game, against brute force on small instances."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
import pytest

from hannan.games import catalogue
from hannan.rules.checks import check_rules
from hannan.rules.compiled import OPTIONAL, CompiledRules
from hannan.rules.plain import CHANCE, movers
from tests.games.checks import load
from tests.games.optional import Everything

TOLERANCE = 1e-9
"""Absolute: sums of a few gains of at most 50."""

SMALL = [
    "battleship(shots=2)",
    "battleship(shots=2,allow_repeated_shots=false,loss_multiplier=2)",
    "battleship(height=1,width=3,ship_sizes=[1,2],ship_values=[1,1.5],shots=2,loss_multiplier=-0.5)",
    "biased_rps",
    "chicken",
    "goofspiel(cards=3)",
    "goofspiel(cards=3,information=open)",
    "goofspiel(cards=4,ties=discard,forced=skip,returns=win_loss,order=ascending)",
    "goofspiel(cards=3,players=3,returns=win_loss,order=ascending)",
    "goofspiel(cards=3,players=3,returns=half_difference,order=descending,lowest=0)",
    "identical_interest(stages=4)",
    "identical_interest(stages=2,a=-40,h=3)",
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "leduc_poker(merge_suits=true,ranks=2,players=3)",
    "liars_dice(faces=3)",
    "liars_dice(faces=2,dice=2)",
    "matching_pennies",
    "matrix_game(payoffs=[[3,-1],[0,2]])",
    "oshi_zumo(coins=4)",
    "oshi_zumo(coins=5,min_bid=2)",
    "oshi_zumo(coins=4,size=0,horizon=6,alesia=true,min_bid=1)",
    "oshi_zumo(coins=5,min_bid=1,alesia=true)",
    "prisoners_dilemma",
    "pursuit_evasion",
    "pursuit_evasion(width=5,height=2,moves=2)",
    "random_game",
    "random_game(utilities=ternary,chance=2,payoffs=general_sum)",
    "random_game(utilities=ternary,moves=turns)",
    "random_game(utilities=edges,moves=turns,chance=2,players=3)",
    "random_game(utilities=edges,chance=2,hidden=true)",
    "random_game(hidden=true,moves=turns,depth=3,payoffs=identical)",
    "rock_paper_scissors",
    "shapley",
    "sheriff(rounds=2)",
    "sheriff(item_penalty=1.5,item_value=4,sheriff_penalty=0,max_bribe=2,max_items=5,rounds=1)",
    "single_player(left=4)",
    "tron",
    "tron(width=2,height=4)",
]

POSITIONED = {"goofspiel", "identical_interest", "oshi_zumo", "pursuit_evasion", "tic_tac_toe", "tron"}
GROUPED = {"goofspiel", "kuhn_poker", "leduc_poker", "liars_dice"}


@cache
def everything(address: str) -> Everything:
    return Everything(load(address))


def test_every_game_is_here() -> None:
    named = {address.partition("(")[0] for address in SMALL} | {"tic_tac_toe"}
    assert named == set(catalogue.MODULES) - set(catalogue.PUBLIC)  # tests/games/holdem has those


@pytest.mark.parametrize("address", SMALL)
def test_what_is_written(address: str) -> None:
    rules, name = load(address), address.partition("(")[0]
    assert rules.writes("bounds")
    assert rules.writes("features")
    assert rules.writes("position") == (name in POSITIONED)
    assert rules.writes("chance_group") == (name in GROUPED)


@pytest.mark.slow
@pytest.mark.parametrize("address", SMALL)
def test_bounds_hold_all_continuations(address: str) -> None:
    game = everything(address)
    for state, spans in game.spans.items():
        bounds = game.rules.bounds(state)
        assert bounds is not None
        for (low, high), (least, most) in zip(bounds, spans, strict=True):
            assert low - TOLERANCE <= least <= most <= high + TOLERANCE
        if not game.children[state]:
            assert bounds == [(0.0, 0.0)] * game.rules.players


TIGHT = {
    "battleship(shots=2)": [(-1, 1), (-1, 1)],
    "goofspiel(cards=3)": [(-6, 6), (-6, 6)],
    "kuhn_poker": [(-2, 2), (-2, 2)],
    "kuhn_poker(players=3)": [(-2, 4)] * 3,
    "leduc_poker": [(-13, 13), (-13, 13)],
    "liars_dice(faces=3)": [(-1, 1), (-1, 1)],
    "matrix_game(payoffs=[[3,-1],[0,2]])": [(-1, 3), (-3, 1)],
    "random_game(utilities=edges,moves=turns,chance=2,players=3)": [(-6, 6)] * 3,
    "sheriff(rounds=2)": [(-6, 3), (-3, 6)],
    "single_player(left=4)": [(2, 4)],
    "tron": [(-1, 1), (-1, 1)],
}
"""By hand: two raises of 2 and of 4 over an ante of 1, prizes of 1 + 2 + 3, three items at a fine of 2 each, …"""


@pytest.mark.parametrize("address", TIGHT)
def test_bounds_at_the_root(address: str) -> None:
    rules = load(address)
    assert rules.bounds(rules.start()) == TIGHT[address]


@pytest.mark.parametrize("address", [a for a in SMALL if a.partition("(")[0] in POSITIONED])
def test_equal_positions_go_on_alike(address: str) -> None:
    game = everything(address)
    known: dict[Any, int] = {}
    for state, rest in game.continuations.items():
        assert known.setdefault(game.rules.position(state), rest) == rest


@pytest.mark.slow
def test_positions_of_goofspiel() -> None:
    """The issue's numbers for Goofspiel-6 as Bošanský et al. (2016) play it, in fixed order."""
    game = everything("goofspiel(cards=6,order=descending,information=open,ties=discard,lowest=0)")
    assert len(game.children) == 96_193
    assert len({game.rules.position(state) for state in game.children}) == 9_102


def test_positions_of_tic_tac_toe() -> None:
    """5,478 boards can come about (well known); a state also holds the last move."""
    game = everything("tic_tac_toe")
    assert len({game.rules.position(state) for state in game.children}) == 5_478


@pytest.mark.parametrize("address", SMALL)
def test_chance_groups_share_a_distribution(address: str) -> None:
    game = everything(address)
    known: dict[int, list[float]] = {}
    for state in game.children:
        if game.rules.turn(state) == CHANCE and (group := game.rules.chance_group(state)) is not None:
            odds = [weight for _, weight in game.rules.chance(state)]
            assert known.setdefault(group, odds) == pytest.approx(odds, abs=TOLERANCE)


GROUPS = {"goofspiel(cards=4)": 3, "kuhn_poker(players=3)": 3, "leduc_poker": 3, "liars_dice(faces=2,dice=2)": 1}
"""By hand: one a round but for the last prize, one a card (Leduc: two and the board), one for all dice."""


@pytest.mark.parametrize("address", GROUPS)
def test_how_many_chance_groups(address: str) -> None:
    game = everything(address)
    groups = {game.rules.chance_group(state) for state in game.children if game.rules.turn(state) == CHANCE}
    assert len(groups) == GROUPS[address]


@pytest.mark.parametrize("address", SMALL)
def test_features_are_what_the_player_knows(address: str) -> None:
    """The same everywhere in an information set: its key is written out here, own choices and observations in order."""
    rules = load(address)
    known: dict[tuple[Any, ...], list[float] | None] = {}
    todo: list[tuple[tuple[int, ...], tuple[Any, ...]]] = [(rules.start(), ((),) * rules.players)]
    for _ in range(20_000):
        if not todo:
            break
        state, pasts = todo.pop()
        turn = rules.turn(state)
        if turn == CHANCE:
            todo += [(rules.after(state, outcome), pasts) for outcome, _ in rules.chance(state)]
            continue
        for player in movers(turn):
            features = rules.features(state, player)
            assert features is not None
            assert len(features) == rules.feature_size
            assert np.isfinite(features).all()
            key = (player, *pasts[player], rules.observe(state, player))
            assert known.setdefault(key, features) == features
        for child, joint in _moves(rules, state, turn):
            after = list(pasts)
            for player, action in joint.items():
                after[player] = (*pasts[player], rules.observe(state, player), action)
            todo.append((child, tuple(after)))


def _moves(rules: CompiledRules, state: Any, turn: Any) -> list[tuple[Any, dict[int, int]]]:
    joints: list[dict[int, int]] = [{}] if movers(turn) else []
    for player in movers(turn):
        joints = [{**joint, player: action} for joint in joints for action in rules.actions(state, player)]
    return [
        (rules.after(state, tuple(joint.values()) if isinstance(turn, tuple) else next(iter(joint.values()))), joint)
        for joint in joints
    ]


@pytest.mark.slow
@pytest.mark.parametrize("address", SMALL)
def test_check_game_agrees(address: str) -> None:
    rules = load(address)
    assert check_rules(rules, most=3_000, plays=20).optional == tuple(name for name in OPTIONAL if rules.writes(name))


@pytest.mark.parametrize("name", OPTIONAL)
@pytest.mark.parametrize("address", [*{a.partition("(")[0]: a for a in SMALL}.values()])
def test_compiled_functions_answer_as_the_plain_door_does(address: str, name: str) -> None:
    rules = load(address)
    function = rules.compiled_optional(name)
    assert (function is not None) == rules.writes(name)
    if function is None:
        return
    for state in [*everything(address).children][:500]:
        now = np.array(state, np.int64)
        numbers, words = np.zeros(2 * rules.players + rules.feature_size), np.zeros(rules.state_size, np.int64)
        if name == "bounds":
            _called(function, rules.table, now, numbers)
            assert [*zip(numbers[::2], numbers[1::2], strict=False)][: rules.players] == rules.bounds(state)
        elif name == "position":
            count = _called(function, rules.table, now, words)
            assert tuple(words[:count]) == rules.position(state)
        elif name == "chance_group":
            assert _called(function, rules.table, now) == rules.chance_group(state)
        elif name == "similar":
            if rules.turn(state) == CHANCE:
                family = _called(function, rules.table, now, numbers)
                assert (None if family < 0 else (family, numbers[0])) == rules.similar(state)
        else:
            turn = rules.turn(state)
            for player in movers(turn):
                numbers[:] = 0.0
                _called(function, rules.table, now, player, numbers)
                assert numbers[: rules.feature_size].tolist() == rules.features(state, player)


def _called(function: Any, *arguments: Any) -> Any:
    """Call a function compiled for addresses, through ctypes."""
    kinds: dict[Any, Any] = {np.dtype(np.int64): ctypes.c_int64, np.dtype(np.float64): ctypes.c_double}
    given = [
        argument.ctypes.data_as(ctypes.POINTER(kinds[argument.dtype])) if isinstance(argument, np.ndarray) else argument
        for argument in arguments
    ]
    types = [
        ctypes.POINTER(kinds[argument.dtype]) if isinstance(argument, np.ndarray) else ctypes.c_int64
        for argument in arguments
    ]
    (compiled,) = function.overloads.values()
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
    return ctypes.CFUNCTYPE(ctypes.c_int64, *types)(address)(*given)
