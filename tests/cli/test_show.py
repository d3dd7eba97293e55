"""`hannan show`: a strategy set by set."""

from __future__ import annotations

from typing import Any

import pytest

import hannan as hn

LARGE = "goofspiel(cards=13)"


def test_sets_are_those_of_the_profile(hannan: Any) -> None:
    profile = hn.random_profile("leduc_poker", seed=3)
    hn.save(profile, "r.strategy")
    shown = hannan("show", "leduc_poker", "r.strategy", "--top", "10000", "--json").record
    form = profile.game.form
    assert shown["shown"] == len(shown["sets"]) == sum(plex.sets for plex in form.treeplexes)
    for row in shown["sets"]:
        told = {action["action"]: action["probability"] for action in row["actions"]}
        assert told == profile.at(row["player"], row["name"])
    frequencies = [row["frequency"] for row in shown["sets"]]
    assert frequencies == sorted(frequencies, reverse=True)


def test_regrets_are_what_changing_the_strategy_gains(hannan: Any) -> None:
    """At the first choice of player 0 in Kuhn poker, which is come to in a third of all plays."""
    profile = hn.random_profile("kuhn_poker", seed=5)
    hn.save(profile, "r.strategy")
    (row,) = hannan("show", "kuhn_poker", "r.strategy", "Q", "--json").record["sets"]
    before = hn.evaluate("kuhn_poker", profile).values[0]
    for action in row["actions"]:
        after = hn.evaluate("kuhn_poker", profile.with_({0: {"Q": {action["action"]: 1}}})).values[0]
        assert action["regret"] == pytest.approx(3 * (after - before), abs=1e-12)


def test_names_patterns_paths_and_players(hannan: Any) -> None:
    def names(*words: str) -> list[tuple[int, str]]:
        sets = hannan("show", "kuhn_poker", "uniform", *words, "--json").record["sets"]
        return [(row["player"], row["name"]) for row in sets]

    assert names("J*", "--player", "1") == [(1, "Jp"), (1, "Jb")]
    assert set(names("J*")) == {(0, "J"), (0, "J p Jpb"), (1, "Jp"), (1, "Jb")}
    assert names("r:J:Q:p") == [(1, "Qp")]
    assert names("K", "K", "Q") == [(0, "K"), (0, "Q")]
    assert len(names("--top", "3")) == 3


@pytest.mark.slow
def test_a_policy_is_shown_by_the_sets_that_plays_come_to(hannan: Any) -> None:
    solver = hn.methods.OutcomeSampling(LARGE, over="rules")
    solver.run(300)
    hn.save(solver.policy(), "p.strategy")
    shown = hannan("show", LARGE, "p.strategy", "--top", "7", "--json").record["sets"]
    assert len(shown) == 7
    assert all(row["reach"] is None and row["actions"][0]["regret"] is None for row in shown)
    some = hannan("show", LARGE, "p.strategy", "$1?", "--player", "0", "--json").record["sets"]
    assert {row["name"] for row in some} == {"$10", "$11", "$12", "$13"}
    assert "estimated from 1,000 plays" in hannan("show", LARGE, "p.strategy").out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("kuhn_poker", "uniform", "X*"), "no information set of player 0 matches 'X*'"),
        (("kuhn_poker", "uniform", "X"), "player 0 has no information set 'X'"),
        (("kuhn_poker", "uniform", "--top", "0"), "top"),
        (("kuhn_poker", "uniform", "--player", "2"), "player"),
        (("kuhn_poker", "nothing.strategy"), "nothing.strategy"),
        ((LARGE, "uniform", "nowhere"), "plays came to no set like nowhere"),
    ],
)
def test_refusals(hannan: Any, words: tuple[str, ...], sentence: str) -> None:
    ran = hannan("show", *words)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err


def test_the_table_says_how_many_there_are(hannan: Any) -> None:
    assert "kuhn_poker: 12 information sets\n" in hannan("show", "kuhn_poker", "uniform").out
    assert "leduc_poker: 5 information sets of 936" in hannan("show", "leduc_poker", "uniform", "--top", "5").out
