"""The summary of a profile and its export, against plain recursion over the reference's tree."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hannan as hn
from hannan.errors import FileError, HannanError, MismatchError, ParameterError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded as load
from hannan.measures.appraisal import evaluate
from hannan.measures.evaluation import pure
from hannan.measures.tables import COLUMNS, SetRow, export_csv, summary
from hannan.strategies.profile import Profile, random_profile, uniform
from tests.matching import grown, keys_of, plan_of
from tests.plaingames import Alone, Coins, Later, Lottery, Split
from tests.reference import Key, Node, Plan, Tree, values

TOLERANCE = 1e-9
"""Absolute, on utilities of a few units: sums of at most some thousand terms, each rounded at 1e-16."""

EVERY = 10**6

Visit = tuple[float, float, Node, float]
"""A history of a set: everybody's reach, the others' reach, the node, and what the player has by then."""


def visits(tree: Tree, plan: Plan) -> dict[Key, list[Visit]]:
    """List the histories of every information set."""
    found: dict[Key, list[Visit]] = {key: [] for key in tree.menus}

    def walk(node: Node, chance: float, own: tuple[float, ...], earned: tuple[float, ...]) -> None:
        earned = tuple(old + new for old, new in zip(earned, node.gains, strict=True))
        for key in node.keys:
            others = chance * float(np.prod([reach for p, reach in enumerate(own) if p != key[0]]))
            found[key].append((others * own[key[0]], others, node, earned[key[0]]))
        for probability, joint, child in node.moves:
            below = list(own)
            for key, action in zip(node.keys, joint, strict=True):
                below[key[0]] *= plan[key][action]
            walk(child, chance * probability, tuple(below), earned)

    walk(tree.root, 1.0, (1.0,) * tree.players, (0.0,) * tree.players)
    return found


def worth(tree: Tree, plan: Plan, key: Key, histories: list[Visit]) -> float:
    """Return what the player expects in all, given that the set is reached; nothing gained there counts twice."""
    player = key[0]
    total = sum(others for _, others, _, _ in histories)
    later = (
        others * (earned - node.gains[player] + values(Tree(tree.players, node, tree.menus), plan)[player])
        for _, others, node, earned in histories
    )
    return sum(later) / total


def rows_by_key(game: ExpandedGame, rows: tuple[SetRow, ...]) -> Iterator[tuple[Key, SetRow]]:
    for player in range(game.players):
        mine = {row.name: row for row in rows if row.player == player}
        for number, key in enumerate(keys_of(game, player)):
            yield key, mine[game.set_text(player, number)]


def check(game: ExpandedGame, profile: Profile) -> None:
    """Compare every number of every row."""
    tree, plan = grown(game), plan_of(profile)
    found = visits(tree, plan)
    rows = summary(game, profile, EVERY)
    assert len(rows) == len(tree.menus)
    frequencies = [row.frequency for row in rows]
    assert frequencies == sorted(frequencies, reverse=True)
    for key, row in rows_by_key(game, rows):
        histories = found[key]
        assert row.frequency == pytest.approx(sum(reach for reach, *_ in histories), abs=TOLERANCE)
        assert row.reach == pytest.approx(sum(others for _, others, *_ in histories), abs=TOLERANCE)
        if row.reach == 0:
            assert row.value is None
            assert all(action.regret is None for action in row.actions)
            continue
        value = worth(tree, plan, key, histories)
        assert row.value == pytest.approx(value, abs=TOLERANCE)
        for action, row_action in zip(tree.menus[key], row.actions, strict=True):
            assert row_action.probability == plan[key][action]
            pinned = {**plan, key: {other: float(other == action) for other in tree.menus[key]}}
            assert row_action.regret == pytest.approx(worth(tree, pinned, key, histories) - value, abs=TOLERANCE)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    "game",
    [
        "kuhn_poker",
        "kuhn_poker(players=3)",
        "random_game(depth=2,branching=2,chance=2,hidden=true,payoffs=general_sum)",
        "random_game(depth=2,branching=2,utilities=edges,players=3)",
        "goofspiel(cards=3)",
        Coins(),
        Alone(),
        Split(),
        Later(),
    ],
    ids=str,
)
def test_every_number_against_the_reference(game: Any, seed: int) -> None:
    """Joint moves, chance, hidden information, gains on the way, one to three players."""
    found = load(game)
    check(found, random_profile(found, seed))


@given(seed=st.integers(0, 1000), picks=st.integers(0, 2**32 - 1))
def test_sets_that_nobody_leads_to(seed: int, picks: int) -> None:
    """Pure strategies leave sets out: those the player avoids have a value, those the others avoid have none."""
    game = load(f"random_game(depth=2,branching=2,chance=2,seed={seed})")
    draw = np.random.default_rng(picks)
    plexes = game.form.treeplexes
    chosen = [pure(game, p, draw.integers(plex.sizes).astype(np.int32)) for p, plex in enumerate(plexes)]
    check(game, Profile(game, tuple(chosen)))


def test_first_sets_add_up_to_the_value_of_play() -> None:
    """In Kuhn poker every play comes to one first set of each player."""
    drawn = random_profile("kuhn_poker", 3)
    rows = summary("kuhn_poker", drawn, EVERY)
    first = [row for row in rows if row.name in ("J", "Q", "K")]
    assert sum(row.frequency for row in first) == pytest.approx(1)
    total = sum(row.frequency * (row.value or 0.0) for row in first)
    assert total == pytest.approx(evaluate("kuhn_poker", drawn).values[0], abs=TOLERANCE)


def test_nothing_to_regret_at_an_equilibrium() -> None:
    """Where play comes to, no action is better than the mixture by more than the gap over the frequency."""
    result = hn.solve("kuhn_poker", "pcfr+", gap=1e-6)
    for row in summary("kuhn_poker", result.profile, EVERY):
        for action in row.actions:
            assert action.regret is not None
            assert row.frequency * action.regret <= 1e-6 + 1e-12


def test_a_few_rows_are_the_first_of_all() -> None:
    drawn = random_profile("leduc_poker", 1)
    assert summary("leduc_poker", drawn, 7) == summary("leduc_poker", drawn, EVERY)[:7]
    assert len(summary("leduc_poker", drawn)) == 20
    assert summary("leduc_poker", drawn, 0) == ()


def test_a_game_without_choices() -> None:
    assert summary(Lottery(), uniform(load(Lottery()))) == ()


def test_locked_games_are_shown_whole() -> None:
    """The profile of the locked game and the lifted one say the same."""
    locked = hn.lock("kuhn_poker", {0: {"J": {"p": 1.0, "b": 0.0}}})
    free = random_profile(locked, 2)
    rows = summary(locked, free, EVERY)
    assert rows == summary("kuhn_poker", locked.lift(free), EVERY)
    jack = next(row for row in rows if row.player == 0 and row.name == "J")
    assert [action.probability for action in jack.actions] == [1.0, 0.0]


@pytest.mark.parametrize("most", [-1, 1.5, True, "3"])
def test_how_many_is_checked(most: Any) -> None:
    with pytest.raises(ParameterError, match="most="):
        summary("kuhn_poker", uniform("kuhn_poker"), most)


def test_what_is_paid_later_counts_as_if_paid_at_once() -> None:
    """By hand: where player 0 chose 1 and player 1 answers evenly, player 1 pays 1 + 1 and half of the time 1 more."""
    game = load(Later())
    assert game.form.total == 0
    row = next(row for row in summary(game, uniform(game)) if row.player == 1 and row.name == "(1,)")
    assert row.value == -2.5
    assert [action.regret for action in row.actions] == [0.5, -0.5]


@pytest.mark.parametrize("thing", [None, 5.0, ()])
def test_what_is_no_profile(thing: Any, tmp_path: Path) -> None:
    with pytest.raises(HannanError, match="strategy"):
        summary("kuhn_poker", thing)
    with pytest.raises(ParameterError, match="is not a strategy"):
        export_csv(thing, tmp_path / "x.csv")


def test_a_profile_of_another_game_is_refused() -> None:
    with pytest.raises(MismatchError, match="leduc_poker"):
        summary("leduc_poker", uniform("kuhn_poker"))


def test_export(tmp_path: Path) -> None:
    """A line for each action, numbers that read back to the same bits."""
    drawn = random_profile("kuhn_poker", 5)
    path = tmp_path / "kuhn.csv"
    export_csv(drawn, path)
    with path.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    assert tuple(header) == COLUMNS
    rows = {(row.player, row.name): row for row in summary("kuhn_poker", drawn, EVERY)}
    assert len(lines) == sum(len(row.actions) for row in rows.values())
    for player, name, action, *numbers in lines:
        row = rows[int(player), name]
        of = next(found for found in row.actions if found.action == action)
        assert [float(number) for number in numbers] == [
            of.probability, row.reach, row.frequency, row.value, of.regret
        ]  # fmt: skip


def test_export_leaves_out_what_means_nothing(tmp_path: Path) -> None:
    """Player 0 never bets, so player 1's answers to a bet are never asked for."""
    passive = hn.lock("kuhn_poker", {0: {card: {"p": 1.0} for card in "JQK"}})
    export_csv(uniform(passive), tmp_path / "passive.csv")
    lines = (tmp_path / "passive.csv").read_text(encoding="utf-8").splitlines()
    assert "1,Jb,p,0.5,0.0,0.0,," in lines


def test_export_into_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        export_csv(uniform("kuhn_poker"), tmp_path / "nowhere" / "x.csv")
    assert not list(tmp_path.iterdir())
