"""OpenSpiel's games here: the same histories, sets and NashConv; what forgets or cannot be had is said so."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.cli.openspiel import addresses, looked_up
from hannan.forms.forgetful import StatedGame
from hannan.forms.loader import load_expanded
from hannan.interop.openspiel.games import wanted
from hannan.interop.openspiel.rules import SpielRules
from hannan.rules.walk import PlainWalk
from tests.delegating import Delegating
from tests.interop.openspiel_all import compared

pyspiel: Any = pytest.importorskip("pyspiel")

SMALL = (
    "kuhn_poker(players=3)", "matrix_pd", "tiny_hanabi", "lewis_signaling", "misere(game=kuhn_poker())",
    "goofspiel(num_cards=3,imp_info=true,points_order=descending)",
    "goofspiel(num_cards=3,players=3,points_order=random)",
    "liars_dice(dice_sides=3)", "matching_pennies_3p", "blotto(coins=4)", "python_kuhn_poker",
)  # fmt: skip


@pytest.mark.parametrize("address", SMALL)
def test_nash_conv_is_openspiels(address: str) -> None:
    assert "as OpenSpiel's" in compared(address, 20_000)


def test_sizes_are_known_ones() -> None:
    game = load_expanded("openspiel:leduc_poker")  # as our own Leduc poker, which the literature counts
    assert (game.sizes.histories, game.sizes.sets) == (9457, (468, 468))
    ours = load_expanded("leduc_poker")
    assert (ours.sizes.histories, ours.sizes.sets) == (9457, (468, 468))
    assert hn.solve("openspiel:kuhn_poker").values[0] == pytest.approx(-1 / 18, abs=1e-9)  # Kuhn (1950)
    three = hn.load("openspiel:leduc_poker(players=3)")
    assert three.players == 3


@pytest.mark.parametrize("address", ["kuhn_poker", "goofspiel(num_cards=3)", "liars_dice(dice_sides=2)"])
def test_the_quick_walk_is_the_plain_one(address: str) -> None:
    rules = load_expanded(f"openspiel:{address}").rules
    assert isinstance(rules, SpielRules)
    quick, plain = PlainWalk(rules), PlainWalk(Delegating(rules))  # asks as it asks anybody's rules
    for walk in (quick, plain):
        while walk.frontier:
            walk.level(10**6)
    names = ("parent", "children", "turn", "slot_begin", "slots", "probability", "gain_node", "gain", "depth_begin")
    for name in (*names, "met", "first", "menus", "sets", "lowest", "highest", "serial_extra"):
        assert getattr(quick, name) == getattr(plain, name), name
    assert hn.check_game(rules).complete


@pytest.mark.slow
def test_forgetting_is_named_and_split_on_demand(tmp_path: Path) -> None:
    forgetful = hn.load("openspiel:goofspiel(num_cards=4)")
    assert isinstance(forgetful, hn.views.ForgetfulGame)
    assert sum(forgetful.stated_sets) < sum(forgetful.refined.sizes.sets)
    with pytest.raises(hn.errors.UnsuitableError, match=r"goofspiel\(num_cards=4,recall=split\)"):
        hn.solve(forgetful, "lp")
    assert hn.solve(forgetful, iterations=1).record()["recall"] == "not proven"
    split = load_expanded("openspiel:goofspiel(num_cards=4,recall=split)")
    assert split.address == "openspiel:goofspiel(num_cards=4,recall=split)"
    assert hn.solve(split, "cfr+", iterations=200).nash_conv < 0.05
    uniform = hn.uniform(forgetful)
    assert hn.values(forgetful, uniform) == pytest.approx((0.0, 0.0), abs=1e-12)  # the game is symmetric
    hn.export_game(forgetful, tmp_path / "goofspiel.efg")  # as it is stated
    written = hn.load(tmp_path / "goofspiel.efg")
    assert isinstance(written, hn.views.ForgetfulGame)
    assert written.stated_sets == forgetful.stated_sets
    assert written.refined.sizes.sets == forgetful.refined.sizes.sets
    assert isinstance(hn.load("openspiel:phantom_ttt_ir"), hn.views.ForgetfulGame)  # too large to expand: plays tell


def test_forgetting_that_plays_did_not_show_is_noticed_when_expanding() -> None:
    rules = load_expanded("openspiel:goofspiel(num_cards=4,recall=split)").rules
    assert isinstance(rules, SpielRules)
    stated = StatedGame(SpielRules(wanted("openspiel:goofspiel(num_cards=4)")))
    with pytest.raises(hn.errors.UnsuitableError, match="imperfect recall"):
        hn.solve(stated, "lp")
    assert StatedGame(rules).expanded().sizes.histories == 19269


def test_what_cannot_be_had() -> None:
    for address, kind, words in (
        ("mfg_garnet", hn.errors.UnsuitableError, "mean-field"),
        ("pig", hn.errors.UnsuitableError, "no information states"),
        ("kun_poker", hn.errors.UnknownNameError, "did you mean 'kuhn_poker'"),
        ("kuhn_poker(playrs=3)", hn.errors.ParameterError, "OpenSpiel cannot make"),
        ("kuhn_poker(recall=perfect)", hn.errors.ParameterError, "stated or split"),
        ("tarok", hn.errors.ParameterError, "outcomes="),
    ):
        with pytest.raises(kind, match=words):
            hn.load(f"openspiel:{address}")


def test_sampled_chance_is_a_box() -> None:
    game = hn.load("openspiel:tarok(outcomes=1000000)")
    assert isinstance(game, hn.boxes.BoxedGame)
    assert game.box.seeded

    def play(seed: int) -> list[Any]:
        view = game.box.reset(seed)
        views = [view]
        for _ in range(500):
            if view.draw is None and not view.movers:
                return views
            view = game.box.step(tuple(menu[0] for menu in view.actions))
            views.append(view)
        raise AssertionError("it does not end")

    assert play(3) == play(3)
    assert play(3) != play(4)
    assert views_are_openspiels(play(5))


def views_are_openspiels(views: list[Any]) -> bool:
    """Chance has drawn first, and is known by what three players see; then one of them moves after another."""
    first = views[0].draw
    return len(first.outcome) == 3 and first.most == 1_000_000 and all(len(view.movers) < 2 for view in views)


@pytest.mark.slow
def test_policies_there_and_back() -> None:
    exploitability: Any = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    result = hn.solve("openspiel:leduc_poker", "cfr+", iterations=50)
    theirs = pyspiel.load_game("leduc_poker")
    assert exploitability.nash_conv(theirs, hn.interop.to_openspiel(result.profile)) == pytest.approx(
        result.nash_conv, abs=1e-9
    )
    assert pyspiel.nash_conv(theirs, hn.interop.openspiel_table(result.profile)) == pytest.approx(
        result.nash_conv, abs=1e-9
    )
    twin = hn.solve("kuhn_poker", "cfr", iterations=20)  # our own, which is OpenSpiel's
    policy = hn.interop.to_openspiel(twin.profile)
    assert exploitability.nash_conv(pyspiel.load_game("kuhn_poker"), policy) == pytest.approx(twin.nash_conv, abs=1e-9)
    back = hn.interop.from_openspiel("kuhn_poker", policy)
    assert hn.evaluate("kuhn_poker", back).nash_conv == pytest.approx(twin.nash_conv, abs=1e-12)
    with pytest.raises(hn.errors.UnsuitableError, match="no game that is known"):
        hn.interop.to_openspiel(hn.uniform("kuhn_poker(players=4)"))
    with pytest.raises(hn.errors.MismatchError, match="they differ at r"):
        hn.interop.from_openspiel("kuhn_poker", policy, pyspiel.load_game("leduc_poker"))
    turned = pyspiel.create_matrix_game("x", "x", ["b", "a"], ["l", "r"], [[0, 2], [1, 0]], [[0, -2], [-1, 0]])
    with pytest.raises(hn.errors.MismatchError, match="they differ at r"):  # the same shape, with the rows exchanged
        hn.interop.to_openspiel(hn.uniform([[1.0, 0.0], [0.0, 2.0]]), turned)
    split = hn.random_profile("openspiel:goofspiel(num_cards=4,recall=split)")
    with pytest.raises(hn.errors.UnsuitableError, match="remembers more"):
        hn.interop.to_openspiel(split)


def test_policies_of_cfr_at_openspiel() -> None:
    cfr: Any = pytest.importorskip("open_spiel.python.algorithms.cfr")
    solver = cfr.CFRSolver(pyspiel.load_game("kuhn_poker"))
    for _ in range(20):
        solver.evaluate_and_update_policy()
    ours = hn.solve("openspiel:kuhn_poker", "cfr", updates="alternating", iterations=20).profile
    theirs = hn.interop.from_openspiel("openspiel:kuhn_poker", solver.average_policy())
    for one, other in zip(ours.strategies, theirs.strategies, strict=True):
        assert other == pytest.approx(one, abs=1e-12)  # the same algorithm


def test_a_policy_that_was_not_expanded_follows_the_history() -> None:
    game = hn.load("openspiel:leduc_poker(players=3)")
    sampler = hn.methods.OutcomeSampling(game, seed=1)
    sampler.run(200)
    learnt = sampler.average()
    assert isinstance(learnt, hn.Policy)
    policy, rules, draw = hn.interop.to_openspiel(learnt), game.played().rules, np.random.default_rng(1)
    for _ in range(20):
        state, last = rules.start(), list(range(3))
        while not state.is_terminal():
            if state.is_chance_node():
                state = state.child(draw.choice(state.legal_actions()))
                continue
            player, menu = state.current_player(), state.legal_actions()
            place = learnt.find(last[player], state.information_state_string(), len(menu)) if last[player] >= 0 else -1
            plays = policy.action_probabilities(state)
            assert list(plays.values()) == learnt.plays(place, len(menu)).tolist()
            action = draw.choice(menu)
            last[player] = learnt.after(player, place, menu.index(action))
            state = state.child(action)


@pytest.mark.parametrize("address", ["kuhn_poker(players=3)", "goofspiel(cards=3)", "rock_paper_scissors"])
def test_our_rules_are_a_game_there(address: str) -> None:
    exploitability: Any = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    theirs, profile = hn.interop.to_openspiel_game(address), hn.random_profile(address, seed=4)
    pyspiel.random_sim_test(theirs, num_sims=5, serialize=False, verbose=False)
    joint = theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    assert joint == ("kuhn" not in address)
    turns = pyspiel.convert_to_turn_based(theirs) if joint else theirs
    there = exploitability.nash_conv(turns, hn.interop.to_openspiel(profile, theirs), use_cpp_br=False)
    assert there == pytest.approx(hn.evaluate(address, profile).nash_conv, abs=1e-9)


def test_bots_play_matches() -> None:
    game = "openspiel:tic_tac_toe"
    score = hn.match(game, "openspiel:mcts(simulations=30)", "openspiel:uniform_random", games=40, seed=2)
    assert score.scores[0] > 0.5
    again = hn.match(game, "openspiel:mcts(simulations=30)", "openspiel:uniform_random", games=40, seed=2)
    assert again.scores == score.scores
    uniform = hn.match("openspiel:kuhn_poker", "uniform", "openspiel:uniform_random", games=4000)
    assert abs(uniform.scores[0]) < 3 * uniform.half_widths[0]  # two players who do the same
    for game, bot, words in (
        ("kuhn_poker", "openspiel:uniform_random", "plays OpenSpiel's games"),
        ("openspiel:kuhn_poker", "openspiel:unifrm", "no bot"),
        ("openspiel:kuhn_poker", "openspiel:mcts", "perfect information"),
    ):
        with pytest.raises(hn.HannanError, match=words):
            hn.match(game, bot, "uniform", games=2)


def test_rules_of_openspiels_pickle_and_solve_with_samplers() -> None:
    game = hn.load("openspiel:kuhn_poker")
    again = pickle.loads(pickle.dumps(game))
    assert again.address == game.address
    sampler = hn.methods.ExternalSampling(game, over="rules", seed=3)
    sampler.run(3000)
    assert hn.evaluate(game, sampler.average()).nash_conv < 0.1


def test_the_table_says_what_loads() -> None:
    rows = {address: looked_up(address, 2000)[0] for address in ("kuhn_poker", "chess", "pig", "tarok", "misere")}
    assert (rows["kuhn_poker"].loads, rows["kuhn_poker"].histories) == ("expanded", 58)
    assert [rows[name].loads for name in ("chess", "pig", "tarok", "misere")] == ["played", "no", "boxed", "no"]
    assert "Missing parameter" in rows["misere"].reason
    assert len(addresses()) >= len(pyspiel.registered_names())


def test_the_table_as_a_page(hannan: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        "hannan.cli.openspiel.addresses", lambda: ["kuhn_poker", "mfg_garnet", "goofspiel(num_cards=4)"]
    )
    record = hannan("games", "--openspiel", "--json", "--out", "games.md").record
    assert [row["loads"] for row in record["games"]] == ["expanded", "no", "recall=split"]
    page = (tmp_path / "games.md").read_text(encoding="utf-8")
    assert "| kuhn_poker | expanded | 2 | 58 | 6  6 |  |" in page
    assert "kuhn_poker" in hannan("games", "--openspiel").out
    assert "--openspiel" in hannan("games", "--out", "games.md").err


def test_certifying_a_game_of_openspiels() -> None:
    certificate = hn.certify("openspiel:kuhn_poker", groups="known", playthroughs=300, seed=1)
    assert certificate.gap == pytest.approx(0.0, abs=1e-6)  # with the odds told, the whole tree is known


def test_the_commands(hannan: Any) -> None:
    assert hannan("solve", "openspiel:kuhn_poker", "--json").record["values"][0] == pytest.approx(-1 / 18)
    assert hannan("inspect", "openspiel:leduc_poker", "--json").record["information_sets"] == [468, 468]
    assert "mean-field" in hannan("solve", "openspiel:mfg_garnet").err
    assert hannan("export", "openspiel:kuhn_poker", "--out", "kuhn.efg").code == 0
    assert hannan("solve", "kuhn.efg", "--json").record["values"][0] == pytest.approx(-1 / 18)
