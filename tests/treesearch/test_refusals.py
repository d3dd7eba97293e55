"""What exact search does not take, and what it says then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import hannan as hn
from hannan.errors import ParameterError, RulesError, UnsuitableError
from hannan.forms.loader import load_expanded
from tests.plaingames import Alone, Coins, Split
from tests.treesearch.positions import Plainly, Unbounded
from tests.treesearch.test_backward import METHODS, solved, value


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("game", "sentence"),
    [
        ("kuhn_poker", r"player \d cannot tell r:\w:\w\S* from r:\w:\w\S*\. Take lp"),
        ("goofspiel(cards=3)", r"cannot tell r:\$\d:\(\d,\d\)\S* from r:\$\d:\(\d,\d\)\S*\. Take lp"),
        ("random_game(depth=3,hidden=true)", r"cannot tell r:\(\d,\d\)"),
        (Coins(), r"player 1 cannot tell r:H:h from r:T:h|player 1 cannot tell r:[HT]:[ht] from r:[HT]:[ht]"),
        (Split(), r"cannot tell r:\(\d,\d\) from r:\(\d,\d\)"),
    ],
)
def test_hidden_information_is_named_with_both_paths(method: str, game: Any, sentence: str) -> None:
    with pytest.raises(UnsuitableError, match=sentence):
        solved(method, game, bounds=(-20, 20))


class Late(Plainly):
    """An open game but for one corner: after the first player's highest bid nobody sees the second round."""

    def observe(self, state: Any, player: int) -> Any:
        rounds = bin(state[3]).count("1")
        lowest = state[3] & 1
        return 0 if rounds == 1 and lowest else self.rules.observe(state, player)


@pytest.mark.parametrize("method", METHODS)
def test_hidden_information_is_found_at_the_nodes_visited(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no play looks for it, the search still does."""
    monkeypatch.setattr("hannan.treesearch.backward.look_for_hidden", lambda *_: None)
    rules = load_expanded("goofspiel(cards=3,information=open,order=descending)").rules
    with pytest.raises(UnsuitableError, match=r"cannot tell r:\(\d,\d\):\(\d,\d\) from r:\(\d,\d\):\(\d,\d\)"):
        solved("bi", Late(rules))
    with pytest.raises(UnsuitableError, match="cannot tell r:"):
        solved(method, "goofspiel(cards=3)", table=False)


class Forgetful(Plainly):
    """Looks hidden, and is not: what differs between two histories of a set does not matter any more."""

    def observe(self, state: Any, player: int) -> Any:
        return (state[0], state[1], state[3], state[6], state[4] - state[7])


@pytest.mark.parametrize("method", METHODS)
def test_histories_with_one_position_are_no_secret(method: str) -> None:
    rules = Forgetful(load_expanded("goofspiel(cards=4,information=open,order=descending)").rules)
    assert value(method, rules) == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_other_kinds_of_games(method: str) -> None:
    with pytest.raises(UnsuitableError, match=r"add up to \S+ at one end of play and to \S+ at r:"):
        solved(method, "prisoners_dilemma")
    with pytest.raises(UnsuitableError, match="has 3 players; take cfr"):
        solved(method, "goofspiel(players=3,information=open)")
    with pytest.raises(UnsuitableError, match="do not take locks; full-width methods"):
        solved(method, hn.lock("biased_rps", {0: {0: [1.0, 0.0, 0.0]}}))
    with pytest.raises(UnsuitableError, match="has 1 players"):
        solved(method, Alone())


def test_what_needs_bounds_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hannan.forms.loader.is_small", lambda rules: False)
    rules = Unbounded(load_expanded("goofspiel(cards=3,information=open,order=descending)").rules)
    for method in ("bi-ab", "do-ab"):
        with pytest.raises(UnsuitableError, match=rf"{method} needs to know .*--bounds LOW,HIGH"):
            solved(method, rules)
        assert value(method, rules, bounds=(-6, 6)) == pytest.approx(0, abs=1e-10)
    with pytest.raises(UnsuitableError, match="without a depth limit"):
        solved("bi", rules, depth=1)
    for method in ("bi", "do"):
        assert value(method, rules) == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_bounds_that_are_wrong(method: str) -> None:
    rules = load_expanded("goofspiel(cards=3,information=open,order=descending)").rules
    with pytest.raises(RulesError, match=r"node r:.*bounds"):
        solved(method, rules, bounds=(-0.5, 0.5))
    with pytest.raises(RulesError, match=r"node r:.*(bounds that were given|no number lies in both)"):
        solved(method, Unbounded(rules), bounds=(5, 6))


class Crossed(Plainly):
    """Bounds that leave nothing after the first round."""

    def bounds(self, state: Any) -> Sequence[tuple[float, float]]:
        return [(-6.0, 6.0)] * 2 if state[8] == 0 and state[5] == 0 and state[2] == 0 else [(7.0, 8.0)] * 2


def test_bounds_of_rules_that_cross() -> None:
    rules = load_expanded("goofspiel(cards=3,information=open,order=descending)").rules
    with pytest.raises(RulesError, match=r"node r:\(\d,\d\): the bounds here contradict"):
        solved("do-ab", Crossed(rules))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"at": "(9,9)"}, r"at the start, '\(9,9\)' is not a legal move"),
        ({"at": "(1,2):up"}, r"after r:\(1,2\), 'up' is not a legal move"),
        ({"at": "(1,2):(2,1):(3,3):(1,1)"}, "play is over there"),
        ({"bounds": (2, 1)}, "LOW,HIGH"),
        ({"bounds": "a,b"}, "LOW,HIGH"),
        ({"depth": 0}, "depth=0 is out of range"),
        ({"memory_limit": True}, "memory_limit"),
        ({"table": 1}, "table=1 should be true or false"),
    ],
)
def test_parameters_out_of_range(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        solved("do-ab", "goofspiel(cards=3,information=open,order=descending)", **parameters)
