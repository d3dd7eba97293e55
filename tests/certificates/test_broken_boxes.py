"""Boxes that break a promise: each is named with the path of play, and the certificate so far is kept and valid."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.boxes import boxed
from hannan.rules.box import FAILED, Box, ChanceMove, Child, SimulatorError, View
from tests.certificates.boxes import Lottery
from tests.plaingames import Coins, Split
from tests.plaingames import Lottery as PlainLottery

GOOD = 40
"""Playthroughs before a box begins to lie: not at a power of two, where playthroughs are repeated."""


class Coin(Box):
    """Player 0 bets on a coin that it does not see, or passes; `lie` changes what is shown from some reset on."""

    players = 1
    name = "coin"

    def __init__(self, lie: Callable[[str, View], View] | None = None) -> None:
        self.lie, self.resets = lie, 0

    def reset(self, seed: int) -> View:
        self.resets += 1
        self.coin, self.bet = seed % 2, ""
        return self._shown("toss", View([0.0], [(-1.0, 1.0)], draw=ChanceMove(self.coin, (0, 1))))

    def step(self, moves: tuple[Any, ...]) -> View:
        if not moves:
            return self._shown("bet", View([0.0], None, (0,), [("heads", "tails", "pass")], ["your bet"]))
        self.bet = moves[0]
        gain = 0.0 if self.bet == "pass" else 1.0 if (self.bet == "heads") == bool(self.coin) else -1.0
        return self._shown("end", View([gain]))

    def _shown(self, place: str, view: View) -> View:
        lying = self.lie is not None and self.resets > GOOD
        return self.lie(place, view) if lying and self.lie is not None else view


def raising(place: str, view: View) -> View:
    if place == "end":
        raise RuntimeError("out of paper")
    return view


def at(place: str, **changes: Any) -> Callable[[str, View], View]:
    return lambda where, view: view._replace(**changes) if where == place else view


_counter = itertools.count()


def drifting(place: str, view: View) -> View:
    return view._replace(gains=[0.001 * next(_counter)]) if place == "bet" else view


LIES: dict[str, tuple[Callable[[str, View], View], str]] = {
    "a gain that leaves its bounds": (at("end", gains=[7.0]), "gained 7 here"),
    "bounds that are empty": (at("toss", bounds=[(2.0, 1.0)]), "bounds=((2.0, 1.0),) here, and showed ((-1.0, 1.0),)"),
    "other actions in an information set": (at("bet", actions=[("heads", "tails")]), "player 0 may do"),
    "another observation at the same history": (at("bet", observations=["another"]), "at the same history"),
    "an error in the middle": (raising, "step() raised RuntimeError: out of paper"),
    "play that differs": (drifting, "gained"),
    "an outcome that is not listed": (at("toss", draw=ChanceMove(5, (0, 1))), "not among the outcomes"),
    "more outcomes than before": (at("toss", draw=ChanceMove(2, (0, 1, 2))), "at the same history"),
    "something that is no view": (at("bet", actions=3), "not a view"),
    "an end that goes on": (at("end", movers=(0,), actions=[("on",)], observations=["x"]), "has not ended"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_named_and_what_was_proven_before_stays(lie: str, tmp_path: Path) -> None:
    false, sentence = LIES[lie]
    certificate = hn.certify(Coin(false), playthroughs=200, solve_every=10)
    assert certificate.stop == "failed"
    assert certificate.failure.startswith("node r")
    assert sentence in certificate.failure
    assert GOOD - 10 <= certificate.playthroughs < 64
    honest = hn.certify(Coin(), playthroughs=certificate.playthroughs, solve_every=10)
    assert (certificate.gap, certificate.guarantees) == (honest.gap, honest.guarantees)
    certificate.save(tmp_path / "coin.certificate")
    verdict = hn.verify(tmp_path / "coin.certificate", Coin())
    assert verdict.valid
    assert verdict.level == "counts"


class Liar(Box):
    """Another box that lies in 3 of 100 plays, the same ones whenever their seeds come again."""

    def __init__(self, box: Box, lie: Callable[[View], View]) -> None:
        self.box, self.lie, self.players, self.name = box, lie, box.players, box.name

    def reset(self, seed: int) -> View:
        self.lies = seed % 100 < 3
        return self._shown(self.box.reset(seed))

    def step(self, moves: tuple[Any, ...]) -> View:
        return self._shown(self.box.step(moves))

    def _shown(self, view: View) -> View:
        return self.lie(view) if self.lies else view


def drawn(**changes: Any) -> Callable[[View], View]:
    return lambda view: view if view.draw is None else view._replace(draw=view.draw._replace(**changes))


def widened(view: View) -> View:
    return view if view.bounds is None else view._replace(bounds=[(low - 1.0, high + 1.0) for low, high in view.bounds])


SELDOM: dict[str, tuple[Callable[[View], View], dict[str, Any], str]] = {
    "player 1's gain": (lambda view: view._replace(gains=[view.gains[0], view.gains[1] + 0.5]), {}, "gains="),
    "a group": (drawn(group=0), {"groups": "rules"}, "group"),
    "no group": (drawn(group=None), {"groups": "rules"}, "group"),
    "odds": (drawn(odds=(1 / 2, 1 / 4, 1 / 4)), {"groups": "known"}, "odds"),
    "no odds": (drawn(odds=None), {"groups": "known"}, "odds"),
    "wider bounds": (widened, {}, "bounds="),
    "children": (
        lambda view: view if view.children is None else view._replace(children=view.children[::-1]),
        {"children": True},
        "children=",
    ),
    "other outcomes": (drawn(outcomes=("x", "y", "z"), outcome="x"), {}, "outcomes="),
}


@pytest.mark.parametrize("lie", SELDOM)
def test_a_lie_in_three_plays_of_a_hundred_is_noticed(lie: str) -> None:
    """18 runs of 300 plays: a run without any lie has the probability 0.97^300 = 1e-4. All must be noticed."""
    false, told, word = SELDOM[lie]
    noticed = []
    for seed in range(18):
        box = Liar(boxed("kuhn_poker", **told).box, false)
        method = ("cfr", "mccfr", "online-cfr+")[seed % 3]
        try:
            noticed.append(hn.certify(box, playthroughs=300, solve_every=150, seed=seed, method=method).failure)
        except hn.errors.UnsuitableError as error:  # at a node that is new: not zero-sum
            noticed.append(str(error))
    assert all(noticed)
    assert any(word in sentence for sentence in noticed), noticed


class Forgetful(Coin):
    """Takes no notice of its seed, and says that it does."""

    def reset(self, seed: int) -> View:
        return super().reset(self.resets // 3)


class Endless(Box):
    """Never ends."""

    players = 1

    def reset(self, seed: int) -> View:
        return View([0.0], [(0.0, 1.0)], (0,), [("on",)], [0])

    def step(self, moves: tuple[Any, ...]) -> View:
        return View([0.0], None, (0,), [("on",)], [0])


def test_a_box_that_plays_differently_for_the_same_seed_is_caught() -> None:
    certificate = hn.certify(Forgetful(), playthroughs=100)
    assert certificate.stop == "failed"
    assert "with the same seed" in certificate.failure
    assert "seeded = False" in certificate.failure or "otherwise" in certificate.failure


def test_a_box_that_never_ends_is_caught() -> None:
    certificate = hn.certify(Endless(), playthroughs=10)
    assert "play has not ended after 4096 moves" in certificate.failure
    assert certificate.playthroughs == 0
    assert certificate.gap == pytest.approx(1.0)


class Once(Box):
    """One node, which shows what it is told to."""

    players = 1

    def __init__(self, view: View, players: int = 1) -> None:
        self.view, self.players = view, players

    def reset(self, seed: int) -> View:
        return self.view

    def step(self, moves: tuple[Any, ...]) -> View:
        return View([0.0] * self.players)


BOUNDS = [(0.0, 1.0)]
UNHASHED: Any = [0]
WRONG = {
    "no actions": (Once(View([0.0], BOUNDS, (0,), [()], [0])), "player 0 is to move and has no action"),
    "an action twice": (Once(View([0.0], BOUNDS, (0,), [(1, 1)], [0])), "listed twice"),
    "a player that there is not": (Once(View([0.0], BOUNDS, (1,), [(1,)], [0])), "movers"),
    "no bound on outcomes": (Once(View([0.0], BOUNDS, draw=ChanceMove("x"))), "bound on their number"),
    "odds that do not sum to 1": (Once(View([0.0], BOUNDS, draw=ChanceMove(0, (0, 1), odds=(0.5, 0.6)))), "sum to 1.1"),
    "an observation that cannot be hashed": (Once(View([0.0], BOUNDS, (0,), [(1,)], [UNHASHED])), "hash"),
    "too few children": (Once(View([0.0], BOUNDS, (0,), [(1, 2)], [0], None, [Child([0.0], BOUNDS)])), "children"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_view_that_cannot_be(wrong: str) -> None:
    box, sentence = WRONG[wrong]
    certificate = hn.certify(box, playthroughs=5)
    assert certificate.stop == "failed"
    assert sentence in certificate.failure


def test_a_broken_promise_is_why_a_run_ended_whatever_the_gap() -> None:
    certificate = hn.certify(Endless(), gap=2.0)
    assert certificate.stop == "failed"


NOT_ZERO_SUM: dict[str, Any] = {
    "gains of the root": Once(View([0.5, 0.5], [(0.0, 1.0), (-1.0, 0.0)], (0,), [(1,)], [0]), players=2),
    "bounds of the root": Split(),
    "gains at the end, and bounds that leave 0 alone": Coins(),
    "only chance": PlainLottery(),
    "compiled": "chicken",
}


@pytest.mark.parametrize("limit", [{"playthroughs": 5}, {"playthroughs": 0}, {"gap": 10.0}])
@pytest.mark.parametrize("game", NOT_ZERO_SUM)
def test_nothing_is_proven_of_nash_gaps_where_gains_are_not_zero_sum(game: str, limit: dict[str, Any]) -> None:
    """Without a play nothing shows it but the root."""
    if limit == {"playthroughs": 0} and not game.endswith("root"):
        return
    with pytest.raises(hn.errors.UnsuitableError, match="zero-sum; equilibrium='cce' certifies any game"):
        hn.certify(NOT_ZERO_SUM[game], equilibrium="nash", **limit)


def test_more_outcomes_than_promised_are_noticed() -> None:
    certificate = hn.certify(Lottery(prizes=5, most=3), playthroughs=200)
    assert "the box named only those" in certificate.failure


def test_a_box_without_bounds_is_refused_until_some_are_given() -> None:
    box = Once(View([0.0], None, (0,), [(1, 2)], [0]))
    with pytest.raises(hn.errors.ParameterError, match="give bounds"):
        hn.certify(box)
    assert hn.certify(box, bounds=(-1, 1), playthroughs=20, solve_every=5).gap <= 1e-6


def test_a_nash_gap_of_three_players_is_refused() -> None:
    with pytest.raises(hn.errors.UnsuitableError, match="two players"):
        hn.certify("kuhn_poker(players=3)", equilibrium="nash")


class Sleepy(Lottery):
    """Never answers after a prize of 3 or 4, the best ones."""

    def step(self, moves: tuple[Any, ...]) -> View:
        if not moves and self._prize >= 3:
            raise SimulatorError("no answer")
        return super().step(moves)


@pytest.mark.parametrize("expansion", ["path", "first"])
def test_no_answer_counts_where_outcomes_are_not_listed(expansion: Any, tmp_path: Path) -> None:
    """Also at nodes that gave answers before: prizes that are never seen must not seem rare."""
    path = tmp_path / "sleepy.certificate"
    certificate = hn.certify(Sleepy(), playthroughs=300, solve_every=100, expansion=expansion)
    certificate.save(path)
    work: Any = certificate.work
    codes = {work.trunk.outcomes[code]: code for code in range(len(work.trunk.outcomes))}
    came = work.trunk.slots.view("outcome") == codes[FAILED]
    counted = int(work.trunk.slots.view("count")[came].sum())
    assert 50 < counted <= certificate.failures
    assert counted == certificate.failures or expansion == "first"  # then draws below the first new node do not count
    assert certificate.value_bounds[0] <= Lottery().value <= certificate.value_bounds[1]
    assert hn.verify(path, Sleepy()).valid


class Arrays(Box):
    """Shows gains and bounds as arrays, which compare number by number."""

    def __init__(self, box: Box) -> None:
        self.box, self.players, self.name = box, box.players, "arrays"

    def reset(self, seed: int) -> View:
        return self._told(self.box.reset(seed))

    def step(self, moves: tuple[Any, ...]) -> View:
        return self._told(self.box.step(moves))

    def _told(self, view: View) -> View:
        return view._replace(gains=np.array(view.gains), bounds=np.array(view.bounds))  # type: ignore[arg-type]


def test_a_box_may_show_its_numbers_in_arrays() -> None:
    certificate = hn.certify(Arrays(boxed("kuhn_poker").box), playthroughs=40)
    assert certificate.stop == "playthroughs"
    assert certificate.gap == hn.certify("kuhn_poker", playthroughs=40).gap
