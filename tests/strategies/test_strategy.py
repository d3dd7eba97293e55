"""One base class for all that players do: what each kind answers, and that every function takes every kind."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.strategies.ruled import Sight
from hannan.strategies.strategy import Strategy


def sometimes(sight: Sight) -> dict[str, float]:
    """Bet a third of the time with whatever one has."""
    return {sight.names[0]: 2 / 3, sight.names[1]: 1 / 3}


def drawn(sight: Sight) -> Any:
    """The same, drawn by the rule itself."""
    return sight.names[int(sight.random.random() < 1 / 3)]


class Calls:
    """Passes where it may; made anew, and so without what another one saw."""

    def __call__(self, sight: Sight) -> dict[Any, float]:
        return {sight.actions[0]: 1.0}


def kinds() -> dict[str, Strategy]:
    """Return strategies of Kuhn poker that all do the same: take the first action two thirds of the time."""
    game = hn.load("kuhn_poker")
    profile = hn.profile(game, {p: {"*": {"p": 2 / 3, "b": 1 / 3}} for p in (0, 1)})
    return {
        "profile": profile,
        "policy": profile.policy(),
        "rule": hn.Ruled("kuhn_poker", sometimes),
        "correlated": hn.CorrelatedPlay([profile, profile]),
    }


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_is_measured_alike(kind: str) -> None:
    """Values and gains of the same play, whatever plays it; those of the profile are checked by brute force below."""
    strategy, profile = kinds()[kind], kinds()["profile"]
    assert isinstance(strategy, Strategy)
    found, known = hn.evaluate(strategy), hn.evaluate(profile)
    assert found.exact
    np.testing.assert_allclose(found.values, known.values, atol=1e-12)
    np.testing.assert_allclose(found.gains, known.gains, atol=1e-12)
    np.testing.assert_allclose(hn.values(strategy), known.values, atol=1e-12)
    for player in (0, 1):
        best = hn.best_response(strategy, player)
        assert best.gain == pytest.approx(known.gains[player], abs=1e-12)
        assert hn.respond(strategy, player, "exact").gain == pytest.approx(best.gain, abs=1e-12)
    assert strategy.distribution(0, "K", "p", "Kpb") == pytest.approx({"p": 2 / 3, "b": 1 / 3})


@pytest.mark.parametrize("kind", ["policy", "rule", "correlated"])
def test_every_kind_is_played_alike(kind: str) -> None:
    """Estimates hold the exact values: a bound that fails with probability 1e-6."""
    strategy, exact = kinds()[kind], hn.evaluate(kinds()["profile"]).values
    found = hn.evaluate(strategy, exact=False, plays=2000, response="none", confidence=1 - 1e-6)
    assert not found.exact
    assert found.gains is None
    assert found.nash_conv is None
    for value, width, known in zip(found.values, found.half_widths, exact, strict=True):
        assert abs(value - known) <= width < 1
    rows = hn.summary(strategy, 100, plays=300) if kind != "policy" else hn.summary(strategy, 100, plays=300, seed=1)
    assert {row.player for row in rows} == {0, 1}
    for row in rows:
        assert [one.probability for one in row.actions] == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_takes_a_seat_in_a_match_and_out_of_it(kind: str) -> None:
    strategy = kinds()[kind]
    result = hn.match("kuhn_poker", strategy, "uniform", games=400, seed=3)
    assert result.games == 400
    player = strategy.player(0, seed=5)
    passes = 0
    for _ in range(600):
        player.reset()
        passes += player.act(0, [0, 1]) == 0
    assert abs(passes - 400) < 5 * np.sqrt(600 * 2 / 9)


def test_correlated_play_draws_once_for_everybody() -> None:
    """Matching pennies, both heads or both tails: player 0 wins 1 each time, which no pair of strategies gets."""
    game = hn.load("matching_pennies")
    heads, tails = (hn.profile(game, {p: {0: {side: 1.0}} for p in (0, 1)}) for side in ("heads", "tails"))
    play = hn.CorrelatedPlay([heads, tails], [0.25, 0.75])
    exact = hn.evaluate(play)
    assert exact.values == pytest.approx((1.0, -1.0))
    assert exact.nash_conv is None
    # player 1 does best with heads throughout: it wins 1 with probability 3/4 and loses 1 with 1/4
    assert exact.gains == pytest.approx((0.0, 1.5))
    assert exact.cce_gap == pytest.approx(1.5)
    assert hn.rollouts(play, plays=200).values == (1.0, -1.0)
    assert hn.match(game, play, play, games=100).scores == (0.0, 0.0)  # each wins when it sits in seat 0
    with pytest.raises(hn.errors.UnsuitableError, match="correlated play is not a profile"):
        play.profile()
    response = hn.respond(play, 1, "learned", walks=300, plays=300)
    assert response.gain == pytest.approx(1.5, abs=0.3)


def test_correlated_play_is_saved_and_read(tmp_path: Path) -> None:
    one, other = hn.random_profile("kuhn_poker", 1), hn.random_profile("kuhn_poker", 2)
    play = hn.CorrelatedPlay([one, other], [0.3, 0.7])
    play.save(tmp_path / "c.strategy")
    again = hn.read(tmp_path / "c.strategy")
    assert isinstance(again, hn.CorrelatedPlay)
    assert (again.digest, again.weights) == (play.digest, play.weights)
    assert hn.evaluate(again).gains == hn.evaluate(play).gains
    with pytest.raises(hn.errors.ParameterError, match="sum to 1"):
        hn.CorrelatedPlay([one, other], [0.3, 0.3])
    with pytest.raises(hn.errors.MismatchError, match="leduc_poker"):
        hn.CorrelatedPlay([one, hn.uniform("leduc_poker")])


def test_correlated_play_is_copied_and_pickled() -> None:
    played = hn.CorrelatedPlay([hn.uniform("kuhn_poker"), hn.random_profile("kuhn_poker", 1)], [0.25, 0.75])
    for again in (copy.deepcopy(played), pickle.loads(pickle.dumps(played))):
        assert (again.digest, again.weights) == (played.digest, played.weights)


def test_correlated_play_has_no_nash_conv_in_plays_either() -> None:
    played = hn.CorrelatedPlay([hn.uniform("kuhn_poker"), hn.random_profile("kuhn_poker", 1)])
    exact, found = hn.evaluate(played), hn.evaluate(played, exact=False, walks=100, plays=500)
    assert found.nash_conv_lower_bound is None
    assert found.record()["estimates"]["nash_conv_lower_bound"] is None
    assert exact.cce_gap is not None
    assert max(found.lower_bounds) <= exact.cce_gap + 1e-12
    assert "NashConv" not in repr(found)


def test_profiles_for_other_programs_are_made_of_every_kind() -> None:
    pytest.importorskip("pyspiel")
    rows = hn.interop.openspiel_table(kinds()["profile"])
    for kind in ("policy", "rule"):
        assert hn.interop.openspiel_table(kinds()[kind]) == rows
    policy = hn.interop.to_openspiel(kinds()["rule"])
    assert policy.action_probabilities(policy.game.new_initial_state().child(0).child(1)) == pytest.approx(
        {0: 2 / 3, 1: 1 / 3}
    )


@pytest.mark.parametrize("kind", ["profile", "policy", "rule"])
def test_every_kind_that_is_a_profile_locks_and_starts(kind: str) -> None:
    """Both players locked: nobody is free, and the values are those of the strategy."""
    strategy, known = kinds()[kind], hn.values(kinds()["profile"])
    locked = hn.lock("kuhn_poker", {0: strategy, 1: strategy})
    np.testing.assert_allclose(hn.values(hn.uniform(locked)), known, atol=1e-12)
    assert hn.solve("kuhn_poker", "cfr+", start=strategy, iterations=1).strategy.game.players == 2


def test_a_rule_that_draws_draws_anew_in_each_play() -> None:
    """It bets a third of the time: of 2,000 first moves, within five standard errors; a distribution is not known."""
    rule = hn.Ruled("kuhn_poker", drawn)
    player, bets = rule.player(0, seed=1), 0
    for _ in range(2_000):
        player.reset()
        bets += player.act(0, [0, 1])
    assert abs(bets / 2_000 - 1 / 3) < 5 * np.sqrt(2 / 9 / 2_000)
    for row in hn.summary(rule, places=("K",), plays=2_000):
        assert abs(row.actions[1].probability - 1 / 3) < 5 * np.sqrt(2 / 9 / 600)
    with pytest.raises(hn.errors.UnsuitableError, match="names an action"):
        rule.distribution(0, "K")


def test_correlated_play_of_correlated_play_draws_by_the_product() -> None:
    one, two, three = (hn.random_profile("kuhn_poker", seed) for seed in range(3))
    nested = hn.CorrelatedPlay([hn.CorrelatedPlay([one, two]), three])
    flat = hn.CorrelatedPlay([one, two, three], [0.25, 0.25, 0.5])
    assert (nested.digest, nested.weights) == (flat.digest, flat.weights)
    means = hn.rollouts(nested, plays=4_000, seed=1)
    assert abs(means.values[0] - hn.values(flat)[0]) < means.half_widths[0]


def test_correlated_play_of_rules_has_exact_values() -> None:
    played = hn.CorrelatedPlay([kinds()["rule"], kinds()["policy"]])
    np.testing.assert_allclose(hn.values(played), hn.values(kinds()["profile"]), atol=1e-12)
    assert hn.best_response(played, 0).gain == pytest.approx(hn.best_response(kinds()["profile"], 0).gain, abs=1e-12)


def test_correlated_play_of_a_locked_game_is_saved_with_its_locks(tmp_path: Path) -> None:
    game, other = (hn.lock("kuhn_poker", {0: {"K": {"p": p, "b": 1 - p}}}) for p in (0.5, 0.25))
    played, path = hn.CorrelatedPlay([hn.uniform(game), hn.random_profile(game, 1)]), tmp_path / "c.strategy"
    played.save(path)
    for given in (game, "kuhn_poker", None):
        again = hn.read(path, given)
        assert again.digest == played.digest
        assert hn.evaluate(again).gains == pytest.approx(hn.evaluate(played).gains, abs=1e-12)
    with pytest.raises(hn.errors.MismatchError, match="other locks"):
        hn.read(path, other)
    kinds()["policy"].save(path)
    with pytest.raises(hn.errors.MismatchError, match="without locks"):
        hn.read(path, game)


def test_a_game_with_the_same_name_and_other_payoffs_is_refused() -> None:
    one, other = (hn.lock("kuhn_poker", {0: {"K": {"p": p, "b": 1 - p}}}) for p in (0.5, 0.25))
    for measure in (hn.evaluate, hn.values, hn.exact_gap):
        with pytest.raises(hn.errors.MismatchError, match="other rules or locks"):
            measure(one, hn.uniform(other))
    again = hn.lock("kuhn_poker", {0: {"K": {"p": 0.5, "b": 0.5}}})
    assert hn.values(one, hn.uniform(again)) == hn.values(hn.uniform(one))


def test_a_distribution_weighs_what_was_drawn_by_what_was_done() -> None:
    """Of two plays, one that always passes first and one that always bets: after a pass, only one is left."""
    game = hn.load("kuhn_poker")
    passing = hn.profile(game, {0: {"K": {"p": 1}, "K p Kpb": {"b": 1}}})
    betting = hn.profile(game, {0: {"K": {"b": 1}, "K p Kpb": {"p": 1}}})
    play = hn.CorrelatedPlay([passing, betting])
    assert play.distribution(0, "K") == {"p": 0.5, "b": 0.5}
    assert play.distribution(0, "K", "p", "Kpb") == {"p": 0.0, "b": 1.0}


def test_ways_that_lead_nowhere_are_refused() -> None:
    profile = hn.uniform("kuhn_poker")
    with pytest.raises(hn.errors.ParameterError, match="end with an observation"):
        profile.distribution(0, "K", "p")
    with pytest.raises(hn.errors.UnknownNameError, match=r"in none of .* player 0 sees and does 'A'"):
        profile.distribution(0, "A")
    with pytest.raises(hn.errors.ParameterError, match="players 0 to 1"):
        profile.distribution(2, "K")


def test_sets_of_a_policy_have_the_names_of_the_profile() -> None:
    profile = hn.random_profile("leduc_poker", 4)
    policy = profile.policy()
    for player in (0, 1):
        for number in (0, 17, 200):
            name = profile.game.set_text(player, number)
            assert policy.at(player, name) == pytest.approx(profile.at(player, name))
    with pytest.raises(hn.errors.UnknownNameError, match="knows no information set 'Zh' of player 0"):
        policy.at(0, "Zh")
    with pytest.raises(hn.errors.UnknownNameError, match="is one of player 0, not of 1"):
        policy.at(1, 0)


def test_a_rule_that_draws_is_measured_by_playing() -> None:
    game = hn.load("kuhn_poker")
    found = hn.evaluate(game, drawn, plays=500, response="none")
    assert not found.exact
    with pytest.raises(hn.errors.UnsuitableError, match="names an action, and may name another one next time"):
        hn.evaluate(game, drawn, exact=True)
    with pytest.raises(hn.errors.UnsuitableError, match="files hold no code"):
        hn.save(hn.Ruled("kuhn_poker", drawn), "x")
    assert hn.evaluate(game, hn.Ruled("kuhn_poker", Calls)).values == hn.evaluate(game, hn.profile(game, {
        p: {"*": {"p": 1}} for p in (0, 1)})).values  # fmt: skip


def test_results_and_files_stand_for_their_strategies(tmp_path: Path) -> None:
    result = hn.solve("kuhn_poker", "cfr+", iterations=50)
    hn.save(result, tmp_path / "k.strategy")
    exact = hn.evaluate(result)
    assert exact.nash_conv == result.nash_conv
    assert hn.evaluate("kuhn_poker", result).gains == exact.gains
    assert hn.evaluate(tmp_path / "k.strategy").gains == exact.gains
    assert hn.evaluate("kuhn_poker", str(tmp_path / "k.strategy")).gains == exact.gains
    assert hn.evaluate("kuhn_poker", "uniform").gains == hn.evaluate(hn.uniform("kuhn_poker")).gains
    assert float(hn.exact_gap(result).nash_conv) == pytest.approx(result.nash_conv, abs=1e-9)
    hn.export_csv(result, tmp_path / "k.csv")
    assert (tmp_path / "k.csv").read_text().count("\n") == 1 + 24
    assert len(hn.summary(result, 3)) == 3
    certificate = hn.certify("kuhn_poker", groups="known", playthroughs=50, strategy=result)
    assert certificate.strategy.distribution(0, "K") == pytest.approx(result.profile.at(0, "K"))
    with pytest.raises(hn.errors.MismatchError, match="is for kuhn_poker, not for leduc_poker"):
        hn.evaluate("leduc_poker", result)


def test_a_record_is_what_json_says() -> None:
    """Keys of JSON are attributes of the record, with the same numbers."""
    found = hn.evaluate("kuhn_poker", "uniform", plays=200, walks=20, seconds=5)
    record = found.record()
    for name, value in record.items():
        if name not in ("responses", "estimates"):
            assert value == getattr(found, name), name
    assert [one["gain"] for one in record["responses"]] == [one.gain for one in found.responses]
    assert record["estimates"]["values"] == found.estimates.rollouts.values


def test_certified_correlated_play_is_one_strategy(tmp_path: Path) -> None:
    """Three players: the certificate's strategy is drawn together, read back alike, and its true gap is its CCE gap."""
    certificate = hn.certify("kuhn_poker(players=3)", groups="known", playthroughs=300, check=True)
    certificate.save(tmp_path / "c.certificate")
    again = hn.read(tmp_path / "c.certificate")
    assert certificate.true_gap is not None
    assert hn.evaluate(certificate).cce_gap == pytest.approx(certificate.true_gap, abs=1e-12)
    assert hn.evaluate(again).gains == pytest.approx(hn.evaluate(certificate.strategy).gains, abs=1e-12)
    assert (certificate.value_bounds, certificate.guarantees) == (None, None)


def test_a_class_of_rules_is_made_beside_its_game() -> None:
    passing = hn.profile("kuhn_poker", {p: {"*": {"p": 1}} for p in (0, 1)})
    assert hn.evaluate("kuhn_poker", Calls).gains == hn.evaluate(passing).gains
    with pytest.raises(hn.errors.ParameterError, match="is not a strategy"):
        hn.evaluate("kuhn_poker", hn.Profile)


def test_rules_that_are_not_complete_say_what_they_lack() -> None:
    class Half(hn.Rules):
        def start(self) -> Any:
            return 0

    with pytest.raises(hn.errors.UnsuitableError, match=r"Half is not complete: it lacks .*after\(\).*turn\(\)"):
        hn.load(Half)


def test_strategies_of_two_games_with_one_name_are_not_drawn_together() -> None:
    class Even(hn.Rules):
        name = "sides"
        win = 1.0

        def start(self) -> Any:
            return ()

        def turn(self, state: Any) -> Any:
            return (0, 1) if state == () else hn.END

        def actions(self, state: Any, player: int) -> list[str]:
            return ["h", "t"]

        def after(self, state: Any, move: Any) -> Any:
            return move

        def observe(self, state: Any, player: int) -> Any:
            return None

        def gains(self, state: Any) -> tuple[float, float]:
            won = 0.0 if state == () else self.win if state[0] == state[1] else -1.0
            return won, -won

    class Odd(Even):
        win = 2.0

    assert hn.evaluate(hn.CorrelatedPlay([hn.uniform(Even()), hn.uniform(Even())])).values == (0.0, 0.0)
    with pytest.raises(hn.errors.MismatchError, match="is for sides, not for one with other rules or locks"):
        hn.CorrelatedPlay([hn.uniform(Even()), hn.uniform(Odd())])


def test_a_strategy_of_a_locked_game_tells_what_it_does() -> None:
    """At the locked set what the lock says; the plays of the whole strategy earn what is exact there."""
    locked = hn.lock("kuhn_poker", {1: {"Kb": {"b": 1}}})
    profile = hn.uniform(locked)
    assert profile.distribution(1, "Kb") == {"p": 0.0, "b": 1.0}
    assert profile.distribution(0, "K") == {"p": 0.5, "b": 0.5}
    found = hn.evaluate(profile, exact=False, plays=20_000, response="none", confidence=1 - 1e-6)
    for value, width, known in zip(found.values, found.half_widths, hn.evaluate(profile).values, strict=True):
        assert abs(value - known) <= width < 0.2
