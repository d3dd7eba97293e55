"""What the search does not take, and what it says then."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

import hannan as hn
from hannan.errors import FileError, MismatchError, ParameterError, RulesError, UnknownNameError, UnsuitableError
from hannan.treesearch.searcher import Searcher
from tests.delegating import Delegating
from tests.treesearch.stages import WC_RM, Stages


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"gamma": 1.5}, "gamma=1.5 is out of range; it may be 0.0 to 1.0"),
        ({"gamma": -0.1}, "gamma=-0.1 is out of range"),
        ({"rule": "rmm"}, "rule='rmm' is not known"),
        ({"nodes": 0}, "nodes=0"),
        ({"explore": "always"}, "explore='always' is not known"),
        ({"bounds": (1, 0)}, "two numbers LOW,HIGH"),
        ({"bounds": (0.2, 0.3), "iterations": 100}, "gains less than 0.2 or more than 0.3 at node r"),
        ({"rollout": lambda state, player: [1, 1]}, r"returned \[1, 1\] for player 0 at node r:\(.,.\)"),
        ({"rollout": lambda state, player: 3}, "should return 2 probabilities that sum to 1"),
        ({"evaluation": lambda state: "much"}, "returned 'much' at node r"),
        ({"evaluation": lambda state: 1 / 0}, "raised ZeroDivisionError"),
        ({"evaluation": "f.py:f", "rollout": "f.py:g"}, "f.py"),
        ({"at": "(7,7)"}, "'\\(7,7\\)' is not a legal move"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises((ParameterError, RulesError, FileError), match=sentence):
        hn.search(Stages(WC_RM), **{"iterations": 100, **parameters})


def test_an_unknown_parameter_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"no option 'gama'.*'gamma'"):
        hn.search("biased_rps", gama=0.1)  # type: ignore[call-arg]


@pytest.mark.parametrize("game", ["kuhn_poker", "goofspiel(cards=3)"])
def test_hidden_information_is_named_with_both_paths(game: str) -> None:
    with pytest.raises(UnsuitableError, match=r"search is for games .* cannot tell r:\S+ from r:\S+\. Take lp"):
        hn.search(game, iterations=10)


def test_sums_that_differ_and_more_players_are_refused() -> None:
    with pytest.raises(UnsuitableError, match="no constant sum"):
        hn.search("prisoners_dilemma", iterations=100)
    with pytest.raises(UnsuitableError, match="has 3 players"):
        hn.search("goofspiel(cards=2,players=3,information=open)", iterations=100)


class Unbounded(Delegating):
    def bounds(self, state: Any) -> Sequence[tuple[float, float]] | None:
        return None


def test_a_large_game_without_bounds_is_refused() -> None:
    rules = Unbounded(hn.load("goofspiel(cards=7,information=open)").played().rules)
    with pytest.raises(UnsuitableError, match="write bounds"):
        hn.search(rules, iterations=10)


class Failing(Stages):
    """Its rules fail after a while."""

    left = 10**6

    def gains(self, state: Any) -> Sequence[float]:
        self.left -= 1
        if self.left < 0:
            raise KeyError("lost")
        return super().gains(state)


def test_the_tree_so_far_is_kept_when_rules_fail() -> None:
    rules = Failing(WC_RM)
    searcher = hn.Searcher(rules, "rm")
    rules.left = 20
    with pytest.raises(RulesError, match=r"node r:\(.,.\)\S*: gains\(\) raised KeyError: 'lost'"):
        searcher.run(10_000)
    assert searcher.nodes > 1
    assert searcher.value is not None
    before, rules.left = searcher.iterations, 10**6
    searcher.run(1000)
    assert searcher.iterations == before + 1000


def test_the_tree_so_far_is_saved_when_a_policy_is_none(tmp_path: Path) -> None:
    path, asked = tmp_path / "search.checkpoint", [0]

    def tired(state: Any, player: int) -> list[float]:
        asked[0] += 1
        return [0.5, 0.5] if asked[0] < 9 else [1.0]

    game = "random_game(depth=3,branching=2,seed=1)"
    with pytest.raises(RulesError, match="should return 2 probabilities"):
        hn.search(game, "rm", iterations=500, rollout=tired, checkpoint=path)
    asked[0] = -(10**6)
    resumed = hn.search(resume=path, rollout=tired, iterations=500)
    whole = hn.search(game, "rm", rollout=tired, iterations=500)
    assert resumed.record() | {"seconds": 0} == whole.record() | {"seconds": 0}


def test_a_checkpoint_is_not_continued_with_other_parameters(tmp_path: Path) -> None:
    path = tmp_path / "search.checkpoint"
    hn.search("biased_rps", "rm", iterations=50, checkpoint=path)
    with pytest.raises(MismatchError, match=r"made with gamma=0\.1, not with gamma=0\.2"):
        hn.search(resume=path, gamma=0.2, iterations=100)
    with pytest.raises(FileError):
        hn.search(resume=tmp_path / "nothing", iterations=100)


class Rarely(hn.Rules):
    """Six joint moves. After four times (1, 1) nobody sees the fifth; everywhere else everybody sees everything."""

    name = "rarely"

    def start(self) -> tuple[tuple[int, int], ...]:
        return ()

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return (0, 1) if len(state) < 6 else -1

    def actions(self, state: Any, player: int) -> Sequence[int]:
        return (0, 1)

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> Any:
        hidden = len(state) == 5 and state[:4] == ((1, 1),) * 4
        return "nothing" if hidden else state[-1:]

    def gains(self, state: Any) -> Sequence[float]:
        won = float(state[5][0] == state[5][1]) if len(state) == 6 else 0.0
        return (won, -won)

    def bounds(self, state: Any) -> Sequence[tuple[float, float]]:
        return ((0.0, 1.0), (-1.0, 0.0))


@pytest.mark.parametrize("tree", ["incremental", "full"])
def test_hidden_information_that_a_few_plays_do_not_show_is_named_on_the_way(
    tree: Literal["incremental", "full"],
) -> None:
    searcher = hn.Searcher(Rarely(), "rm", tree=tree)
    both = r"player . cannot tell (r(:\(1,1\)){4}:\(.,.\)) from (r(:\(1,1\)){4}:\(.,.\))\. Take lp"
    with pytest.raises(UnsuitableError, match=both):
        searcher.run(100_000)
    if tree == "incremental":
        assert searcher.nodes > 100
        assert searcher.value is not None


def test_the_tree_so_far_is_saved_when_information_is_hidden(tmp_path: Path) -> None:
    path = tmp_path / "search.checkpoint"
    with pytest.raises(UnsuitableError, match="cannot tell"):
        hn.search(Rarely(), "rm", iterations=100_000, checkpoint=path)
    with pytest.raises(UnsuitableError, match="cannot tell"):
        hn.search(Rarely(), resume=path, iterations=200_000)


class Listed(Stages):
    """Its states are lists, which have no hash."""

    def start(self) -> Any:
        return []

    def after(self, state: Any, move: Any) -> Any:
        return [*state, move]

    def observe(self, state: Any, player: int) -> Any:
        return tuple(state)


def test_states_need_no_hash() -> None:
    assert hn.search(Listed(WC_RM), "rm", iterations=300).value == hn.search(Stages(WC_RM), "rm", iterations=300).value


class Unlooked(Stages):
    """Its observations cannot be looked up."""

    def observe(self, state: Any, player: int) -> Any:
        return list(state)


def test_an_observation_that_cannot_be_looked_up() -> None:
    with pytest.raises(RulesError, match="cannot be looked up"):
        hn.search(Unlooked(WC_RM), iterations=100)


def test_the_tree_of_another_game_is_refused() -> None:
    searcher = Searcher("goofspiel(cards=3,information=open)", "rm")
    searcher.run(50)
    with pytest.raises(MismatchError, match="other moves"):
        Searcher("goofspiel(cards=4,information=open)", "rm").restore(searcher.state())
