"""What holds of every `GameTree` and every `Treeplex`, on random games and at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hannan.forms.expansion import expand
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded as load
from hannan.forms.tree import CHANCE_TURN, NO_PARENT, ROOT, TERMINAL, GameTree
from hannan.forms.treeplex import Treeplex
from hannan.rules.compiled import bits
from hannan.rules.plain import CHANCE, END, movers
from tests.matching import grown, keys_of
from tests.plaingames import Alone, Coins, Lottery, Over, Split
from tests.reference import Node

RANDOM = st.builds(
    "random_game(seed={},depth={},branching={},players={},chance={},hidden={},utilities={},moves={},payoffs=general_sum)".format,
    st.integers(0, 2**62),
    st.sampled_from([1, 2]),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([2, 3]),
    st.sampled_from([0, 1, 2]),
    st.sampled_from(["true", "false"]),
    st.sampled_from(["uniform", "edges"]),
    st.sampled_from(["joint", "turns"]),
)

FIXED = [load(rules) for rules in ("kuhn_poker", "goofspiel(cards=3)", Coins(), Over(), Lottery(), Alone(), Split())]


def check_tree(tree: GameTree) -> None:
    """Parents, children, levels and slots fit together."""
    nodes = np.arange(tree.nodes)
    assert tree.parent[ROOT] == NO_PARENT
    assert tree.children[-1] == tree.nodes
    many = np.diff(tree.children)
    # breadth first: the children of all nodes, one after another, are all nodes but the root
    assert tree.children[0] == 1
    np.testing.assert_array_equal(np.repeat(nodes, many), tree.parent[1:])
    np.testing.assert_array_equal(many == 0, tree.turn == TERMINAL)
    depth = np.zeros(tree.nodes, np.int64)
    for child in range(1, tree.nodes):
        depth[child] = depth[tree.parent[child]] + 1
    np.testing.assert_array_equal(np.searchsorted(depth, np.arange(len(tree.depth_begin))), tree.depth_begin)
    assert tree.depth_begin[-1] == tree.nodes
    below_chance = tree.turn[tree.parent[1:]] == CHANCE_TURN
    assert (tree.probability[1:][~below_chance] == 1).all()
    for node in np.flatnonzero(tree.turn == CHANCE_TURN):
        odds = tree.probability[tree.children[node] : tree.children[node + 1]]
        assert odds.sum() == pytest.approx(1.0, abs=1e-9)  # what the walk itself promises
    for node in np.flatnonzero(tree.turn > 0):
        who = bits(int(tree.turn[node]))
        slots = tree.slots[tree.slot_begin[node] : tree.slot_begin[node + 1]]
        assert len(slots) == len(who)
        sizes = [tree.treeplexes[p].sizes[j] for p, j in zip(who, slots, strict=True)]
        assert many[node] == np.prod(sizes)
    assert (np.diff(tree.gain_node) > 0).all()
    assert (tree.gain != 0).any(axis=1).all()
    assert sum(tree.counts[kind] for kind in ("terminal", "chance", "decision")) == tree.nodes


def check_treeplex(plex: Treeplex) -> None:
    """Sets come level by level, in order of their parents; what belongs together lies together."""
    assert plex.begin[0] == 1
    assert plex.begin[-1] == plex.sequences
    assert (plex.sizes >= 1).all()
    assert plex.action[0] == -1
    assert plex.set_of[0] == -1
    for j in range(plex.sets):
        assert (plex.set_of[plex.begin[j] : plex.begin[j + 1]] == j).all()
        assert plex.parent[j] < plex.begin[j]
    assert (np.diff(plex.parent) >= 0).all()
    for s in range(plex.sequences):
        children = np.flatnonzero(plex.parent == s)
        np.testing.assert_array_equal(children, np.arange(plex.child_begin[s], plex.child_begin[s + 1]))
    assert plex.child_begin[-1] == plex.sets
    level = np.zeros(plex.sets, np.int64)
    for j in range(plex.sets):
        level[j] = level[plex.set_of[plex.parent[j]]] + 1 if plex.parent[j] else 0
    np.testing.assert_array_equal(np.searchsorted(level, np.arange(plex.levels + 1)), plex.level_begin)
    assert plex.level_begin[-1] == plex.sets


def check_against_rules(game: ExpandedGame) -> None:
    """Play the rules along the tree: turns, gains, probabilities and information sets are those of the rules."""
    tree = game.tree
    keys = [keys_of(game, player) for player in range(game.players)]
    gains = dict(zip(tree.gain_node.tolist(), tree.gain.tolist(), strict=True))

    def visit(number: int, node: Node) -> None:
        assert gains.get(number, [0.0] * game.players) == list(node.gains)
        first = int(tree.children[number])
        assert int(tree.children[number + 1]) - first == len(node.moves)
        slots = tree.slots[tree.slot_begin[number] : tree.slot_begin[number + 1]]
        who = bits(int(tree.turn[number]))
        assert tuple(keys[p][j] for p, j in zip(who, slots, strict=True)) == node.keys
        for k, (chance, _, child) in enumerate(node.moves):
            assert tree.probability[first + k] == chance
            visit(first + k, child)

    visit(ROOT, grown(game).root)


def check(game: ExpandedGame) -> None:
    check_tree(game.tree)
    for plex in game.tree.treeplexes:
        check_treeplex(plex)
    check_against_rules(game)


@settings(max_examples=20)
@given(address=RANDOM)
def test_random_games(address: str) -> None:
    check(load(address))


@pytest.mark.parametrize("game", FIXED, ids=repr)
def test_fixed_games(game: ExpandedGame) -> None:
    check(game)


def test_arrays_are_frozen() -> None:
    """So tests share games: `tests.loaded`."""
    game = load("kuhn_poker")
    tree, form = game.tree, game.form
    for owner in (tree, *tree.treeplexes, form, *form.treeplexes):
        for name, array in vars(owner).items():
            if isinstance(array, np.ndarray):
                assert not array.flags.writeable, name


def test_the_set_remembers_its_first_history() -> None:
    for game in FIXED:
        tree = game.tree
        for player, plex in enumerate(tree.treeplexes):
            for j, node in enumerate(plex.node):
                who = bits(int(tree.turn[node]))
                assert tree.slots[tree.slot_begin[node] + who.index(player)] == j
                earlier = [
                    int(tree.slots[tree.slot_begin[h] + bits(int(tree.turn[h])).index(player)])
                    for h in range(int(node))
                    if player in bits(int(tree.turn[h]))
                ]
                assert j not in earlier


@pytest.mark.parametrize(
    ("game", "lowest", "highest", "total"),
    [
        # by hand: the call "h" adds 0.25 for player 0, and one of the two gets 1
        (Coins(), (0.0, 0.0), (1.25, 1.0), None),
        (Over(), (2.0, -3.0), (2.0, -3.0), -1.0),
        (Lottery(), (-1.0, -1.0), (1.0, 2.0), None),
        (Alone(), (0.0,), (1.0,), None),
        # 5 ± 2 ± 0.5, and the other has the rest of 10
        (Split(), (2.5, 2.5), (7.5, 7.5), 10.0),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_utilities_at_the_ends(
    game: Coins, lowest: tuple[float, ...], highest: tuple[float, ...], total: float | None
) -> None:
    tree = expand(game)
    assert tuple(tree.lowest) == lowest
    assert tuple(tree.highest) == highest
    assert tree.total == total


def test_joint_nodes_are_counted_once_and_serially() -> None:
    """Split: a joint node 3×3 and nine joint nodes 2×2; one after another, 3 nodes more and 9·2 more."""
    counts = expand(Split()).counts
    assert counts["joint"] == counts["decision"] == 10
    assert counts["histories"] == 46
    assert counts["serialised"] == 46 + 3 + 18


def test_names() -> None:
    tree = expand(Coins())
    assert tree.path_text(ROOT) == "r"
    assert tree.path_text(tree.nodes - 1) == "r:T:t:t"
    assert tree.path(tree.nodes - 1) == [1, 1, 1]
    assert tree.set_text(0, 0) == "H"
    assert [tree.action_text(1, s) for s in (1, 2)] == ["h", "t"]
    assert expand(Split()).path_text(1) == "r:(1,1)"
    assert expand(Alone()).set_text(0, 1) == "() stay ('H',)"


def test_movers_and_bits() -> None:
    assert movers(END) == movers(CHANCE) == ()
    assert movers(1) == (1,)
    assert movers((0, 2)) == (0, 2)
    assert bits(5) == (0, 2)
    assert bits(0) == bits(-1) == ()
