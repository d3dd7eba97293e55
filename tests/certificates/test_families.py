"""Families of similar chance nodes: the derivation by enumeration, how often bounds are false, every door."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.boxes import ChanceMove, View
from hannan.certificates.algorithm61 import Resolving
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.pseudogame import Confidence
from hannan.errors import HannanError
from hannan.experiments.arms import Arms, seldom
from hannan.files import read_arrays
from hannan.games.leduc_poker import leduc_poker
from hannan.rules.box import Box
from hannan.rules.plain import Rules
from tests.certificates.test_resuming import same
from tests.verifier.test_verifier import forged

LEDUC = "leduc_poker(ranks=3,merge_suits=true)"
TOLD: dict[str, Any] = {"groups": "history", "similar": True}


class Plain(Rules):
    """Compiled rules through the plain door."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.name = rules, "plain"

    def start(self) -> Any:
        return self.rules.start()

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return self.rules.turn(state)

    def actions(self, state: Any, player: int) -> Any:
        return self.rules.actions(state, player)

    def chance(self, state: Any) -> Any:
        return self.rules.chance(state)

    def after(self, state: Any, move: Any) -> Any:
        return self.rules.after(state, move)

    def observe(self, state: Any, player: int) -> Any:
        return self.rules.observe(state, player)

    def gains(self, state: Any) -> Any:
        return self.rules.gains(state)

    def bounds(self, state: Any) -> Any:
        return self.rules.bounds(state)

    def similar(self, state: Any) -> Any:
        return self.rules.similar(state)


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference of the probabilities of any set of outcomes, set by set."""
    sets = np.array(list(product((0.0, 1.0), repeat=len(one))))
    return float(np.abs(sets @ (one - other)).max())


def test_a_mean_of_a_family_is_as_far_from_a_member_as_the_others_share_allows() -> None:
    """Total variation, by enumeration of all sets: (1 - f)·δ holds for any weights, and is reached."""
    random = np.random.default_rng(5)
    reached = 0.0
    for _ in range(300):
        members = random.dirichlet(np.ones(4), 3)
        apart = max(distance(one, other) for one in members for other in members)
        share = random.dirichlet(np.ones(3))
        for member, own in zip(members, share, strict=True):
            far = distance(share @ members, member)
            assert far <= (1 - own) * apart + 1e-12
            reached = max(reached, far / ((1 - own) * apart))
    assert reached > 0.95
    ends = np.array([[0.7, 0.3], [0.4, 0.6]])
    assert distance(np.array([0.8, 0.2]) @ ends, ends[1]) == pytest.approx(0.8 * 0.3)


def drawn(odds: Sequence[float], told: float, draws: Sequence[int], seed: int, scale: float = 1.0) -> Resolving:
    """A certification of arms that were pulled so often: wins are written into the counts of its trunk."""
    random = np.random.default_rng(seed)
    work = Resolving(Arms(odds, told), method="induction", confidence=Confidence("anytime", 0.9), seed=1, scale=scale)
    while work.trunk.expanded < 1 + 3 * len(odds):  # every arm, won and lost
        work.plans = [(np.append(1.0, np.full(len(odds), 1 / len(odds))), np.ones(1))]
        work.advance(1)
    nodes, groups, slots = work.trunk.nodes, work.trunk.groups, work.trunk.slots
    for arm, (chance, many) in enumerate(zip(odds, draws, strict=True)):
        group = int(nodes.group[1 + arm])
        won, first = int(random.binomial(many, chance)), int(groups.first[group])
        slots.count[first], slots.count[first + 1] = many - won, won
        groups.samples[group] = many
    work._game = work._proven = None
    work.playthroughs = sum(draws)
    return work


RUNS = 100


@pytest.mark.parametrize(("share", "false"), [(1.0, 0), (0.5, RUNS), (0.75, 75)])
def test_a_smaller_distance_than_the_true_one_makes_certificates_false(share: float, false: int) -> None:
    """Two arms, the rare one better by δ = 0.3: 4,000 draws of one, 40 of the other. Promised: 10 % of runs fail.

    Power: the upper bound on the rare arm is 0.3 + 0.003 + 0.052 + 0.297·share, where 0.052 is the radius of 4,040
    draws, and is below the truth, 0.6, for any share below 0.82; frequencies of 4,040 draws have a deviation of 0.007.
    So with half of δ all runs fail, with three quarters 75 of 100 at least, and with all of δ none.
    """
    low = 0
    for seed in range(RUNS):
        work = drawn((0.3, 0.6), 0.3 * share, (4_000, 40), seed)
        chance = work.confidence.estimates(work.trunk, work.playthroughs)
        rare = int(work.trunk.nodes.group[2])
        assert chance.rho[rare] < 0.40  # by its own 40 draws: 0.42
        low += work.bound().upper < 0.6 - 1e-9
    assert low >= false if false else low == 0


def test_the_radius_of_a_family_holds_at_all_times_and_half_of_it_does_not() -> None:
    """Draws from two nodes in turn: wins p and p + δ. Promised: 5 % of runs leave the radius at any of 400 draws.

    Power: at half of the radius, a moment m fails with probability about exp(-L/4) with L = 2 ln 2 + ln m(m+1) + ln 2
    + ln 20 (5.8 at m = 1): of all runs, 10 % at least.
    """
    random = np.random.default_rng(11)
    runs, most, odds = 4_000, 400, np.array([0.4, 0.6])
    told = np.resize(odds, most)
    wins = np.cumsum(random.random((runs, most)) < told, axis=1)
    m = np.arange(1, most + 1)
    off = np.abs(wins / m - np.cumsum(told) / m)
    confidence, trunk = Confidence("anytime", 0.9), Resolving(Arms((0.5,), 0.0)).trunk
    radius = np.array([confidence.family_radii(trunk, np.array([2]), np.array([k]), k, 1.0)[0] for k in m.tolist()])
    assert np.mean((off > radius).any(axis=1)) <= 0.05
    assert np.mean((off > radius / 2).any(axis=1)) > 0.1


def test_a_group_takes_its_own_draws_once_they_say_more() -> None:
    few = drawn((0.3, 0.6), 0.3, (4_000, 40), 1)
    many = drawn((0.3, 0.6), 0.3, (4_000, 400), 1)
    for work, shared in ((few, True), (many, False)):
        chance, slots = work.confidence.estimates(work.trunk, work.playthroughs), work.trunk.slots
        rare = int(work.trunk.nodes.group[2])
        first = int(work.trunk.groups.first[rare])
        own = slots.count[first + 1] / work.trunk.groups.samples[rare]
        assert (chance.shares[first + 1] != own) == shared
        assert chance.shares[first : first + 2].sum() == pytest.approx(1.0)
        if not shared:
            assert chance.rho[rare] == work.confidence.radii(work.trunk, work.playthroughs)[rare]


def test_a_family_without_distance_counts_as_one_group() -> None:
    """δ = 0: every arm has the frequencies of all draws, and one radius."""
    work = drawn((0.4, 0.4, 0.4), 0.0, (30, 50, 20), 3)
    chance, slots = work.confidence.estimates(work.trunk, work.playthroughs), work.trunk.slots
    wins = sum(int(slots.count[int(work.trunk.groups.first[g]) + 1]) for g in range(3))
    assert chance.shares[slots.view("outcome") == 1].tolist() == [wins / 100] * 3
    assert len(set(chance.rho.tolist())) == 1


@pytest.mark.slow
def test_certificates_of_a_game_are_true_and_smaller_than_without() -> None:
    """Leduc poker with 3 ranks: the true gap is below every proven one; what is shared makes that smaller."""
    shared = hn.certify(LEDUC, playthroughs=2_000, seed=1, check=True, **TOLD)
    apart = hn.certify(LEDUC, playthroughs=2_000, seed=1, groups="history")
    assert shared.true_gap is not None
    assert shared.true_gap <= shared.gap < apart.gap


def test_plain_and_compiled_rules_give_the_same_bits_and_all_levels_hold(tmp_path: Path) -> None:
    one = hn.certify(LEDUC, playthroughs=300, seed=2, **TOLD)
    same(one, hn.certify(Plain(leduc_poker(ranks=3, merge_suits=True)), playthroughs=300, seed=2, **TOLD))
    path = tmp_path / "some.certificate"
    one.save(path)
    for level, verdict in (
        ("arithmetic", hn.verify(path)),
        ("arithmetic", hn.verify(path, rational=True)),
        ("counts", hn.verify(path, replay=True)),
        ("reproduced", hn.verify(path, reproduce=True)),
    ):
        assert (verdict.valid, verdict.level) == (True, level), verdict.reason
        assert any("0.5 in total variation" in sentence for sentence in verdict.believed)
    facts = read_arrays(path, "certificate")[1]
    assert facts["similar"] is True
    assert len(facts["names"]["families"]) == 3


FORGERIES: dict[str, tuple[str, Any]] = {
    "a family that says less": ("apart", lambda arrays, facts: arrays["family_apart"].__imul__(0.5)),
    "a group of another family": ("order|family", lambda arrays, facts: arrays["group_family"].__setitem__(1, 1)),
    "a group of no family": ("family", lambda arrays, facts: arrays["group_family"].__setitem__(1, -1)),
    "no families at all": ("named", lambda arrays, facts: facts.update(similar=False)),
}


@pytest.mark.parametrize("case", FORGERIES)
def test_forged_families_are_rejected(case: str, tmp_path: Path) -> None:
    said, forge = FORGERIES[case]
    path = tmp_path / "some.certificate"
    hn.certify(LEDUC, playthroughs=200, seed=2, **TOLD).save(path)

    forged(path, path, forge)
    verdict = hn.verify(path, replay=True)
    assert not verdict.valid
    assert any(word in verdict.reason for word in said.split("|")), verdict.reason


class Odd(Arms):
    """Arms whose second chance node tells something else."""

    def __init__(self, **draw: Any) -> None:
        super().__init__((0.5, 0.5), 0.1)
        self.draw = draw

    def step(self, moves: tuple[Any, ...]) -> View:
        view = super().step(moves)
        if view.draw is None or moves != (1,):
            return view
        return view._replace(draw=ChanceMove(**{**view.draw._asdict(), **self.draw}))


class Silent(Arms):
    similar = False


class Untold(Arms):
    """Arms that tell no family."""

    def step(self, moves: tuple[Any, ...]) -> View:
        view = super().step(moves)
        return view if view.draw is None else view._replace(draw=view.draw._replace(similar=None))


BROKEN: dict[str, tuple[Box, str]] = {
    "another distance": (Odd(similar=("arms", 0.2)), "says 0.2 of its family 'arms'"),
    "other outcomes": (Odd(outcomes=(0, 1, 2)), "3 outcomes"),
    "no distance": (Odd(similar=("arms", 1.5)), "a number from 0 to 1"),
    "no pair": (Odd(similar="arms"), "a number from 0 to 1"),
    "odds": (Odd(odds=(0.5, 0.5)), "its odds are told"),
    "open outcomes": (Odd(outcomes=None, most=3), "its outcomes are not listed"),
    "a box that did not say so": (Silent((0.5, 0.5), 0.1), "set similar = True"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_boxes_that_tell_families_as_they_cannot_be_are_named(case: str) -> None:
    box, said = BROKEN[case]
    result = hn.certify(box, playthroughs=40, explore="uniform", solve_every=1)
    assert said in result.failure
    assert result.playthroughs < 40


REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "Algorithm 7.2": (LEDUC, {**TOLD, "method": "mccfr"}, "only Algorithm 6.1"),
    "correlated play": (LEDUC, {**TOLD, "equilibrium": "cce"}, "only Algorithm 6.1"),
    "odds that are known": (LEDUC, {"groups": "known", "similar": True}, "has no use with"),
    "rules without families": ("kuhn_poker", {"similar": True}, "does not define similar"),
    "a box, which tells itself": (Arms((0.5,), 0.0), {"similar": True}, "tells groups and bounds itself"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_go_together_is_refused(case: str) -> None:
    game, options, said = REFUSED[case]
    with pytest.raises(HannanError, match=said):
        hn.certify(game, playthroughs=10, **options)


def test_a_box_that_tells_families_is_verified_at_every_level(tmp_path: Path) -> None:
    path = tmp_path / "arms.certificate"
    hn.certify(Arms((0.3, 0.5), 0.2), playthroughs=300, explore=seldom, seed=1).save(path)
    assert hn.verify(path).level == "arithmetic"
    assert hn.verify(path, Arms((0.3, 0.5), 0.2)).level == "counts"
    for other, said in ((Arms((0.3, 0.5), 0.1), "apart"), (Untold((0.3, 0.5), 0.2), "family")):
        verdict = hn.verify(path, other)
        assert not verdict.valid
        assert said in verdict.reason


def test_regret_minimisers_refuse_a_box_that_tells_families() -> None:
    with pytest.raises(HannanError, match=r"only Algorithm 6\.1"):
        Regretting(Arms((0.5,), 0.0))
