"""The sequence form made from rules equals, array by array and bit by bit, the one that a tree of histories gives."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hannan as hn
from hannan.arrays import Floats, Ints
from hannan.errors import RulesError, SizeError
from hannan.forms import descent, folded, payoff_runs, subtrees, survey
from hannan.forms.folded import fold
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded as load
from hannan.forms.tree import GameTree
from hannan.forms.walks import watching
from hannan.games import catalogue
from hannan.rules.compiled import bits
from hannan.rules.plain import CHANCE, END, Rules
from tests.delegating import Delegating
from tests.forms.test_expansion import Wide
from tests.forms.test_tree import RANDOM
from tests.plaingames import Alone, Coins, Lottery, Over, Split

SMALL = [
    "battleship(shots=2)", "battleship(width=1,height=3,ship_sizes=[1],allow_repeated_shots=false)", "biased_rps",
    "chicken", "goofspiel(cards=3)", "goofspiel(cards=3,information=open)", "goofspiel(cards=2,players=3)",
    "identical_interest", "kuhn_poker", "kuhn_poker(players=3)", "leduc_poker", "leduc_poker(ranks=2,suits=3)",
    "leduc_poker(merge_suits=true)", "liars_dice(faces=3)", "liars_dice(faces=2,dice=2)", "matching_pennies",
    "matrix_game(payoffs=[[1,-2,3],[0.1,5,0]])", "oshi_zumo(coins=4)", "prisoners_dilemma",
    "pursuit_evasion(moves=2)", "random_game(chance=2,hidden=true)", "rock_paper_scissors", "shapley",
    "sheriff(rounds=2)", "single_player", "tic_tac_toe", "tron", "holdem(oop=AA,ip='KK,QQ:0.5',rake=0.05)",
    "rhode_island(ranks=4,suits=1,most_raises=0)", "flop_holdem(ranks=7,suits=1,most_raises=0)",
]  # fmt: skip
"""One or more of every game of the catalogue that is small enough for Python to fold."""


def folded_from(tree: GameTree) -> tuple[Ints, Floats]:
    """Fold the histories of a tree, one after another in their order, into sorted entries and their payoffs."""
    rows = 1 if tree.players == 2 and tree.total == 0.0 else tree.players
    last, reach = np.zeros((tree.nodes, tree.players), np.int64), np.ones(tree.nodes)
    gains = dict(zip(tree.gain_node.tolist(), tree.gain.tolist(), strict=True))
    entries: dict[tuple[int, ...], list[float]] = {}
    for node in range(tree.nodes):
        if node in gains:
            totals = entries.setdefault(tuple(last[node].tolist()), [0.0] * rows)
            for row in range(rows):
                totals[row] += gains[node][row] * float(reach[node])
        sets = tree.slots[tree.slot_begin[node] : tree.slot_begin[node + 1]]
        first = int(tree.children[node])
        for child in range(first, int(tree.children[node + 1])):
            reach[child], last[child] = reach[node] * tree.probability[child], last[node]
            rest = child - first
            for player, j in reversed(list(zip(bits(int(tree.turn[node])), sets.tolist(), strict=True))):
                begin = tree.treeplexes[player].begin
                rest, last[child, player] = divmod(rest, int(begin[j + 1] - begin[j]))
                last[child, player] += begin[j]
    keys = sorted(key for key, totals in entries.items() if any(totals))
    sequences = np.array(keys, np.int32).reshape(-1, tree.players).T
    return sequences, np.array([entries[key] for key in keys]).reshape(-1, rows).T


def check(rules: Rules | str) -> None:
    """Compare every array of the form with the tree's; payoffs to the last bit."""
    game = load(rules)
    folded, tree = fold(game.rules), game.tree
    for ours, theirs in zip(folded.form.treeplexes, tree.treeplexes, strict=True):
        for name, array in vars(theirs).items():
            if isinstance(array, np.ndarray):
                np.testing.assert_array_equal(getattr(ours, name), array, err_msg=name)
                assert getattr(ours, name).dtype == array.dtype
    sequences, payoffs = folded_from(tree)
    np.testing.assert_array_equal(folded.form.sequences, sequences)
    assert folded.form.payoffs.tobytes() == np.ascontiguousarray(payoffs).tobytes()
    assert folded.form.total == tree.total
    assert folded.labels == tree.labels
    sizes, counts = folded.sizes, tree.counts
    assert (sizes.lowest, sizes.highest) == (tuple(tree.lowest.tolist()), tuple(tree.highest.tolist()))
    names = ("histories", "terminal", "chance", "decision", "joint", "serialised")
    assert {name: getattr(sizes, name) for name in names} == counts
    assert (sizes.slots, sizes.gainful, sizes.depth) == (
        len(tree.slots),
        len(tree.gain_node),
        len(tree.depth_begin) - 2,
    )


class Uneven(Rules):
    """Both choose in secret, then chance pays in rounds, as many as it likes: one pair of sequences is paid at
    several depths, the deeper ones first, with numbers whose sum depends on the order."""

    players = 2

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> int | tuple[int, ...]:
        if len(state) < 2:
            return len(state)
        return END if len(state) > 2 and (state[-1] == "stop" or len(state) == 6) else CHANCE

    def actions(self, state: Any, player: int) -> Sequence[Hashable]:
        return ("a", "b", "c")

    def observe(self, state: Any, player: int) -> Hashable:
        return player

    def chance(self, state: Any) -> Sequence[tuple[Any, float]]:
        return [("more", 0.3), ("again", 0.3), ("stop", 0.4)]

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def gains(self, state: Any) -> Sequence[float]:
        if len(state) < 3:
            return (0.0, 0.0)
        gain = 0.1 * len(state) + (0.7 if state[0] == state[1] else -1.0 / 3.0) * state.count("again")
        return (gain, -gain) if state[0] != "c" else (gain, 0.3 * gain)


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut everything small: nothing is noted on the first walk, runs are merged all the time, subtrees are many.

    Walks begin with room for a single move.
    """
    monkeypatch.setattr(folded, "NOTED", 1)
    monkeypatch.setattr(survey, "SHALLOW", 1)
    for module in (descent, payoff_runs, subtrees):
        monkeypatch.setattr(module, "LONGEST", 7)
    monkeypatch.setattr(subtrees, "SUBTREES", 5)


def test_every_game_of_the_catalogue_is_here() -> None:
    assert {catalogue.parse(address)[0] for address in SMALL} == {entry.name for entry in catalogue.entries()}


@pytest.mark.slow
@pytest.mark.parametrize("address", SMALL)
def test_built_in_games(address: str) -> None:
    check(address)


@pytest.mark.slow
@pytest.mark.parametrize("address", SMALL)
@pytest.mark.usefixtures("cut")
def test_built_in_games_by_a_second_walk(address: str) -> None:
    if load(address).sizes.histories < 10_000:
        check(address)


@settings(max_examples=20)
@given(address=RANDOM)
def test_random_games(address: str) -> None:
    check(address)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(address=RANDOM, plain=st.booleans())
@pytest.mark.usefixtures("cut")
def test_random_games_by_a_second_walk(address: str, plain: bool) -> None:
    rules = load(address).rules
    check(Delegating(rules) if plain else rules)


@pytest.mark.parametrize(
    "rules", [Coins(), Over(), Lottery(), Alone(), Split(), Uneven()], ids=lambda r: type(r).__name__
)
def test_plain_rules(rules: Rules, request: pytest.FixtureRequest) -> None:
    check(rules)
    request.getfixturevalue("cut")
    check(rules)


def test_the_order_of_additions_matters_in_that_game() -> None:
    """Else the test above would not show that the order is kept: added up backwards, some payoff has other bits."""
    tree, form = load(Uneven()).tree, load(Uneven()).form
    backwards = np.zeros_like(form.payoffs)
    last: dict[int, tuple[tuple[int, int], float]] = {}
    for node in range(tree.nodes):
        (first, second), reach = last[int(tree.parent[node])] if node else ((0, 0), 1.0)
        if node and tree.turn[tree.parent[node]] > 0:
            k = node - int(tree.children[tree.parent[node]]) + 1
            first, second = (k, second) if tree.turn[tree.parent[node]] == 1 else (first, k)
        last[node] = ((first, second), reach * float(tree.probability[node]))
    place = {(pair[0], pair[1]): k for k, pair in enumerate(form.sequences.T.tolist())}
    for node, gain in reversed(list(zip(tree.gain_node.tolist(), tree.gain.tolist(), strict=True))):
        pair, reach = last[node]
        backwards[:, place[pair]] += np.array(gain[: len(form.payoffs)]) * reach
    np.testing.assert_allclose(backwards, form.payoffs, rtol=1e-12)
    assert backwards.tobytes() != form.payoffs.tobytes()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.usefixtures("cut")
def test_threads_come_to_the_same_bits(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subtrees, "cores", lambda: threads)
    assert fold(load("liars_dice(faces=2,dice=2)").rules).form.hash == HASH


HASH = load("liars_dice(faces=2,dice=2)").form.hash


def test_locks_fold_without_a_tree() -> None:
    """The payoffs of a locked game are those of the tree's form, each times the locked probabilities on its way."""
    game = load("kuhn_poker")
    locked = hn.lock(game, {0: {"J": {"p": 0.25, "b": 0.75}}})
    plex = game.form.treeplexes[0]
    j = game.find_set(0, "J")
    factor = np.ones(plex.sequences)
    for number in range(plex.sets):
        mine = slice(int(plex.begin[number]), int(plex.begin[number + 1]))
        factor[mine] = factor[plex.parent[number]] * (np.array([0.25, 0.75]) if number == j else 1.0)
    assert "tree" not in vars(game)
    sequences, payoffs = folded_from(game.tree)
    assert locked.form.payoffs.sum() == pytest.approx(float((payoffs[0] * factor[sequences[0]]).sum()), abs=1e-15)
    assert locked.form.treeplexes[0].sets == plex.sets - 1


@pytest.mark.parametrize("rules", ["leduc_poker", Coins()], ids=["compiled", "plain"])
def test_nobody_asks_for_a_tree(rules: str | Rules, tmp_path: Any) -> None:
    """Full-width methods, EINR, KOMWU, the LP, evaluation, responses, locks, files, names and resuming."""
    game = load(rules)
    for method in ("cfr+", "pcfr+", "einr", "komwu"):
        result = hn.solve(game, method, iterations=3)
        hn.evaluate(game, result.profile)
        hn.best_response(game, result.profile, 0)
    if game.form.competitive:
        hn.solve(game, "lp")
    locked = hn.lock(game, {1: result.profile})
    hn.solve(locked, "cfr+", iterations=2)
    hn.save(result.profile, tmp_path / "profile.strategy")
    hn.read(tmp_path / "profile.strategy", game)
    solver = hn.CFRPlus(game)
    solver.run(2)
    solver.save(tmp_path / "run.checkpoint")
    name = game.set_text(0, 0)
    assert game.find_sets(0, name) == [0]
    game.actions_at(0, 0)
    assert "tree" not in vars(game)


def test_sets_on_a_path_are_those_of_the_tree() -> None:
    for rules in ("leduc_poker", "goofspiel(cards=3)", Split(), Alone()):
        game = load(rules)
        tree = game.tree
        for node in range(0, tree.nodes, max(1, tree.nodes // 200)):
            sets = tree.slots[tree.slot_begin[node] : tree.slot_begin[node + 1]].tolist()
            for player, number in zip(bits(int(tree.turn[node])), sets, strict=True):
                if not game.sets_named(player, tree.path_text(node)):
                    assert game.find_sets(player, tree.path_text(node)) == [number]


def test_a_limit_is_kept() -> None:
    with pytest.raises(SizeError, match="histories"):
        fold(Wide(3), limit=500)
    assert fold(Wide(3), limit=1111).sizes.histories == 1111
    rules = ExpandedGame(catalogue.make("leduc_poker", {})).rules
    with pytest.raises(SizeError, match=r"leduc_poker .* histories \(estimated\); at most 9,456 are walked"):
        fold(rules, limit=9456)
    assert fold(rules, limit=9457).sizes.histories == 9457


def test_what_is_far_too_large_is_not_walked() -> None:
    with pytest.raises(SizeError, match=r"Wide with these parameters has about 1\.1e\+15 histories \(estimated\)"):
        fold(Wide(15))
    with pytest.raises(SizeError, match=r"histories \(estimated\)"):
        fold(catalogue.make("goofspiel", {"cards": 10}))


def test_watchers_hear_both_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    """111,111 histories, visited twice; every branching is alike, so the estimate is exact."""
    monkeypatch.setattr(folded, "NOTED", 1)

    class Paid(Wide):
        def gains(self, state: Any) -> Sequence[float]:
            return (float(len(state) == 5),)

    heard: list[tuple[int, float]] = []
    with watching(lambda *told: heard.append(told)):
        fold(Paid(5))
    visits = [seen for seen, _ in heard]
    assert visits == sorted(visits)
    assert {guess for _, guess in heard} == {111_111.0, 222_222.0}
    assert 111_111 < visits[-1] <= 222_222


def test_broken_rules_are_named_with_the_path() -> None:
    class Broken(Uneven):
        def gains(self, state: Any) -> Sequence[float]:
            return (float("nan"), 0.0) if state == ("b", "a", "again") else (0.0, 0.0)

    with pytest.raises(RulesError, match="node r:b:a:again: "):
        fold(Broken())
