"""Environments as boxes and as rules, and games of ours as environments."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.interop.zoo.steps import known

pytest.importorskip("pettingzoo")
HERE = "pettingzoo:tests.interop.environments:"


def test_a_parallel_environment_is_solved_exactly() -> None:
    game = load_expanded(f"{HERE}Pennies(rounds=2,api=parallel,copies=true)")
    assert game.sizes.histories == 1 + 4 + 16
    assert game.sizes.joint == 5
    assert game.sizes.sets == (1 + 4, 1 + 4)
    result = hn.solve(game)
    assert result.values == pytest.approx((0.0, 0.0), abs=1e-12)
    assert result.profile.at(0, 0) == pytest.approx({"0": 0.5, "1": 0.5}, abs=1e-9)
    assert pickle.loads(pickle.dumps(game)).sizes.histories == 21


def test_agents_in_turn_with_a_mask() -> None:
    game = load_expanded(f"{HERE}Takes(pile=4,copies=true)")
    assert hn.solve(game).values == pytest.approx((1.0, -1.0))  # leave three: a multiple of three loses
    assert hn.solve(load_expanded(f"{HERE}Takes(pile=3,copies=true)")).values == pytest.approx((-1.0, 1.0))
    assert hn.check_game(game.rules).complete
    sampler = hn.methods.OutcomeSampling(game, over="rules", seed=1)
    sampler.run(3000)
    assert hn.evaluate(game, sampler.average()).nash_conv < 0.3
    assert (hn.search(game, "rm", iterations=500, seed=1).value or 0.0) > 0.5


def test_certifying_a_box() -> None:
    certificate = hn.certify(f"{HERE}Takes(pile=4)", bounds=(-1, 1), playthroughs=200, seed=1)
    assert certificate.gap <= 1e-9  # nothing is drawn: the whole tree is seen
    noisy = hn.certify(f"{HERE}Pennies(noise=0.25,api=parallel,outcomes=4)", bounds=(-1, 1), playthroughs=500, seed=1)
    assert noisy.gap < 2


def test_what_draws_is_noticed() -> None:
    with pytest.raises(hn.errors.UnsuitableError, match="draws at random"):
        hn.load(f"{HERE}Pennies(noise=0.5,api=parallel,copies=true)")
    box = hn.load(f"{HERE}Pennies(noise=0.5,api=parallel)")
    assert isinstance(box, hn.boxes.BoxedGame)
    failed = hn.certify(box, bounds=(-1, 1), playthroughs=200)
    assert failed.stop == "failed"
    assert "outcomes=" in failed.failure


def test_horizons() -> None:
    with pytest.raises(hn.errors.UnsuitableError, match="impose a horizon"):
        hn.load(f"{HERE}Takes(endless=true,copies=true)")
    game = load_expanded(f"{HERE}Takes(endless=true,copies=true,horizon=3)")
    assert game.sizes.depth == 3
    assert hn.values(game, hn.uniform(game)) == (0.0, 0.0)


def test_what_cannot_be_had() -> None:
    for address, kind, words in (
        (f"{HERE}Nothing", hn.errors.UnknownNameError, "defines no 'Nothing'"),
        ("pettingzoo:no.such.module:env", hn.errors.UnknownNameError, "could not be imported"),
        ("pettingzoo:classic/tictactoe_v9", hn.errors.UnknownNameError, "did you mean 'classic/tictactoe-v3'"),
        (f"{HERE}Takes(pile=4,api=turns)", hn.errors.ParameterError, "aec or parallel"),
        (f"{HERE}Takes(stones=4)", hn.errors.ParameterError, "making it raised TypeError"),
        (f"{HERE}Takes(copies=true,outcomes=3)", hn.errors.ParameterError, "hides its odds"),
        ("gymnasium:FrozenLke-v1", hn.errors.UnknownNameError, "did you mean 'FrozenLake-v1'"),
        ("gymnasium:Pendulum-v1", hn.errors.UnsuitableError, "only discrete ones"),
    ):
        with pytest.raises(kind, match=words):
            hn.load(address)


def test_a_gymnasium_environment() -> None:
    pytest.importorskip("gymnasium")
    lake = "gymnasium:FrozenLake-v1(desc=['SF','HG'],is_slippery=false,horizon=2,copies=true)"
    game = load_expanded(lake)
    assert (game.players, game.sizes.depth) == (1, 2)
    assert hn.solve(game, gap=1e-3).values[0] == pytest.approx(1.0, abs=2e-3)  # right, then down
    slippery = hn.load("gymnasium:FrozenLake-v1(desc=['SF','HG'],horizon=2,outcomes=4)")
    assert isinstance(slippery, hn.boxes.BoxedGame)
    seen = {slippery.box.reset(seed).draw is not None and slippery.box.step(()).movers for seed in range(3)}
    assert seen == {(0,)}
    with pytest.raises(hn.errors.UnsuitableError, match="draws at random"):
        hn.load("gymnasium:FrozenLake-v1(horizon=3,copies=true)")


def test_masks_rewards_and_truncation_of_gymnasium() -> None:
    pytest.importorskip("tests.interop.environments")  # which registers it
    walker = "gymnasium:hannan-tests/Walker-v0(fault={},copies={})"
    game = load_expanded(walker.format("none", "true"))
    assert game.sizes.histories == 1 + 2 + 3 + 1  # 0; 1, 2; 2, 3 and 3; 3, by a single step, since the mask says so
    assert hn.solve(game).values == pytest.approx((3.0,))
    for fault, sentence in (
        ("mask", r"Walker-v0: the action mask of agent 0 has the shape \(1,\), and there are 2 actions"),
        ("zeros", "Walker-v0: agent 0 is to move and its action mask allows no action"),
        ("nans", r"Walker-v0: the action mask of agent 0 is \[nan, 1.0\]"),
        ("nan", r"Walker-v0: the rewards \[nan\] are not all finite numbers"),
        ("word", "Walker-v0: the reward 'won' is not a number"),
    ):
        for copies in ("true", "false"):
            with pytest.raises(hn.HannanError, match=sentence):
                hn.check_box(walker.format(fault, copies), bounds=(0, 3), playthroughs=5)


@pytest.mark.slow
def test_pettingzoos_classic_games() -> None:
    pytest.importorskip("pygame")
    rps = load_expanded("pettingzoo:rps_v2(max_cycles=1,api=parallel,copies=true)")
    assert rps.sizes.histories == 10
    assert hn.solve(rps).profile.strategies[0][1:] == pytest.approx([1 / 3] * 3, abs=1e-9)
    turns = load_expanded("pettingzoo:classic/rps_v2(max_cycles=1,copies=true)")  # in turn, unseen: the same game
    assert hn.solve(turns).values == pytest.approx((0.0, 0.0), abs=1e-12)
    tictactoe = hn.load("pettingzoo:classic/tictactoe_v3(copies=true)")
    assert isinstance(tictactoe, hn.views.PlayedGame)
    state = tictactoe.rules.start()
    for move in (0, 3, 1, 4, 2):  # the first agent has the first column
        assert state.play.movers == (len(state.path) % 2,)
        state = tictactoe.rules.after(state, move)
    assert tictactoe.rules.turn(state) == hn.END
    assert tuple(tictactoe.rules.gains(state)) == (1.0, -1.0)


@pytest.mark.parametrize("address", ["kuhn_poker(players=3)", "goofspiel(cards=3)", "random_game(seed=1)"])
def test_our_games_pass_pettingzoos_own_tests(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    from pettingzoo.test import api_test, seed_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it advises against observations that are dictionaries
        api_test(hn.interop.to_pettingzoo(address), num_cycles=200)
        seed_test(lambda: hn.interop.to_pettingzoo(address), num_cycles=20)
    assert "Passed" in capsys.readouterr().out


def test_an_environment_of_ours_plays_the_game() -> None:
    env, profile = hn.interop.to_pettingzoo("kuhn_poker"), hn.uniform("kuhn_poker")
    draw, earned = np.random.default_rng(0), []
    for seed in range(2000):
        env.reset(seed=seed)
        total = 0.0
        for agent in env.agent_iter():
            observation, reward, over, _, _ = env.last()
            total += reward if agent == "player_0" else 0.0
            env.step(None if over else int(draw.choice(np.flatnonzero(observation["action_mask"]))))
        earned.append(total)
    expected = hn.evaluate("kuhn_poker", profile).values[0]  # uniform play, as here
    assert np.mean(earned) == pytest.approx(expected, abs=4 * np.std(earned) / len(earned) ** 0.5)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="may take actions"):
        env.step(7)


def test_there_and_back(hannan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    record = hannan("solve", f"{HERE}Takes(pile=4,copies=true)", "--json").record
    assert record["values"] == [1.0, -1.0]
    boxed = hannan("solve", f"{HERE}Takes(pile=4)")
    assert boxed.code == 2
    assert "boxed" in boxed.err
    back = load_expanded("pettingzoo:tests.interop.test_pettingzoo:tiny(copies=true)")
    assert hn.solve(back).values == pytest.approx((0.0, 0.0), abs=1e-9)


def tiny() -> Any:
    """Return a game of ours as an environment, to be read again."""
    return hn.interop.to_pettingzoo("matching_pennies")


@pytest.mark.parametrize("copies", ["true", "false"])
@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("mask", r"the action mask of agent 0 has the shape \(5,\), and there are 2 actions"),
        ("table", r"the action mask of agent 0 has the shape \(2, 2\), and there are 2 actions"),
        ("reward", r"the rewards \[nan, .*\] are not all finite"),
        ("stranger", r"the agents \['third'\] are not among possible_agents"),
        ("nothing", "raised TypeError"),
        ("blind", "pennies: agent odd is to move and observes nothing"),
        ("agents", "is not an environment of this kind"),
        ("twice", r"an agent is listed twice in possible_agents: \['even', 'even'\]"),
        ("zeros", "pennies: agent 0 is to move and its action mask allows no action"),
        ("twos", r"pennies: the action mask of agent 0 is \[2, 0\]; it should hold zeros and ones"),
        ("halves", r"the action mask of agent 0 is \[0.5, 1.0\]; it should hold"),
        ("nans", r"the action mask of agent 0 is \[nan, 1.0\]; it should hold"),
        ("words", r"the action mask of agent 0 is \['0', '1'\]; it should hold"),
        ("ragged", r"the action mask of agent 0 is \[\[1\], 1\]"),
        ("in_info", r"the action mask of agent 0 has the shape \(3,\), and there are 2 actions"),
        ("no_reward", r"pennies: the agents \['odd'\] acted and have no reward"),
        ("word", r"pennies: the rewards .*'won'.* are not all numbers"),
        ("stray_reward", r"the agents \['third'\] are not among possible_agents"),
    ],
)
def test_environments_that_break_their_own_rules(fault: str, sentence: str, copies: str) -> None:
    with pytest.raises(hn.HannanError, match=sentence):
        hn.check_box(f"{HERE}Broken(fault={fault},api=parallel,copies={copies})", bounds=(-1, 1), playthroughs=5)


def test_an_observation_that_is_no_number_equals_itself() -> None:
    game = load_expanded(f"{HERE}Broken(fault=nan,api=parallel,copies=true)")
    assert hn.solve(game).values == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("fault", ["lists", "bools", "infos", "reordered", "listed", "truncated"])
def test_environments_that_may_do_so(fault: str) -> None:
    """Masks as lists, as truths or in infos, agents listed in another order or after their end: the same game."""
    game = load_expanded(f"{HERE}Broken(fault={fault},api=parallel,copies=true)")
    assert (game.sizes.histories, game.sizes.sets) == (5, (1, 1))
    assert hn.solve(game).values == pytest.approx((0.0, 0.0), abs=1e-12)
    assert hn.check_box(f"{HERE}Broken(fault={fault},api=parallel)", bounds=(-1, 1), playthroughs=20).longest == 2


def test_a_fixed_mask_takes_an_action_away() -> None:
    """The first agent can only play 1, so the other one plays 0 and wins."""
    for fault in ("only_one", "only_one_in_info"):
        game = load_expanded(f"{HERE}Broken(fault={fault},api=parallel,copies=true)")
        assert game.sizes.histories == 3
        assert hn.solve(game).values == pytest.approx((-1.0, 1.0))


def test_agents_leave_and_come_back() -> None:
    """The guest plays rounds 1 and 3 alone in being rewarded; it is paid in round 2, too, in which it is away."""
    game = load_expanded(f"{HERE}Guests(api=parallel,copies=true)")
    assert game.players == 3  # the third is never among the agents
    assert game.sizes.histories == 1 + 4 + 8 + 32
    values = hn.evaluate(game, hn.uniform(game)).values
    assert values == pytest.approx((3.0 * 0.5, 2 * 0.5 + 10.0, 0.0))


def test_agents_in_turn_who_are_strangers() -> None:
    with pytest.raises(hn.HannanError, match=r"takes: the agents \['c'\] are not among possible_agents"):
        hn.check_box(f"{HERE}Stranger", bounds=(-1, 1), playthroughs=5)


def test_a_truncated_play_is_worth_its_rewards() -> None:
    game = load_expanded(f"{HERE}Takes(pile=4,stop=2,copies=true)")
    assert game.sizes.depth == 2
    assert hn.values(game, hn.uniform(game)) == pytest.approx((-0.25, 0.25))  # two and two: the second has won
    assert hn.certify(f"{HERE}Takes(pile=4,stop=2)", bounds=(-1, 1), playthroughs=40).gap <= 1e-9


def test_seeds_that_reset_ignores() -> None:
    noisy = f"{HERE}Broken(fault=unseeded,api=parallel,outcomes=4"
    failed = hn.certify(f"{noisy})", bounds=(-1, 1), playthroughs=40)
    assert failed.stop == "failed"
    assert "with the same seed" in failed.failure
    whole = hn.certify(f"{noisy},seeded=false)", bounds=(-1, 1), playthroughs=40)
    assert (whole.stop, whole.seeded) == ("playthroughs", False)
    silent = hn.certify(f"{HERE}Broken(fault=unseeded,api=parallel)", bounds=(-1, 1), playthroughs=40)
    assert "draws at random" in silent.failure
    with pytest.raises(hn.errors.ParameterError, match="with seeded=false it draws"):
        hn.load(f"{HERE}Pennies(api=parallel,copies=true,seeded=false)")


def test_resets_that_return_other_agents_are_noticed() -> None:
    """Of the second reset one agent is missing: somebody else moves after the same actions."""
    failed = hn.certify(f"{HERE}Broken(fault=fewer,api=parallel)", bounds=(-1, 1), playthroughs=10)
    assert failed.stop == "failed"
    assert "draws at random" in failed.failure
    with pytest.raises(hn.errors.UnsuitableError, match="draws at random"):
        hn.load(f"{HERE}Broken(fault=fewer,api=parallel,copies=true)")


def test_the_order_of_names_in_an_observation_means_nothing() -> None:
    assert known({"a": np.array([1, 2]), "b": 3}) == known({"b": 3, "a": [1, 2]})
    assert known({"a": 1}) != known({"a": 2})


def test_agents_that_are_never_removed_are_not_waited_for() -> None:
    with pytest.raises(hn.HannanError, match=r"not removed by step\(None\)"):
        hn.check_box(f"{HERE}Undead", bounds=(-1, 1), playthroughs=5)


def test_a_module_that_raises_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "raising_module.py").write_text("import sys; sys.exit(3)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(hn.errors.UnknownNameError, match="raising_module could not be imported: SystemExit: 3"):
        hn.load("pettingzoo:raising_module:env")
