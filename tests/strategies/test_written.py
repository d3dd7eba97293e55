"""Strategies as data: sets by name, number, pattern and path; CSV there and back; whole players from profiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from tests.delegating import Delegating

KUHN, LEDUC = "kuhn_poker", "leduc_poker"


def same(one: hn.Profile, other: hn.Profile) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.strategies, other.strategies, strict=True))


def test_some_sets_and_the_rest_uniform() -> None:
    profile = hn.profile(KUHN, {0: {"J": {"p": 1}}})
    assert profile.at(0, "J") == {"p": 1.0, "b": 0.0}
    assert profile.at(0, "Q") == {"p": 0.5, "b": 0.5}
    changed = profile.game.form.treeplexes[0].begin[profile.game.find_set(0, "J")]
    expected = hn.uniform(profile.game).strategies[0].copy()
    expected[changed : changed + 2] = 1.0, 0.0
    assert np.array_equal(profile.strategies[0], expected)
    assert np.array_equal(profile.strategies[1], hn.uniform(profile.game).strategies[1])


def test_the_rest_from_another_profile() -> None:
    rest = hn.random_profile(KUHN, seed=1)
    profile = hn.profile(rest.game, {1: {"Kp": [0, 1]}}, rest=rest)
    assert profile.at(1, "Kp") == {"p": 0.0, "b": 1.0}
    assert profile.at(1, "Kb") == rest.at(1, "Kb")
    assert same(profile, rest.with_({1: {"Kp": {"b": 1.0}}}))
    assert rest.at(1, "Kp") != profile.at(1, "Kp")  # with_ leaves it as it was


def test_patterns_and_their_exceptions() -> None:
    profile = hn.profile(KUHN, {0: {"*": {"p": 1}, "K*": {"b": 1}, "?": [0.25, 0.75]}})
    assert profile.at(0, "J p Jpb") == {"p": 1.0, "b": 0.0}
    assert profile.at(0, "K p Kpb") == {"p": 0.0, "b": 1.0}
    assert profile.at(0, "K") == {"p": 0.25, "b": 0.75}


@pytest.mark.parametrize("address", [KUHN, LEDUC, "goofspiel(cards=3)"])
def test_every_path_leads_to_the_set_of_whoever_moves_there(address: str) -> None:
    game = hn.load(address).expanded()
    tree, checked = game.tree, 0
    for node in range(0, tree.nodes, max(1, tree.nodes // 60)):
        movers = [p for p in range(game.players) if int(tree.turn[node]) > 0 and int(tree.turn[node]) >> p & 1]
        for k, player in enumerate(movers):
            number = int(tree.slots[int(tree.slot_begin[node]) + k])
            assert game.find_sets(player, tree.path_text(node)) == [number]
            checked += 1
    assert checked > 10


@pytest.mark.parametrize("address", [KUHN, LEDUC])
def test_csv_there_and_back(address: str, tmp_path: Path) -> None:
    profile = hn.random_profile(address, seed=3)
    hn.export_csv(profile, tmp_path / "profile.csv")
    assert same(hn.profile(profile.game, tmp_path / "profile.csv"), profile)


def test_a_short_csv_file(tmp_path: Path) -> None:
    (tmp_path / "jack.csv").write_text("action,player,set,probability\np,0,J,0.75\nb,0,J,0.25\n")
    rest = hn.random_profile(KUHN, seed=1)
    profile = hn.profile(rest.game, str(tmp_path / "jack.csv"), rest=rest)
    assert same(profile, rest.with_({0: {"J": [0.75, 0.25]}}))


class Nameless(Delegating):
    """Every observation has the same name."""

    def observation_text(self, player: int, observation: Any) -> str:
        return "?"


def test_sets_of_one_name_keep_their_order_in_csv(tmp_path: Path) -> None:
    profile = hn.random_profile(Nameless(hn.load(KUHN).played().rules), seed=3)
    hn.export_csv(profile, tmp_path / "profile.csv")
    assert same(hn.profile(profile.game, tmp_path / "profile.csv"), profile)
    text = (tmp_path / "profile.csv").read_text().splitlines()
    (tmp_path / "short.csv").write_text("\n".join(text[:3]) + "\n")
    with pytest.raises(hn.errors.FileError, match="3 sets of this name"):
        hn.profile(profile.game, tmp_path / "short.csv")


class Wordless(Nameless):
    """Every action has the same name, too."""

    def action_text(self, player: int, action: Any) -> str:
        return "!"


class Numbered(Nameless):
    """Actions are called by the set that they are of, so that no two sets of one name share any."""

    def actions(self, state: Any, player: int) -> list[Any]:
        seen = self.observe(state, player)
        return [(seen, action) for action in super().actions(state, player)]

    def after(self, state: Any, move: Any) -> Any:
        return super().after(state, move[1] if isinstance(move, tuple) else move)

    def action_text(self, player: int, action: Any) -> str:
        return str(action)


@pytest.mark.parametrize("names", [Wordless, Numbered])
def test_names_that_say_nothing_are_read_in_their_order(names: type[Delegating], tmp_path: Path) -> None:
    profile = hn.random_profile(names(hn.load(KUHN).played().rules), seed=3)
    hn.export_csv(profile, tmp_path / "profile.csv")
    assert same(hn.profile(profile.game, tmp_path / "profile.csv"), profile)


def test_a_best_response_is_a_profile() -> None:
    profile = hn.random_profile(LEDUC, seed=3)
    for player in range(2):
        response = hn.best_response(profile.game, profile, player)
        assert hn.evaluate(profile.game, response.profile).values[player] == pytest.approx(response.value, abs=1e-12)
        assert np.array_equal(response.profile.profile().strategies[player], response.strategy)
        assert np.array_equal(response.profile.profile().strategies[1 - player], profile.strategies[1 - player])


def test_a_whole_player_from_a_profile() -> None:
    """Against a fixed opponent, a solution is a best response."""
    given = hn.random_profile(KUHN, seed=4)
    game = hn.lock(given.game, {1: given})
    lifted = game.lift(hn.solve(game, "cfr+", iterations=2000).profile)
    assert np.array_equal(lifted.strategies[1], given.strategies[1])
    best = hn.best_response(given.game, given, 0).value
    assert hn.evaluate(given.game, lifted).values[0] == pytest.approx(best, abs=1e-3)
    both = hn.uniform(given.game).with_({1: given})
    assert np.array_equal(both.strategies[1], given.strategies[1])


def test_locks_by_pattern_and_a_player_from_a_file(hannan: Any, tmp_path: Path) -> None:
    assert sum(map(len, hn.lock(KUHN, {0: {"J*": {"p": 1}}}).fixed)) == 2
    hn.save(hn.uniform(KUHN), tmp_path / "uniform.strategy")
    (tmp_path / "locks.json").write_text('{"1": "uniform.strategy"}')
    ran = hannan("solve", KUHN, "--locks", "locks.json", "--iterations", "2000", "--json")
    best = hn.best_response(KUHN, hn.uniform(KUHN), 0).value
    assert ran.record["values"][0] == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize(
    ("strategies", "words"),
    [
        ({0: {"X": [1, 0]}}, "in the strategies, player 0 has no information set 'X'"),
        ({0: {"X*": [1, 0]}}, "no information set of player 0 matches"),
        ({0: {"r:J:Q:x": [1, 0]}}, "leaves the game after r:J:Q"),
        ({0: {"r:J:Q:p": [1, 0]}}, "player 0 does not move at 'r:J:Q:p'"),
        ({0: {"r": [1, 0]}}, "player 0 does not move at 'r'"),
        ({0: {"J": [0.5, 0.25]}}, "the strategy of player 0 at 'J' should be 2 probabilities that sum to 1"),
        ({0: {"J": {"q": 1}}}, "no action 'q'"),
        ({7: {"J": [1, 0]}}, "player 7 is out of range"),
        ({0: 5}, "the strategies of player 0 are 5"),
        ({0: hn.uniform(LEDUC)}, "leduc_poker, not for kuhn_poker"),
        ("nothing.csv", "there is no file"),
    ],
)
def test_bad_input(strategies: Any, words: str) -> None:
    with pytest.raises(hn.HannanError, match=words):
        hn.profile(KUHN, strategies)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("player,set,action\n0,J,p\n", "no column 'probability'"),
        ("player,set,action,probability\n0,J,p,x\n", "not the CSV file of a strategy"),
        ("player,set,action,probability\n0,X,p,1\n", "no information set 'X'"),
        ("player,set,action,probability\n9,J,p,1\n", "player 9 is out of range"),
        ("player,set,action,probability\n0,J,p,1\n0,J,p,1\n", "2 times what player 0 does at 'J'; there are 1"),
        ("", "no column 'player'"),
        ("player,set,action,probability,probability\n0,J,p,1,0\n0,J,b,0,1\n", "2 columns 'probability'"),
        ("player,set,action,probability\n0,J,p,0,5\n0,J,b,1,5\n", "line 2: it has more cells"),
        ("player,set,action,probability\n0,J,p,1\n0,J,b,1/2\n", "line 3: could not convert"),
        ("player,set,action,probability\n0,J,p,0.4\n", "sum to 1"),
    ],
)
def test_bad_csv(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(hn.HannanError, match=words) as refusal:
        hn.profile(KUHN, tmp_path / "bad.csv")
    assert str(tmp_path / "bad.csv") in str(refusal.value)


def test_arrays_leave_no_rest() -> None:
    profile = hn.uniform(KUHN)
    with pytest.raises(hn.errors.ParameterError, match="set by set"):
        hn.profile(KUHN, profile.strategies, rest=profile)


def test_a_csv_file_of_a_spreadsheet_begins_with_a_mark_of_its_encoding(tmp_path: Path) -> None:
    path, profile = tmp_path / "kuhn.csv", hn.random_profile(KUHN, seed=1)
    hn.export_csv(profile, path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert np.allclose(hn.profile(KUHN, path).strategies[0], profile.strategies[0])


def test_a_csv_line_that_is_cut_short_is_named(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.csv"
    path.write_text("probability,player,set,action\n1,0,J,p\n1,0\n", encoding="utf-8")
    with pytest.raises(hn.errors.FileError, match="line 3: it is cut short"):
        hn.profile(KUHN, path)
