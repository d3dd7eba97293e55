"""Trained networks as a strategy: files, plays, matches, responses, on a game that is not expanded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.neural.deep_cfr import SDCFR, DeepCFR
from hannan.neural.encoding import encoding_of
from hannan.neural.policy import NetworkPolicy
from hannan.solvers import method_class
from tests.delegating import Delegating

KUHN: dict[str, Any] = {"approximation": "table", "traversals": 30, "seed": 1}


def played(address: str) -> hn.views.PlayedGame:
    """Return a game as one that is not expanded, however small."""
    game = hn.load(address).played()
    return hn.views.PlayedGame(game.rules, game.name, game.parameters, built_in=True)


@pytest.fixture(params=[DeepCFR, SDCFR])
def policy(request: pytest.FixtureRequest) -> NetworkPolicy:
    solver = request.param(played("kuhn_poker"), reads="both", **KUHN)
    solver.run(3)
    average = solver.average()
    assert isinstance(average, NetworkPolicy)
    return average


def test_its_profile_is_that_of_the_expanded_game(policy: NetworkPolicy) -> None:
    kind = DeepCFR if len(policy.share) == 1 else SDCFR
    solver = kind("kuhn_poker", **KUHN)
    solver.run(3)
    assert solver.encoding == policy.encoding == encoding_of(hn.load("kuhn_poker").expanded())
    for one, other in zip(policy.profile().strategies, solver.average().strategies, strict=True):  # type: ignore[union-attr]
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.slow
def test_plays_earn_what_the_profile_is_worth(policy: NetworkPolicy) -> None:
    """Within four standard errors: batched plays, and plays in seats one by one."""
    exact = hn.evaluate("kuhn_poker", policy).values[0]
    many = policy.earned(4000, 1)[:, 0]
    assert abs(many.mean() - exact) < 4 * many.std() / 4000**0.5
    told = hn.rollouts(policy, plays=4000)
    assert abs(told.values[0] - exact) < 4 * told.standard_errors[0]
    match = hn.match(played("kuhn_poker"), policy, policy, games=1000, seed=3)
    assert abs((match.seats[0][0] or 0.0) - exact) < 3 * match.interval_half_widths[0] + 0.1


@pytest.mark.parametrize("method", ["deep-cfr", "sd-cfr", "double-neural", "dream"])
def test_of_an_expanded_game_weights_can_be_kept_too(method: str, tmp_path: Path) -> None:
    make: Any = method_class(method)
    solver = make("kuhn_poker", approximation="table", traversals=20)
    solver.run(2)
    hn.save(solver.policy(), tmp_path / "x")
    again = hn.read(tmp_path / "x")
    for one, other in zip(again.strategies, solver.average().strategies, strict=True):  # type: ignore[attr-defined]
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["deep-cfr", "sd-cfr", "dream", "escher", "double-neural"])
def test_networks_read_back_play_the_same_to_the_bit(method: str, tmp_path: Path) -> None:
    """In the same process, and in another one, where torch has as many threads as there are cores."""
    kind: Any = method_class(method)
    game = "leduc_poker" if method == "sd-cfr" else "kuhn_poker"  # the larger one where threads may matter
    solver = kind(game, traversals=50, steps=5, units=64, preset="small")
    solver.run(3)
    hn.save(solver.policy(), tmp_path / "x")
    average = solver.average().strategies
    np.savez(tmp_path / "average.npz", *average)
    read = hn.read(tmp_path / "x")
    assert isinstance(read, hn.Profile)
    for ours, theirs in zip(average, read.strategies, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    if method == "sd-cfr":
        code = (
            "import sys, hannan as hn, numpy as np\nkept = np.load(sys.argv[2])\n"
            "for k, part in enumerate(hn.read(sys.argv[1]).strategies):\n"
            "    np.testing.assert_array_equal(part, kept[f'arr_{k}'])\n"
        )
        subprocess.run([sys.executable, "-c", code, tmp_path / "x", tmp_path / "average.npz"], check=True)


def test_files_hold_weights_and_refuse_other_games(policy: NetworkPolicy, tmp_path: Path) -> None:
    hn.save(policy, tmp_path / "x")
    again = hn.read(tmp_path / "x", played("kuhn_poker"))
    assert isinstance(again, NetworkPolicy)
    np.testing.assert_array_equal(policy.earned(50, 2), again.earned(50, 2))
    profile = hn.read(tmp_path / "x")  # built in, and small: expanded
    assert isinstance(profile, hn.Profile)
    with pytest.raises(hn.errors.MismatchError, match="belongs to kuhn_poker, not to leduc_poker"):
        hn.read(tmp_path / "x", "leduc_poker")


def test_a_network_file_is_read_again(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    solver = DeepCFR(played("kuhn_poker"), traversals=10, steps=2, units=4, layers=1, policy_steps=3, batch=16)
    solver.run(1)
    policy = solver.average()
    hn.save(policy, tmp_path / "x")
    again = hn.read(tmp_path / "x", played("kuhn_poker"))
    assert isinstance(policy, NetworkPolicy)
    assert isinstance(again, NetworkPolicy)
    np.testing.assert_array_equal(policy.earned(50, 2), again.earned(50, 2))
    assert (again.parameters, again.facts["method"]) == (policy.parameters, "deep-cfr")


@pytest.mark.slow
def test_responses_gain_against_the_networks_themselves() -> None:
    """No response gains more than a best one; the interval holds it."""
    solver = SDCFR(played("kuhn_poker"), reads="both", **KUHN)
    solver.run(3)
    policy = solver.average()
    assert isinstance(policy, NetworkPolicy)
    gains = hn.evaluate("kuhn_poker", policy).gains
    response = hn.respond(policy, 0, walks=300, plays=500, seed=1)
    assert response.gain - 2 * response.interval_half_width <= gains[0]
    assert hn.respond(policy, 1, "exact").gain == pytest.approx(gains[1], abs=1e-12)


def test_plain_rules_that_are_not_expanded() -> None:
    rules = Delegating(hn.load("kuhn_poker").played().rules)
    solver = SDCFR(hn.views.PlayedGame(rules, "mine"), approximation="table", traversals=10, seed=1)
    solver.run(2)
    policy = solver.average()
    assert isinstance(policy, NetworkPolicy)
    assert policy.earned(20, 1).shape == (20, 2)
    assert hn.respond(policy, 0, walks=20, plays=100).plays == 100


def test_importing_hannan_or_listing_methods_imports_no_torch() -> None:
    code = (
        "import sys, hannan; from hannan.solvers import METHODS, method_class\n"
        "[method_class(name).parameter_defaults() for name in METHODS]\n"
        "import hannan.cli, hannan.runs.strategies; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_torch_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch, hannan: Any) -> None:
    monkeypatch.setattr("hannan.neural.approximators.find_spec", lambda name: None)
    ran = hannan("solve", "kuhn_poker", "--method", "deep-cfr", "--iterations", "1")
    assert ran.code == 2
    assert "pip install 'hannan[neural]'" in ran.err


@pytest.mark.slow
def test_the_commands_take_a_file_of_networks(hannan: Any) -> None:
    game = "liars_dice(dice=2)"
    small = ("--traversals", "20", "--actions", "1", "--approximation", "table", "--memory-size", "5000")
    ran = hannan("solve", game, "--method", "deep-cfr", "--iterations", "1", *small, "--out", "x", "--json")
    assert ran.code == 0, ran.err
    assert ran.record["nash_conv"] is None
    told = hannan("evaluate", game, "x", "--walks", "20", "--plays", "100", "--json").record
    assert told["exact"] is False
    assert len(told["responses"]) == 2
    listed = hannan("show", game, "x", "--top", "3", "--json").record
    assert len(listed["sets"]) == 3
    assert hannan("match", game, "x", "uniform", "--games", "20", "--json").record["games"] == 20
    shown = hannan("solve", game, "--method", "sd-cfr", "--iterations", "1", *small)
    assert "NetworkPolicy of liars_dice(dice=2)" in " ".join(shown.out.split())


def test_networks_do_set_by_set_what_their_profile_does(policy: NetworkPolicy) -> None:
    profile = policy.profile()
    for row in hn.summary(policy, 5, plays=50):
        if len(policy.share) == 1:  # of several networks a few plays meet some alone
            known = profile.at(row.player, row.name)
            assert {one.action: one.probability for one in row.actions} == pytest.approx(known, abs=1e-6)
    with pytest.raises(hn.errors.UnsuitableError, match=r"needs a table of information sets, and .* is networks"):
        policy.policy()
