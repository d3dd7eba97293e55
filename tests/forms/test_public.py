"""The public view of a game, against the expanded one: sizes, payoffs, node counts, sentences for broken promises."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hannan.errors import RulesError, SizeError
from hannan.forms.game import ExpandedGame, PublicGame
from hannan.forms.public_tree import public_form
from hannan.games.holdem.entry import holdem
from hannan.kernels.public import records as rec
from hannan.rules.plain import CHANCE, END
from hannan.rules.public import Cards, Ending, Fold, Mirror, PublicRules, Showdown, Table
from tests.public_games import CASES, Kuhn, Leduc

SPOTS = Path(__file__).parents[1] / "games" / "holdem" / "spots"


@pytest.mark.parametrize("mirrored", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_sizes_and_payoffs_are_those_of_the_expanded_game(name: str, mirrored: bool) -> None:
    rules = CASES[name]()
    form, game = public_form(rules, mirrored=mirrored), ExpandedGame(rules)
    known, counted = asdict(game.sizes), asdict(form.sizes)
    bounds = {"entries", "gainful", "lowest", "highest", "alike"}
    assert all(counted[key] == known[key] for key in counted.keys() - bounds)
    assert counted["entries"] == counted["gainful"] == known["terminal"] >= known["gainful"] >= known["entries"]
    assert form.competitive == game.form.competitive == ("raked" not in name)
    lowest, highest = game.payoff_range
    for p in (0, 1):  # an end that no pair of types reaches may pay more or less
        assert form.lowest[p] <= lowest[p] <= highest[p] <= form.highest[p]
    assert form.counts["ends"] >= len({deal.board for deal in form.deals})


@pytest.mark.parametrize("name", ["flop", "three cards"])
def test_mirrored_deals_share_a_stage(name: str) -> None:
    """Of 9 cards of 3 suits that are alike, 3 are left; then the two suits not yet dealt are alike."""
    rules = CASES[name]()
    shared, apart = public_form(rules), public_form(rules, mirrored=False)
    assert len(shared.deals) < len(apart.deals)
    if name == "flop":
        assert len(apart.deals) == 1 + 9 + 9 * 8
        assert len(shared.deals) == 1 + 3 + 3 * (2 + 3)
    assert shared.hash != apart.hash


@pytest.mark.parametrize("name", ["river_range", "turn_basic", "flop_small"])
def test_published_spots_have_the_published_sizes(name: str) -> None:
    """The counts come from another solver. It joins mirrored deals, too, and has entries for hands that are gone."""
    known = json.loads((SPOTS / f"{name}.json").read_text())
    form = public_form(holdem(file=str(SPOTS / f"{name}.toml")))
    slots = np.sum([form.templates[k].slots for k in form.arrays.stage[:, rec.S_TEMPLATE]], axis=0)
    assert (slots * form.types).tolist() == [known["entries_oop"], known["entries_ip"]]
    counts, all_hands = form.counts, int((slots * form.types).sum())
    assert counts["entries"] == all_hands if name == "river_range" else 0.9 < counts["entries"] / all_hands < 1
    found = [counts[name] for name in ("decisions_0", "decisions_1", "deals", "ends")]
    assert found == [known[f"nodes_{name}"] for name in ("oop", "ip", "chance", "terminal")]


def test_a_tree_that_is_too_large_is_refused() -> None:
    with pytest.raises(SizeError, match="more than 100 entries"):
        public_form(Leduc(), most=100)


def test_only_the_ratios_of_weights_count() -> None:
    """Weights of any size stay within what 32 bits hold, and powers of 2 change no bit."""

    class Scaled(Kuhn):
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def weights(self, player: int) -> Sequence[float]:
            return [self.factor, 3 * self.factor, 2 * self.factor]

    plain, tiny, huge = (public_form(Scaled(2.0**power)).arrays for power in (0, -500, 500))
    np.testing.assert_array_equal(tiny.weight / tiny.weight.max(), plain.weight / plain.weight.max())
    np.testing.assert_array_equal(tiny.weight, huge.weight)
    assert 0.5 <= tiny.weight.max() <= 1


def test_gains_of_types_that_cannot_meet_do_not_matter() -> None:
    class Spelled(Kuhn):
        def ending(self, line: str) -> Ending:
            gains = np.array([np.full((3, 3), 2.0), np.full((3, 3), 3.0)])
            gains[:, range(3), range(3)] = [[np.nan], [100.0]]
            return Table(gains)

    form = public_form(Spelled())
    assert (form.total, form.lowest, form.highest) == (5.0, (2.0, 3.0), (2.0, 3.0))
    assert np.isfinite(form.arrays.gains).all()


class Deal(Kuhn):
    """Kuhn poker in which a card is dealt after two passes; what is wrong is written in subclasses."""

    def mover(self, line: str) -> int:
        return CHANCE if line == "pp" else END if line == "pp!" else super().mover(line)

    def outcomes(self, board: tuple[Any, ...]) -> Sequence[tuple[int, float]]:
        return [(card, 1.0) for card in range(3)]

    def outcome_cards(self, outcome: int) -> Cards:
        return (outcome,)

    def dealt(self, line: str, outcome: int) -> str:
        return line + "!"


def broken(**methods: Any) -> PublicRules:
    """Return rules in which some methods are written differently."""
    made: PublicRules = type("Broken", (Deal,), methods)()
    return made


def fold(gains: Any) -> Any:
    return lambda self, line: Fold(gains)


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "mover": ({"mover": lambda self, line: 7}, r"mover\(''\) returned 7; expected 0, 1, CHANCE or END"),
    "no options": ({"options": lambda self, line: []}, r"options\(''\) is empty; player 0 acts there"),
    "dealt": ({"dealt": lambda self, line, card: line + "!" * (1 + card % 2)}, r"mover|dealt\(\) returns another line"),
    "no types": ({"types": lambda self, player: []}, r"types\(0\) has 0 types"),
    "names": ({"types": lambda self, player: ["J", "Q", "Q"]}, r"types\(0\) has a name twice"),
    "weights": ({"weights": lambda self, player: [1.0]}, r"weights\(0\) should be one number, 0 or more, for each of"),
    "negative": ({"weights": lambda self, player: [1, -1, 1]}, r"weights\(0\) should be one number, 0 or more"),
    "endless": ({"weights": lambda self, player: [1, np.inf, 1]}, r"weights\(0\) should be one number, 0 or more"),
    "cards": ({"cards": lambda self, player: [(0,)]}, r"cards\(0\) should list up to two cards for each of the 3"),
    "three": ({"cards": lambda self, player: [(0, 1, 2)] * 3}, r"cards\(0\) should list up to two cards"),
    "twice": ({"cards": lambda self, player: [(0, 0), (1,), (2,)]}, r"cards\(0\) has a card twice in one type"),
    "alike": ({"cards": lambda self, player: [(0, 1), (1, 0), (2,)]}, r"two types with the same two cards"),
    "below": ({"cards": lambda self, player: [(-4,), (1,), (2,)]}, r"outside the whole numbers 0 to 30,000"),
    "no pairs": ({"cards": lambda self, player: [(0,)] * 3}, r"the types cannot meet: every pair shares a card"),
    "no weight": ({"weights": lambda self, player: [0, 0, 0]}, r"the types cannot meet"),
    "no outcomes": ({"outcomes": lambda self, board: []}, r"outcomes\(\(\)\) is empty; a line waits for a card"),
    "odds": (
        {"outcomes": lambda self, board: [(card, 0.5) for card in range(3)]},
        r"outcomes\(\(\)\): after types J and Q, probabilities sum to 0.5, not 1",
    ),
    "bad odds": ({"outcomes": lambda self, board: [(0, -1.0), (1, 2.0)]}, r"gives 0 the probability -1.0"),
    "outcomes": ({"outcomes": lambda self, board: [(0, 0.5), (0, 0.5)]}, r"outcomes\(\(\)\) lists an outcome twice"),
    "ending": (
        {"ending": lambda self, line: None},
        r"ending\(\) returned None; expected a Fold, a Showdown or a Table",
    ),
    "fold": ({"ending": fold((1.0,))}, r"one finite number for each of the two players"),
    "nan": ({"ending": fold((np.nan, 0.0))}, r"one finite number for each of the two players"),
    "equal": (
        {"ending": lambda self, line: Showdown((1.0, 1.0), (1.0, -1.0), (0.0, 0.0))},
        r"a showdown pays player 0 1.0 if it wins and if it loses; use a Fold or a Table",
    ),
    "table": ({"ending": lambda self, line: Table(np.zeros((2, 3)))}, r"shape \(2, 3\); expected \(2, 3, 3\)"),
    "table nan": ({"ending": lambda self, line: Table(np.full((2, 3, 3), np.nan))}, r"a number that is not finite"),
    "strengths": ({"strengths": lambda self, board, player: [0, 1]}, r"strengths\(\(\), 0\) has shape \(2,\)"),
    "halves": ({"strengths": lambda self, board, player: [0.5, 1, 2]}, r"expected one whole number for each of the 3"),
    "unwritten": ({"strengths": PublicRules.strengths}, r"a Showdown, but strengths\(\) is not defined"),
    "mirror": (
        {"mirrors": lambda self, board: [Mirror({0: 1, 1: 0, 2: 2}, ([1, 1, 2], [1, 0, 2]))]},
        r"a mirror does not map the types of player 0 onto themselves",
    ),
    "mirror weights": (
        {
            "mirrors": lambda self, board: [Mirror({0: 1, 1: 0, 2: 2}, ([1, 0, 2], [1, 0, 2]))],
            "weights": lambda self, player: [1, 2, 3],
        },
        r"a mirror maps a type of player 0 onto one with another weight",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_promises_are_sentences(what: str) -> None:
    methods, sentence = BROKEN[what]
    with pytest.raises(RulesError, match=sentence):
        PublicGame(broken(**methods)).form.counts  # noqa: B018  # it is made on first use


def test_a_later_board_without_outcomes_is_refused() -> None:
    """Play that waits for a second card, which only some boards have."""

    class Twice(Deal):
        def mover(self, line: str) -> int:
            return CHANCE if line in ("pp", "pp!") else END if line == "pp!!" else Kuhn.mover(self, line)

        def weights(self, player: int) -> Sequence[float]:
            return [1, 1, 1]

        def outcome_cards(self, outcome: int) -> Cards:
            return ()

        def outcomes(self, board: tuple[Any, ...]) -> Sequence[tuple[int, float]]:
            return [(card, 1 / 3) for card in range(3)] if board in ((), (0,)) else []

    with pytest.raises(RulesError, match=r"outcomes\(\(1,\)\) is empty"):
        public_form(Twice())


def test_the_rules_that_are_broken_elsewhere_are_fine_themselves() -> None:
    assert public_form(broken()).counts["deals"] == 1
