"""Families of chance nodes whose odds are known: those that are further apart than told are refused."""

from __future__ import annotations

from typing import Any

import pytest

import hannan as hn
from hannan.errors import HannanError, RulesError
from hannan.games.leduc_poker import leduc_poker
from hannan.rules.plain import CHANCE, END, Rules
from hannan.rules.similarity import Similarity


@pytest.mark.parametrize(
    ("similar", "weights", "said"),
    [
        (("deal", 0.1), (0.5, 0.5), None),
        (("deal", 0.1), (0.6, 0.4), None),
        (("deal", 0.1), (0.39, 0.61), "differ by 0.11"),
        (("deal", 0.2), (0.5, 0.5), "but said 0.1"),
        (("deal", 0.1), (0.5, 0.3, 0.2), "3 outcomes here, but 2"),
        (("other", 0.0), (0.2, 0.8), None),
        (("deal", -0.1), (0.5, 0.5), "from 0 to 1"),
        ((["deal"], 0.1), (0.5, 0.5), "a name and a number"),
        ("deal", (0.5, 0.5), "a name and a number"),
    ],
)
def test_a_node_that_is_too_far_from_its_family_is_named(similar: Any, weights: Any, said: str | None) -> None:
    family = Similarity()
    assert family.wrong(("deal", 0.1), (0.5, 0.5)) is None
    sentence = family.wrong(similar, weights)
    assert sentence is None if said is None else said in str(sentence)


def test_every_pair_of_a_family_is_compared() -> None:
    """The first and the third node are 0.1 from the second one, and 0.2 from one another."""
    family = Similarity()
    assert family.wrong(("coin", 0.15), (0.5, 0.5)) is None
    assert family.wrong(("coin", 0.15), (0.6, 0.4)) is None
    assert "differ by 0.2" in str(family.wrong(("coin", 0.15), (0.4, 0.6)))


class Coins(Rules):
    """A coin, then another one whose odds depend on the first; player 0 is paid for heads."""

    players = 1

    def __init__(self, told: float) -> None:
        self.told = told

    def start(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> int:
        return CHANCE if len(state) < 2 else END

    def actions(self, state: tuple[int, ...], player: int) -> list[int]:
        return []

    def chance(self, state: tuple[int, ...]) -> list[tuple[int, float]]:
        heads = 0.5 + 0.1 * sum(state)
        return [(0, 1 - heads), (1, heads)]

    def after(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def observe(self, state: tuple[int, ...], player: int) -> int:
        return 0

    def gains(self, state: tuple[int, ...]) -> list[float]:
        return [float(sum(state))] if len(state) == 2 else [0.0]

    def similar(self, state: tuple[int, ...]) -> tuple[str, float]:
        return "coins", self.told


def test_rules_that_tell_too_small_a_distance_are_refused_by_check_and_certify() -> None:
    assert "similar" in hn.check_game(Coins(0.1)).optional
    assert hn.certify(Coins(0.1), playthroughs=50, bounds=(0.0, 2.0), similar=True).failure == ""
    with pytest.raises(RulesError, match=r"differ by at most 0\.05; these differ by 0\.1"):
        hn.check_game(Coins(0.05))
    with pytest.raises(HannanError, match=r"differ by at most 0\.05; these differ by 0\.1"):
        hn.certify(Coins(0.05), playthroughs=50, bounds=(0.0, 2.0), similar=True)


@pytest.mark.parametrize(
    "parameters", [{"ranks": 3}, {"ranks": 5}, {"ranks": 3, "suits": 1}, {"players": 3}, {"ranks": 2, "suits": 3}]
)
@pytest.mark.parametrize("merge", [False, True])
def test_leduc_poker_states_distances_that_hold(parameters: dict[str, int], merge: bool) -> None:
    """All deals of a game, whoever folds: no pair of a family is further apart than told."""
    rules = leduc_poker(**parameters, merge_suits=merge)
    met: dict[Any, tuple[float, list[list[float]]]] = {}
    states = [rules.start()]
    while states:
        state = states.pop()
        turn = rules.turn(state)
        if turn == CHANCE:
            family = rules.similar(state)
            assert (family is None) == (state == rules.start())
            if family is not None:
                met.setdefault(family[0], (family[1], []))[1].append([weight for _, weight in rules.chance(state)])
            states += [rules.after(state, outcome) for outcome, _ in rules.chance(state)]
        elif turn != END:
            assert isinstance(turn, int)
            states.append(rules.after(state, 1))  # call
    for apart, odds in met.values():
        far = max(sum(abs(a - b) for a, b in zip(one, other, strict=True)) / 2 for one in odds for other in odds)
        assert far <= apart + 1e-12
    if parameters == {"ranks": 5} and merge:
        assert sorted(apart for apart, _ in met.values()) == pytest.approx([0.0, 1 / 9, 2 / 8])
