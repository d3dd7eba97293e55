"""What to play: profiles, policies, and other people's strategies certified."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.certificates.choice import certification
from hannan.certificates.strategies import fixed, strategy_of
from hannan.certificates.trunk import Trunk
from hannan.forms.boxes import boxed
from hannan.measures.appraisal import evaluate
from hannan.strategies.index import UNKNOWN
from tests.certificates.boxes import Bandit
from tests.games.plain import Kuhn


def test_an_expanded_game_gets_a_profile_whose_guarantees_are_kept() -> None:
    certificate = hn.certify("leduc_poker", playthroughs=500, groups="rules", solve_every=250)
    assert isinstance(certificate.strategy, hn.Profile)
    known = evaluate(certificate.strategy.game, certificate.strategy)
    assert known.values[0] - known.gains[1] >= certificate.guarantees[0]
    assert known.values[1] - known.gains[0] >= certificate.guarantees[1]


def test_plain_rules_and_compiled_ones_get_the_same_certificate() -> None:
    one = hn.certify("kuhn_poker", playthroughs=300, bounds="exact")
    other = hn.certify(Kuhn(), playthroughs=300, bounds="exact")
    assert one.gap == other.gap
    assert isinstance(one.strategy, hn.Profile)
    assert isinstance(other.strategy, hn.Profile)
    for mine, theirs in zip(one.strategy.strategies, other.strategy.strategies, strict=True):
        assert np.array_equal(mine, theirs)


def test_a_game_that_is_not_expanded_gets_a_policy_that_plays_everywhere(tmp_path: Path) -> None:
    """Proposition 2.5: outside the trunk anything will do; ours is uniform."""
    certificate = hn.certify("goofspiel(cards=7)", playthroughs=50, groups="rules")
    policy = certificate.strategy
    assert isinstance(policy, hn.Policy)
    assert policy.sets > 0
    assert policy.find(0, -12345) == UNKNOWN
    assert np.array_equal(policy.plays(UNKNOWN, 4), [0.25] * 4)
    hn.save(policy, tmp_path / "some.policy")
    again = hn.read(tmp_path / "some.policy")
    assert isinstance(again, hn.Policy)
    assert np.array_equal(again.probability, policy.probability)


def pure(trunk: Trunk, last: bool) -> list[np.ndarray]:
    """Take the first action at every set of a trunk, or the last one."""
    strategies = []
    for player in (0, 1):
        rows, strategy = trunk.sets[player].rows, np.zeros(trunk.sets[player].sequences)
        first, size = rows.view("first"), rows.view("size")
        strategy[0] = strategy[first + (size - 1 if last else 0)] = 1.0
        strategies.append(strategy)
    return strategies


@pytest.mark.parametrize(("game", "playthroughs"), [("kuhn_poker", 12), ("leduc_poker", 100)])
def test_proposition_2_5_any_play_outside_the_trunk_keeps_the_gap(game: str, playthroughs: int) -> None:
    """Chance is known, so the gap is sure. Outside the trunk 30 random strategies are played, and pure ones.

    Where the certified play leaves the trunk these differ in their true gaps; none is above the proven one.
    """
    told = boxed(game, groups="known")
    work = certification(told.box, method="lp", every=playthroughs)
    work.advance(playthroughs)
    played = [work.kept, pure(work.trunk, False), pure(work.trunk, True)]
    kept, *ends = (strategy_of(told.game, work.trunk, strategies, {}).profile() for strategies in played)
    gaps = []
    for seed in range(30):
        mixed = []
        for mine, other, one, two in zip(
            kept.strategies, hn.random_profile(game, seed).strategies, *(end.strategies for end in ends), strict=True
        ):  # fmt: skip
            outside = (one == two) & (one > 0)  # a set of the trunk is played in two pure ways
            outside[0] = False
            assert outside.any()
            mixed.append(np.where(outside, other, mine))
        gaps.append(evaluate(kept.game, hn.Profile(kept.game, tuple(mixed))).nash_conv)
    assert max(gaps) <= work.bound().gap
    assert max(gaps) > min(gaps) + 0.01


def test_a_box_gets_a_policy(tmp_path: Path) -> None:
    box = Bandit(sure=(0.5,), risky=(0.9,))
    policy = hn.certify(box, playthroughs=300).strategy
    hn.save(policy, tmp_path / "some.policy")
    for strategy in (policy, hn.read(tmp_path / "some.policy", box)):
        assert isinstance(strategy, hn.Policy)
        assert np.argmax(strategy.plays(strategy.find(0, "which"), 2)) == 0
    again = hn.certify(box, playthroughs=300, strategy=tmp_path / "some.policy")
    assert again.value_bounds[0] > 0.5


@pytest.mark.parametrize("how", ["profile", "policy"])
def test_other_peoples_strategies_are_certified(how: str) -> None:
    """An equilibrium found elsewhere gets a gap no worse than its guarantees allow, and no better than the truth."""
    profile = hn.solve("kuhn_poker", "lp").profile
    strategy = profile if how == "profile" else hn.Policy.of_profile(profile)
    certificate = hn.certify("kuhn_poker", playthroughs=2000, solve_every=200, strategy=strategy, check=True)
    assert certificate.true_gap == pytest.approx(0.0, abs=1e-7)
    assert 0.0 < certificate.gap < 3.0
    assert isinstance(certificate.strategy, hn.Profile)
    for mine, theirs in zip(certificate.strategy.strategies, profile.strategies, strict=True):
        assert np.allclose(mine, theirs)


@pytest.mark.parametrize("kind", ["nash", "cce"])
def test_a_given_strategy_stays_what_it_is_where_no_play_came(kind: Any) -> None:
    """After few playthroughs the trunk lacks most sets; the true gap is that of the strategy all the same."""
    profile = hn.solve("leduc_poker", "lp").profile
    certificate = hn.certify("leduc_poker", equilibrium=kind, playthroughs=5, strategy=profile, check=True)
    assert isinstance(certificate.strategy, hn.Profile)
    for mine, theirs in zip(certificate.strategy.strategies, profile.strategies, strict=True):
        assert np.array_equal(mine, theirs)
    assert certificate.true_gap == pytest.approx(0.0, abs=1e-7)


def test_bad_strategies_are_certified_as_bad() -> None:
    certificate = hn.certify(
        "kuhn_poker", playthroughs=2000, solve_every=200, strategy=hn.uniform("kuhn_poker"), check=True
    )
    assert certificate.true_gap == pytest.approx(11 / 12)
    assert certificate.gap >= 11 / 12


def test_the_strategies_of_a_certificate_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "some.certificate"
    certificate = hn.certify("kuhn_poker", playthroughs=300, check=True)
    certificate.save(path)
    strategy = hn.read(path)
    assert isinstance(strategy, hn.Profile)
    assert hn.evaluate("kuhn_poker", strategy).nash_conv == certificate.true_gap
    with pytest.raises(hn.errors.MismatchError, match="belongs to kuhn_poker"):
        hn.read(path, "leduc_poker")
    box = Bandit(sure=(0.5,), risky=(0.9,))
    hn.certify(box, playthroughs=50).save(path)
    assert isinstance(hn.read(path, box), hn.Policy)
    with pytest.raises(hn.errors.FileError, match="give the game too"):
        hn.read(path)


def test_refusals() -> None:
    with pytest.raises(hn.errors.ParameterError, match="its own confidence"):
        hn.certify("kuhn_poker", radius="paper", confidence=0.99)
    with pytest.raises(hn.errors.ParameterError, match="confidence"):
        hn.certify("kuhn_poker", confidence=1.0)
    with pytest.raises(hn.errors.ParameterError, match="method"):
        hn.certify("kuhn_poker", method="magic")
    with pytest.raises(hn.errors.ParameterError, match="explore"):
        hn.certify("kuhn_poker", explore="sideways")
    with pytest.raises(hn.errors.ParameterError, match="bounds"):
        hn.certify("kuhn_poker", bounds="wide")
    with pytest.raises(hn.errors.ParameterError, match="playthroughs"):
        hn.certify("kuhn_poker", playthroughs=-1)
    with pytest.raises(hn.errors.UnsuitableError, match="perfect information"):
        hn.certify("kuhn_poker", method="induction", playthroughs=500)


class Turned(Kuhn):
    """The same game, whose actions are listed the other way round."""

    def actions(self, state: Any, player: int) -> Sequence[str]:
        return tuple(reversed(super().actions(state, player)))


def test_a_policy_is_matched_with_a_trunk_by_the_names_of_actions() -> None:
    """Whatever the order in which the box lists them, each action has the probability that the policy gives it."""
    solver = hn.methods.OutcomeSampling(Kuhn(), over="rules", seed=3)
    solver.run(200)
    shares: list[dict[tuple[str, str], float]] = []
    for rules in (Kuhn(), Turned()):
        told = boxed(rules, bounds=(-2.0, 2.0))
        trunk = (work := certification(told.box, method="cfr", bounds=told.range)).trunk
        work.advance(40)
        strategy, found = fixed(solver.policy())(trunk)[0], dict[tuple[str, str], float]()
        columns = [trunk.sets[0].rows.view(name).tolist() for name in ("parent", "observation", "first", "menu")]
        for parent, seen, first, menu in zip(*columns, strict=True):
            for k, action in enumerate(trunk.menus[menu] if parent == 0 else ()):
                found[trunk.observations.text(seen), trunk.actions.text(action)] = strategy[first + k]
        shares.append(found)
    assert shares[0] == shares[1]
    assert len(shares[0]) == 6
    assert len(set(shares[0].values())) > 2


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("method", ["lp", "mccfr"])
def test_a_certificate_can_be_copied_and_pickled(copied: Any, method: str, tmp_path: Path) -> None:
    """The copy says the same, and writes the same file, without the box that was played."""
    certificate = hn.certify("kuhn_poker", method=method, playthroughs=20)
    other = copied(certificate)
    assert other.record() == certificate.record()
    certificate.save(tmp_path / "one")
    other.save(tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    assert hn.verify(tmp_path / "other").valid
    assert copied(other).gap == certificate.gap
