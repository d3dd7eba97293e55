"""The tree, information sets, grids and comparisons against the public functions and plain recursion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.rules.paths import moves_at
from tests.web.client import Interface, opened

TIGHT = 1e-12
"""Both sides add the same few numbers in another order."""


class Scripts(hn.Rules):
    """A game whose names are markup."""

    name = "<script>alert(1)</script>"
    players = 1

    def start(self) -> str:
        return ""

    def turn(self, state: str) -> int:
        return hn.END if state else 0

    def actions(self, state: str, player: int) -> list[str]:
        return ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>"]

    def after(self, state: str, move: Any) -> str:
        return str(move)

    def observe(self, state: str, player: int) -> str:
        return "</script><b>"

    def gains(self, state: str) -> tuple[float, ...]:
        return (float(len(state)),)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interface]:
    folder = tmp_path_factory.mktemp("views")
    profile = hn.random_profile("kuhn_poker", seed=3)
    hn.save(profile, folder / "kuhn.strategy")
    with opened(folder, "kuhn_poker", "leduc_poker", "goofspiel(cards=3)", Scripts()) as interface:
        interface.send("/strategies", {"file": "kuhn.strategy"}, status=201)  # s5
        interface.settled()
        yield interface


def expected(rules: Any, profile: hn.Profile, state: Any, way: dict[int, list[Any]]) -> np.ndarray:
    """What each player gains from a history on, by recursion over the rules."""
    total = np.array(rules.gains(state), float)
    turn = rules.turn(state)
    if turn == hn.END:
        return total
    moves = moves_at(rules, state)
    if turn == hn.CHANCE:
        odds = [chance for _, chance in rules.chance(state)]
        return total + sum(
            p * expected(rules, profile, rules.after(state, m), way) for p, (m, _) in zip(odds, moves, strict=True)
        )
    seen = [*way.get(turn, []), rules.observe(state, turn)]
    plays = list(profile.distribution(turn, *seen).values())
    return total + sum(
        p * expected(rules, profile, rules.after(state, m), {**way, turn: [*seen, m]})
        for p, (m, _) in zip(plays, moves, strict=True)
    )


def test_the_root_is_worth_what_evaluate_says(page: Interface) -> None:
    profile = hn.random_profile("kuhn_poker", seed=3)
    exact = hn.evaluate(profile)
    root = page.ask("/games/g1/node", strategy="s5")
    told = page.ask("/strategies/s5/evaluation")
    assert root["utilities"] == pytest.approx(exact.values, abs=TIGHT)
    assert (root["reach"], root["kind"], root["moves"]["total"]) == (1.0, "chance", 3)
    assert told["nash_conv"] == pytest.approx(exact.nash_conv, abs=TIGHT)
    assert told["gains"] == pytest.approx(exact.gains, abs=TIGHT)


def test_every_history_of_kuhn_poker_is_worth_what_recursion_finds(page: Interface) -> None:
    profile = hn.random_profile("kuhn_poker", seed=3)
    rules = profile.game.rules

    def walk(path: str, state: Any, way: dict[int, list[Any]], before: np.ndarray, reach: float) -> int:
        node = page.ask("/games/g1/node", path=path, strategy="s5")
        worth = before + expected(rules, profile, state, way)
        assert node["utilities"] == pytest.approx(worth.tolist(), abs=TIGHT)
        assert node["reach"] == pytest.approx(reach, abs=TIGHT)
        turn, count = rules.turn(state), 1
        for (move, label), item in zip(moves_at(rules, state), node["moves"]["items"], strict=True):
            assert (item["label"], item["path"]) == (label, f"{path}.{item['index']}".lstrip("."))
            after = way
            if isinstance(turn, int) and turn >= 0:
                seen = [*way.get(turn, []), rules.observe(state, turn)]
                after = {**way, turn: [*seen, move]}
                assert item["probability"] == pytest.approx(profile.distribution(turn, *seen)[label], abs=TIGHT)
            gained = before + np.array(rules.gains(state), float)
            count += walk(item["path"], rules.after(state, move), after, gained, reach * item["probability"])
        return count

    assert walk("", rules.start(), {}, np.zeros(2), 1.0) == 58


def test_a_set_tells_what_each_action_is_worth(page: Interface) -> None:
    """By hand, at uniform play: with the jack, a pass earns -5/4 after a bet half of the time; a bet earns -1/2."""
    uniform = page.ask("/strategies/s1/sets", pattern="J", player=0, sort="number")
    jack = next(item for item in uniform["items"] if item["name"] == "J")
    # pass: the other passes (lose 1) or bets, then fold (lose 1) or call (lose 2): -1/2 - 1/2 * 3/2 = -5/4
    # bet: the other folds (win 1) or calls (lose 2): -1/2
    assert {one["label"]: one["value"] for one in jack["actions"]} == pytest.approx({"p": -1.25, "b": -0.5})
    assert jack["value"] == pytest.approx(-0.875)
    assert jack["regret"] == pytest.approx(0.375)
    assert (jack["reach"], jack["entropy"]) == (pytest.approx(1 / 3), pytest.approx(1.0))
    detail = page.ask(f"/strategies/s1/sets/0/{jack['number']}")
    assert (detail["histories"], detail["cell"]) == (2, {"row": "J", "column": "", "label": "J"})
    node = page.ask("/games/g1/node", path=detail["path"], strategy="s1")
    assert node["sets"][0]["name"] == "J"
    assert [one["regret"] for one in node["moves"]["items"]] == pytest.approx([-0.375, 0.375])


@pytest.mark.parametrize("sort", ["frequency", "reach", "regret", "entropy", "value", "name", "number"])
def test_lists_are_sorted_filtered_and_paged(page: Interface, sort: str) -> None:
    whole = page.ask("/strategies/s2/sets", sort=sort, limit=500)
    rest = page.ask("/strategies/s2/sets", sort=sort, limit=500, offset=500)
    items = whole["items"] + rest["items"]
    assert whole["total"] == len(items) == 936
    assert len({item["key"] for item in items}) == 936
    keys = [item["name"] if sort == "name" else item[sort] for item in items]
    if sort in ("name", "number"):
        for player in (0, 1):
            mine = [key for key, item in zip(keys, items, strict=True) if item["player"] == player]
            assert mine == sorted(mine)
    else:
        assert keys == sorted(keys, reverse=True)
    some = page.ask("/strategies/s2/sets", sort=sort, pattern="Q*/K*", player=1, limit=500)
    meant = [item["key"] for item in items if item["player"] == 1 and item["name"][0] == "Q" and "/K" in item["name"]]
    assert [item["key"] for item in some["items"]] == meant
    assert page.ask("/strategies/s2/sets", sort=sort, offset=930)["items"] == items[930:]


def test_numbers_of_sets_are_those_of_summary(page: Interface) -> None:
    profile = hn.random_profile("kuhn_poker", seed=3)
    rows = {(row.player, row.name): row for row in hn.summary(profile, most=100)}
    for item in page.ask("/strategies/s5/sets")["items"]:
        row = rows.pop((item["player"], item["name"]))
        assert (item["reach"], item["frequency"], item["value"]) == (row.reach, row.frequency, row.value)
        assert {one["label"]: one["probability"] for one in item["actions"]} == profile.at(row.player, row.name)
        assert item["regret"] == pytest.approx(max(action.regret or 0.0 for action in row.actions), abs=TIGHT)
    assert not rows


def test_joint_moves_are_a_matrix(page: Interface) -> None:
    root = page.ask("/games/g3/node", strategy="s3")
    node = page.ask("/games/g3/node", path="0", strategy="s3", limit=2)
    matrix = node["matrix"]
    assert (root["kind"], node["kind"], node["movers"], node["moves"]["total"]) == ("chance", "joint", [0, 1], 9)
    assert [[cell["index"] for cell in row] for row in matrix["cells"]] == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert len(node["moves"]["items"]) == 2
    assert all(cell["probability"] == pytest.approx(1 / 9) for row in matrix["cells"] for cell in row)
    worth = np.array([[cell["utilities"][0] for cell in row] for row in matrix["cells"]])
    assert worth.mean() == pytest.approx(node["utilities"][0], abs=TIGHT)
    assert [row["value"] for row in matrix["rows"]] == pytest.approx(worth.mean(axis=1).tolist(), abs=TIGHT)


def test_a_drawing_loads_as_it_goes_and_joins_the_histories_of_a_set(page: Interface) -> None:
    part = page.ask("/games/g1/subtree", depth=3, strategy="s1")
    by_path = {node["path"]: node for node in part["nodes"]}
    assert len(part["nodes"]) == 1 + 3 + 6 + 12
    assert all(node["parent"] in by_path for node in part["nodes"][1:])
    jack = next(one for one in part["sets"] if one["player"] == 0 and one["name"] == "J")
    assert sorted(jack["paths"]) == ["0.0", "0.1"]
    assert by_path["0.0.1"]["shown"] == 0
    assert by_path["0.0.1"]["children"] == 2
    below = page.ask("/games/g1/subtree", path="0.0.1", depth=2, strategy="s1")
    assert [node["kind"] for node in below["nodes"]] == ["decision", "end", "end"]
    root = below["nodes"][0]
    assert (root["parent"], root["label"], root["index"], root["probability"]) == ("0.0", "b", 1, 0.5)
    assert page.ask("/games/g1/subtree", breadth=1, depth=1)["nodes"][0]["shown"] == 1


def test_sets_are_found_by_name_part_pattern_and_path(page: Interface) -> None:
    for text, names in (("J", "J"), ("J*", "J"), ("r:J:Q", "J"), ("r", None)):
        found = page.ask("/games/g1/find", text=text, player=0)
        assert (found["items"][0]["name"] if names else found["total"]) == (names or 0)
    for item in page.ask("/games/g2/find", text="Qs*", limit=20)["items"]:
        assert page.ask("/games/g2/node", path=item["path"])["sets"][0]["key"] == item["key"]


def test_grids_have_a_row_for_each_card(page: Interface) -> None:
    grid = page.ask("/strategies/s1/grid", player=1)
    assert (grid["rows"], grid["columns"], grid["actions"]) == (["J", "Q", "K"], ["p", "b"], ["p", "b"])
    assert [[cell["label"] for cell in row] for row in grid["cells"]] == [[f"{c}p", f"{c}b"] for c in "JQK"]
    leduc = page.ask("/strategies/s2/grid", limit=100)
    assert leduc["rows"] == ["Js", "Jh", "Qs", "Qh", "Ks", "Kh"]
    places = {cell["key"] for row in leduc["cells"] for cell in row if cell is not None}
    assert len(places) == 468  # every set of player 0 has a place of its own
    assert page.refused("/strategies/s3/grid")[:2] == (400, "UnsuitableError")


def test_two_strategies_are_compared_set_by_set(page: Interface) -> None:
    told = page.ask("/compare", a="s1", b="s5")
    one, other = hn.uniform("kuhn_poker"), hn.random_profile("kuhn_poker", seed=3)
    assert told["values"]["difference"] == pytest.approx(
        [b - a for a, b in zip(hn.values(one), hn.values(other), strict=True)], abs=TIGHT
    )
    distances = []
    for item in told["items"]:
        a, b = one.at(item["player"], item["name"]), other.at(item["player"], item["name"])
        distances.append(sum(abs(a[name] - b[name]) for name in a) / 2)
        assert item["variation"] == pytest.approx(distances[-1], abs=TIGHT)
    assert distances == sorted(distances, reverse=True)
    assert page.refused("/compare", a="s1", b="s2")[:2] == (400, "MismatchError")


def test_names_that_are_markup_stay_text(page: Interface) -> None:
    node = page.client.get("/api/v1/games/g4/node?strategy=s4")
    assert node.headers["content-type"] == "application/json"
    assert [one["label"] for one in node.json()["moves"]["items"]] == Scripts().actions("", 0)
    assert page.ask("/games/g4")["address"] == Scripts.name


def test_what_is_not_there_is_said_in_one_shape(page: Interface) -> None:
    for path, status, kind in (
        ("/games/g99", 404, "NotFound"),
        ("/nothing", 404, "NotFound"),
        ("/games/g1/node?path=9", 400, "UnknownNameError"),
        ("/games/g1/node?path=x", 400, "UnknownNameError"),
        ("/games/g1/node?path=0.0.0.0.0.0.0", 400, "UnknownNameError"),
        ("/games/g1/node?strategy=s2", 400, "MismatchError"),
        ("/strategies/s1/sets?limit=501", 422, "Form"),
        ("/strategies/s1/sets?sort=colour", 400, "ParameterError"),
        ("/strategies/s1/sets?player=2", 400, "ParameterError"),
        ("/strategies/s1/sets/0/99", 400, "UnknownNameError"),
        ("/strategies/s1/public", 400, "UnsuitableError"),
    ):
        assert page.refused(path)[:2] == (status, kind), path
    assert page.client.put("/api/v1/session", json={}).status_code == 405
