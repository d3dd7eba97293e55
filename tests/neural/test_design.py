"""Which networks a solver builds: layers, recurrent, with branches; in checkpoints, files, matches, for any rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.neural.approximators import TableApproximator
from hannan.neural.deep_cfr import SDCFR, DeepCFR
from hannan.neural.design import Design
from hannan.neural.double_neural import DoubleNeuralCFR
from hannan.neural.policy import NetworkPolicy
from hannan.solvers import method_class
from tests.games.plain import Kuhn
from tests.neural.test_policy import played
from tests.plaingames import Coins

SMALL: dict[str, Any] = {"traversals": 10, "steps": 4, "units": 4, "layers": 1, "memory_size": 300, "batch": 32}
KINDS = ("layers", "recurrent", "branches")


class Featured(Coins):
    """Coins whose features have groups: the player, and the coin or the call that it sees."""

    feature_groups = (("player", 2), ("seen", 1))

    def features(self, state: Any, player: int) -> Any:
        return (float(player == 0), float(player == 1), float(state[player] in "Hh"))


def built(solver: Any) -> Design:
    design: Design = solver.design()
    return design


def test_what_auto_builds() -> None:
    """Recurrent for double-neural, plain layers for the others; each is what the word itself gives."""
    deep, double = DeepCFR("kuhn_poker"), DoubleNeuralCFR("kuhn_poker")
    assert built(deep) == built(DeepCFR("kuhn_poker", network="layers"))
    assert not built(deep).recurrent
    assert built(double) == built(DoubleNeuralCFR("kuhn_poker", network="recurrent"))
    assert built(double).recurrent
    assert not built(DoubleNeuralCFR("kuhn_poker", reads="features")).recurrent


def test_branches_are_the_groups_of_the_rules_and_the_history() -> None:
    solver = DeepCFR("kuhn_poker", network="branches")
    assert built(solver).groups == (3, 8, solver.encoding.steps * solver.encoding.token)  # cards, bets, own history
    assert built(DeepCFR("kuhn_poker", network="branches", reads="features")).groups == (3, 8)
    assert built(SDCFR(played("liars_dice(dice=5)"), network="branches", memory_size=10)).groups == (6, 61)
    assert built(SDCFR("leduc_poker", network="branches", reads="features", memory_size=10)).groups == (12, 8)
    assert built(DeepCFR(Featured(), network="branches", reads="features")).groups == (2, 1)


def test_a_game_that_is_not_expanded_is_read_by_its_history_where_the_network_is_recurrent() -> None:
    design = built(SDCFR(played("kuhn_poker"), network="recurrent"))
    assert (design.features, design.recurrent) == (11, True)


def test_what_is_refused() -> None:
    with pytest.raises(hn.errors.UnsuitableError, match=r"goofspiel\(cards=3\) name no groups: set feature_groups"):
        DeepCFR("goofspiel(cards=3)", network="branches")
    with pytest.raises(hn.errors.UnsuitableError, match="name no groups"):
        DeepCFR(Kuhn(), network="branches")
    with pytest.raises(hn.errors.UnsuitableError, match="reads='history' leaves them out"):
        DeepCFR("kuhn_poker", network="branches", reads="history")
    with pytest.raises(hn.errors.UnsuitableError, match="reads='features' leaves it out"):
        DeepCFR("kuhn_poker", network="recurrent", reads="features")
    with pytest.raises(hn.errors.ParameterError, match="network='rnn' is not known"):
        DeepCFR("kuhn_poker", network="rnn")  # type: ignore[arg-type]
    with pytest.raises(hn.errors.ParameterError, match="loss='mse' is not known"):
        DeepCFR("kuhn_poker", loss="mse")  # type: ignore[arg-type]
    wrong = type("Wrong", (Featured,), {"feature_groups": (("player", 2), ("seen", 3))})
    with pytest.raises(hn.errors.RulesError, match=r"name 5 features, and features\(\) returns 3"):
        DeepCFR(wrong(), network="branches")


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("deep-cfr", {"network": "recurrent", "loss": "squares", "policy_steps": 4}),
        ("sd-cfr", {"network": "branches"}),
        ("double-neural", {"network": "branches", "actions": 1}),
        ("double-neural", {"network": "layers", "actions": 2}),
        ("dream", {"network": "recurrent"}),
    ],
)
def test_resumed_they_go_on_to_the_same_bits_and_their_files_play_the_same(
    method: str, given: dict[str, Any], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    make: Any = method_class(method)
    whole, half = make("kuhn_poker", seed=2, **SMALL, **given), make("kuhn_poker", seed=2, **SMALL, **given)
    whole.run(3)
    half.run(1)
    half.save(tmp_path / "half")
    again = hn.resume(tmp_path / "half")
    assert {name: again.parameters[name] for name in given} == given
    again.run(2)
    assert again.state().keys() == whole.state().keys()
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, again.state()[name], err_msg=name)
    hn.save(whole.policy(), tmp_path / "networks")
    kept = hn.read(tmp_path / "networks", played("kuhn_poker"))
    assert isinstance(kept, NetworkPolicy)
    np.testing.assert_array_equal(kept.earned(30, 1), whole.policy().earned(30, 1))
    for one, other in zip(hn.read(tmp_path / "networks").strategies, whole.average().strategies, strict=True):  # type: ignore[attr-defined]
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("network", KINDS)
@pytest.mark.parametrize("game", ["kuhn_poker(players=3)", Featured()])
def test_three_players_and_plain_rules(game: Any, network: Any) -> None:
    """Trained, as networks: seats answer what the table of all sets says, to 1e-6 (one row at a time, or all)."""
    pytest.importorskip("torch")
    solver = SDCFR(game, network=network, **SMALL)
    solver.run(2)
    policy = solver.policy()
    assert policy.earned(20, 1).shape == (20, solver.game.players)
    alone = policy.members()[-1][1]
    assert isinstance(alone, NetworkPolicy)
    profile = alone.profile()
    for row in hn.summary(alone, 5, plays=30):
        known = profile.at(row.player, row.name)
        assert {one.action: one.probability for one in row.actions} == pytest.approx(known, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("network", KINDS)
def test_each_kind_learns_kuhn(network: Any) -> None:
    """NashConv 11/12 at the start."""
    pytest.importorskip("torch")
    solver = SDCFR("kuhn_poker", seed=1, steps=60, network=network)
    solver.run(8)
    assert hn.evaluate("kuhn_poker", solver.average()).nash_conv <= 0.25


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["entropy", "squares"])
def test_with_either_loss_the_average_network_learns_the_means(loss: Any) -> None:
    """On Kuhn a network is all but unrestricted: within 0.03 of the weighted means of what was played."""
    pytest.importorskip("torch")
    solver = DeepCFR("kuhn_poker", seed=1, steps=40, loss=loss, policy_steps=800)
    solver.run(5)
    for player, strategy in enumerate(solver.average().strategies):  # type: ignore[union-attr]
        exact = TableApproximator(solver.encoding.size, solver.encoding.heads)
        exact.fit(solver._memories[f"policy{player}"].lessons(), 0, fresh=True)
        rows = solver.set_rows[player]
        said = exact.values(rows.known)
        met = 1 + np.flatnonzero(np.any(said != 0.0, axis=1).repeat(rows.plex.sizes))
        assert len(met) >= 8  # four of six sets, two actions each
        np.testing.assert_allclose(strategy[met], rows.matched(said)[met], atol=0.03)


def test_the_commands_take_the_options_and_the_files(hannan: Any, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    small = ("--network", "branches", "--traversals", "5", "--actions", "1", "--steps", "2", "--units", "4")
    ran = hannan(
        "solve", "kuhn_poker", "--method", "double-neural", *small, "--iterations", "1", "--checkpoint", "half"
    )
    assert ran.code == 0, ran.err
    again = hannan("solve", "--resume", "half", "--iterations", "2", "--json")
    assert again.record["iterations"] == 2, again.err
    refused = hannan("solve", "goofspiel(cards=3)", "--method", "deep-cfr", "--network", "branches")
    assert refused.code == 2
    assert "goofspiel(cards=3) name no groups" in refused.err


@pytest.mark.parametrize("network", KINDS)
def test_matches_and_responses_meet_the_networks_themselves(network: Any) -> None:
    pytest.importorskip("torch")
    solver = DeepCFR(played("kuhn_poker"), network=network, loss="squares", policy_steps=2, **SMALL)
    solver.run(1)
    policy = solver.average()
    assert isinstance(policy, NetworkPolicy)
    match = hn.match(played("kuhn_poker"), policy, "uniform", games=10, seed=1)
    assert match.games == 10
    exact = hn.evaluate("kuhn_poker", policy)
    assert exact.exact
    assert hn.respond(policy, 1, "exact").gain == pytest.approx(exact.gains[1], abs=1e-12)
