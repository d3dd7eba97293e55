"""A person at a table: the plays, costs and scores of the same code as `hannan play`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import hannan as hn
from hannan.runs.sitting import Sitting, Situation, opponents
from tests.web.client import Interface, opened


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interface]:
    with opened(tmp_path_factory.mktemp("play"), "kuhn_poker", "goofspiel(cards=3)") as interface:
        yield interface


def test_plays_are_those_of_a_sitting_with_the_same_seed(page: Interface) -> None:
    game = hn.load("kuhn_poker").stepped()

    def bold(situation: Situation) -> int:
        return situation.actions.index("b")

    sitting = Sitting(game, opponents(game, [hn.uniform("kuhn_poker")]), bold, seed=7)
    wanted = [sitting.play() for _ in range(6)]
    table = page.send("/tables", {"game": "g1", "strategy": "s1", "seed": 7}, status=201)
    for number, play in enumerate(wanted, 1):
        assert (table["play"], table["seat"]) == (number, play.seat)
        while table["state"] == "choosing":
            assert table["moves"] is None
            assert all(one["cost"] is None for one in table["choices"])
            table = page.send(f"/tables/{table['id']}/act", {"action": 1}, status=200)
        assert table["moves"] == list(play.moves)
        assert table["earned"] == play.earned
        assert [one["cost"] for one in table["choices"]] == [choice.cost for choice in play.choices]
        assert page.send(f"/tables/{table['id']}/act", {"action": 1})["kind"] == "State"
        last, table = table, page.send(f"/tables/{table['id']}/next", status=200)
    score = sitting.score
    assert (last["score"]["plays"], last["score"]["total"], last["score"]["cost"]) == (6, score.total, score.cost)
    listed = page.ask(f"/tables/{table['id']}/plays", limit=2)
    assert (listed["total"], [one["number"] for one in listed["items"]]) == (6, [6, 5])


def test_a_choice_costs_what_the_best_action_gains_more(page: Interface) -> None:
    """At uniform play, with the jack: a pass earns -5/4 and a bet -1/2, so that a pass costs 3/4 (by hand)."""
    for seed in range(20):
        table = page.send("/tables", {"game": "g1", "strategy": "s1", "seat": 0, "seed": seed})
        if table["seen"] == "J":
            break
    while table["state"] == "choosing":
        table = page.send(f"/tables/{table['id']}/act", {"action": 0})
    first = table["choices"][0]
    assert (first["seen"], first["action"], first["best"]) == ("J", "p", "b")
    assert first["cost"] == pytest.approx(0.75)


def test_hints_are_the_strategy_and_a_play_that_is_given_up_does_not_count(page: Interface) -> None:
    table = page.send("/tables", {"game": "g2", "strategy": "s2", "seat": 1, "seed": 1})
    hint = page.ask(f"/tables/{table['id']}/hint")["actions"]
    assert [one["label"] for one in hint] == ["1", "2", "3"]
    assert [one["probability"] for one in hint] == pytest.approx([1 / 3] * 3)
    again = page.send(f"/tables/{table['id']}/next")
    assert (again["play"], again["score"]["plays"]) == (1, 0)
    assert page.send(f"/tables/{table['id']}/act", {"action": 9})["kind"] == "NotFound"
    page.send(f"/tables/{table['id']}", method="DELETE", status=204)
    assert page.refused(f"/tables/{table['id']}")[:2] == (404, "NotFound")


@pytest.mark.parametrize(
    "body", [{"strategy": "s2"}, {"strategy": "s1", "seat": 2}, {"strategy": "s1", "seat": -1}, {"strategy": "s9"}]
)
def test_a_table_is_for_a_seat_of_the_game_and_a_strategy_of_it(page: Interface, body: dict[str, object]) -> None:
    answer = page.client.post("/api/v1/tables", json={"game": "g1", **body})
    assert answer.status_code in (400, 404)
