"""The judge of refinements: the games of the literature, and random trees against numerical trembles."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.exacttree import exact_tree
from hannan.pictures.portraits import equal_support_equilibria
from hannan.solvers.general.assessments import holds_for_two
from hannan.solvers.general.behaviour import Behaviour, gains, read_fractions
from hannan.solvers.general.quasiperfect import quasi_perfect
from hannan.solvers.general.refinements import Refinements, refinements
from tests.solvers.general.smalltrees import Nested, beer_quiche, entry_game, game, selten_horse


def holding(found: Refinements) -> dict[str, bool | None]:
    return {name: verdict.holds for name, verdict in vars(found).items()}


def profile(of: Any, **choices: str) -> Any:
    """Return the pure profile that takes these actions, by the names of the sets."""
    players = {}
    for player, plex in enumerate(of.form.treeplexes):
        names = [of.set_text(player, j) for j in range(plex.sets)]
        players[player] = {name: {choices[f"s_{name}"]: 1} for name in names if f"s_{name}" in choices}
    return hn.profile(of, players)


def test_entry_game() -> None:
    """A threat to fight that would not be carried out: Nash, and nothing more. Entering is strict, so everything."""
    of = entry_game()
    threat = holding(refinements(profile(of, s_start="out", s_entered="fight")))
    assert threat.pop("nash") is True
    assert set(threat.values()) == {False}
    assert set(holding(refinements(profile(of, s_start="in", s_entered="yield"))).values()) == {True}
    nothing = holding(refinements(profile(of, s_start="in", s_entered="fight")))
    assert set(nothing.values()) == {False}
    yielding = holding(refinements(profile(of, s_start="out", s_entered="yield")))
    assert yielding.pop("undominated") is True  # of any strategies, equilibrium or not: staying out is safe
    assert set(yielding.values()) == {False}


def test_seltens_horse() -> None:
    """Selten (1975): of the two kinds of equilibria, (C, c, R with at least 3/4) is perfect, (D, c, L) is not."""
    of = selten_horse()
    bad = holding(refinements(profile(of, s_1="D", s_2="c", s_3="L")))
    assert (bad["nash"], bad["subgame_perfect"]) == (True, True)
    assert [bad[name] for name in ("sequential", "perfect", "quasi_perfect", "extensive_form_perfect")] == [False] * 4
    for right in (1.0, 0.8):
        mixed = hn.profile(of, {0: {"1": {"C": 1}}, 1: {"2": {"c": 1}}, 2: {"3": {"L": 1 - right, "R": right}}})
        good = holding(refinements(mixed))
        assert [good[name] for name in ("nash", "sequential", "perfect", "extensive_form_perfect")] == [True] * 4
    edge = hn.profile(of, {0: {"1": {"C": 1}}, 1: {"2": {"c": 1}}, 2: {"3": {"L": 0.25, "R": 0.75}}})
    assert refinements(edge).sequential
    assert refinements(edge).perfect.holds is not False  # its trembles are of two players at once: not looked for
    below = hn.profile(of, {0: {"1": {"C": 1}}, 1: {"2": {"c": 1}}, 2: {"3": {"L": 0.26, "R": 0.74}}})
    assert not refinements(below).nash


def test_beer_and_quiche() -> None:
    """Both pooling equilibria of Cho and Kreps (1987) are sequential; with peace after both breakfasts none is Nash."""
    of = beer_quiche()
    for liked, other in (("beer", "quiche"), ("quiche", "beer")):
        pooling = profile(of, s_strong=liked, s_weak=liked, **{f"s_{liked}": "peace", f"s_{other}": "duel"})
        found = holding(refinements(pooling))
        assert [found[name] for name in ("nash", "sequential", "quasi_perfect", "proper")] == [True] * 4
    assert not refinements(profile(of, s_strong="beer", s_weak="beer", s_beer="peace", s_quiche="peace")).nash


def test_incredible_belief() -> None:
    """Player 1 at a set off the path has one action that is worse at every node: it is not sequential."""
    left, right = (("node", 1, "seen", {"x": (0, 0), "y": pays}) for pays in ((3, 1), (1, 2)))
    of = game(("node", 0, "start", {"out": (2, 2), "L": left, "R": right}))
    threat = refinements(profile(of, s_start="out", s_seen="x"))
    assert (threat.nash.holds, threat.subgame_perfect.holds, threat.sequential.holds) == (True, True, False)
    assert refinements(profile(of, s_start="L", s_seen="y")).sequential


def test_perfect_and_dominated() -> None:
    """van Damme's smallest example: (B, R) with all payoffs 0 is Nash and dominated; (T, L) is strict."""
    of = hn.load(hn.matrix_game([[[1, 0], [0, 0]], [[1, 0], [0, 0]]])).expanded()
    form = hn.normal_form(of)
    bad, good = refinements(form.pure((1, 1))), refinements(form.pure((0, 0)))
    assert (bad.nash.holds, bad.undominated.holds, bad.perfect.holds, bad.proper.holds) == (True, False, False, False)
    assert good.strict
    assert good.proper


def test_myersons_proper_example() -> None:
    """Myerson (1978), table 2: three plans each; (1,1) and (2,2) are perfect, only (1,1) is proper."""
    table = [[1, 0, -9], [0, 0, -7], [-9, -7, -7]]
    form = hn.normal_form(hn.matrix_game([table, np.array(table).T.tolist()]))
    found = [refinements(form.pure((k, k))) for k in range(3)]
    assert [one.nash.holds for one in found] == [True, True, True]
    assert [one.perfect.holds for one in found] == [True, True, False]
    assert [one.proper.holds for one in found] == [True, False, False]


def test_quasi_strict() -> None:
    """Matching pennies' mixture is quasi-strict and not strict; with a third reply as good and unused it is neither."""
    half = np.array([0.5, 0.5])
    assert refinements(hn.normal_form([[1, -1], [-1, 1]]).profile([half, half])).quasi_strict
    wider = hn.normal_form([[1, -1, 0], [-1, 1, 0]])
    found = refinements(wider.profile([half, np.array([0.5, 0.5, 0.0])]))
    assert (found.nash.holds, found.strict.holds, found.quasi_strict.holds) == (True, False, False)


def random_tree(seed: int) -> Nested:
    """A tree with chance, hidden moves and payoffs 0 to 2, so that ties are frequent; each player moves up to twice."""
    draw = np.random.default_rng(seed)

    def pays() -> tuple[int, ...]:
        return tuple(int(x) for x in draw.integers(0, 3, 2))

    def late(first: int, name: str) -> Any:
        return ("node", first, name, {"a": pays(), "b": pays()})

    seen = int(draw.integers(2))

    def reply(move: str) -> Any:
        again = late(0, f"again{move if seen else ''}-{move}")
        return ("node", 1, "reply" if seen else f"reply{draw.integers(2)}", {"u": pays(), "v": again, "w": pays()})

    def begin(kind: str) -> Any:
        return ("node", 0, f"start{kind}", {"l": reply("l"), "r": reply("r"), "out": pays()})

    tree = begin("")
    if seed % 3 == 2:  # chance tells player 0 a type, or not; player 1 never learns it
        known = "xy" if seed % 2 else ("", "")
        tree = ("chance", {"x": (Fraction(1, 3), begin(known[0])), "y": (Fraction(2, 3), begin(known[1]))})
    return Nested(tree, name=f"random{seed}")


def numeric(behaviour: Behaviour, player: int, kind: str, near: float) -> bool:
    """Return whether a plan of the other with behaviour within `near` justifies a player's choices, in floats.

    Everything is summed over the nodes of the tree by recursion, and solved by HiGHS.
    """
    from scipy.optimize import linprog

    tree, other = behaviour.tree, 1 - player
    plex = tree.game.form.treeplexes[other]
    fractions = [[float(x) for x in part] for part in behaviour.strategies]

    def value(number: int, share: float, row: Any) -> None:
        """Add what follows a node to a row over the other's sequences."""
        node = tree.nodes[number]
        for k, child in enumerate(node.children):
            odds = fractions[node.mover][node.moves[k]] if node.mover == player else 1.0
            value(child, share * odds, row)
        row[node.last[other]] += share * float(node.gains[player] * tree.chance[number])

    rows = []
    for sets in tree.members[player]:
        moves = tree.nodes[sets[0]].moves
        pays = np.zeros((len(moves), plex.sequences))
        mass = np.zeros(plex.sequences)
        for place in sets:
            mass[tree.nodes[place].last[other]] += float(tree.chance[place])
            for k, child in enumerate(tree.nodes[place].children):
                if kind == "sequential":
                    worth = behaviour.values[child][player] * tree.chance[place]
                    pays[k, tree.nodes[place].last[other]] += float(worth)
                else:
                    value(child, 1.0, pays[k])
        for k, move in enumerate(moves):
            if fractions[player][move] > 0:
                slack = near * mass if kind == "sequential" else 0.0
                rows += [pays[j] - pays[k] - slack for j in range(len(moves)) if j != k]
    equal = []
    for j in range(plex.sets):
        begin, end, parent = int(plex.begin[j]), int(plex.begin[j + 1]), int(plex.parent[j])
        flow = np.zeros(plex.sequences)
        flow[begin:end], flow[parent] = 1, flow[parent] - 1
        equal.append(flow)
        for k in range(begin, end):
            close = np.zeros(plex.sequences)
            close[parent], close[k] = fractions[other][k] - near, -1
            rows.append(close)
    found = linprog(np.zeros(plex.sequences), A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=np.array(equal),
                    b_eq=np.zeros(len(equal)), bounds=[(1, None)] * plex.sequences)  # fmt: skip
    return bool(found.status == 0)


@pytest.mark.parametrize("seed", range(11))
def test_random_trees_against_floats(seed: int) -> None:
    """All pure profiles that are Nash: the symbolic decision is that of HiGHS with trembles of 1 in 1,000."""
    of = hn.load(Nested(random_tree(seed).tree)).expanded()
    tree = exact_tree(of)
    sizes = [plex.sizes.tolist() for plex in of.form.treeplexes]
    decided = 0
    for choices in product(*(product(*map(range, part)) for part in sizes)):
        strategies = []
        for plex, chosen in zip(of.form.treeplexes, choices, strict=True):
            strategy = np.zeros(plex.sequences)
            strategy[[0, *(plex.begin[:-1] + np.array(chosen))]] = 1
            strategies.append(strategy)
        behaviour = Behaviour(tree, read_fractions(hn.Profile(of, tuple(strategies))))
        if any(gains(behaviour)):
            continue
        for kind in ("sequential", "quasi-perfect"):
            decided += 1
            expected = all(numeric(behaviour, player, kind, 1e-3) for player in range(2))
            assert (holds_for_two(behaviour, kind) is None) == expected, (choices, kind)
    assert decided > 0


@pytest.mark.parametrize("seed", range(6))
def test_implications(seed: int) -> None:
    """What is found as quasi-perfect is judged so, and everything that follows from it holds."""
    of = hn.load(random_tree(seed)).expanded()
    point = next(quasi_perfect(of))
    assert point.behaviour is not None
    found = refinements(Behaviour(exact_tree(of), point.behaviour).profile)
    for name in ("nash", "undominated", "perfect", "subgame_perfect", "sequential", "quasi_perfect"):
        assert getattr(found, name).holds is True, name


def test_too_large() -> None:
    with pytest.raises(hn.errors.SizeError, match="sequences, more than the limit"):
        refinements(hn.uniform("leduc_poker"))
    with pytest.raises(hn.errors.UnsuitableError, match="3 players"):
        next(quasi_perfect(selten_horse()))


@pytest.mark.parametrize("size", [2, 3])
def test_theorems_on_matrices(size: int) -> None:
    """Payoffs 0 to 2, so that most games have ties.

    With two players an equilibrium is perfect exactly if it is undominated (van Damme 1991, chapter 3). Trembles and
    dominance are decided by programs that have nothing in common. With two plans each, the perfect ones are proper.
    """
    draw, seen = np.random.default_rng(size), set()
    for _ in range(18):
        form = hn.normal_form(hn.matrix_game(draw.integers(0, 3, (2, size, size)).tolist()))
        for mixed in equal_support_equilibria(form):
            profile = form.profile(mixed)
            found = refinements(profile)
            assert found.nash.holds is True
            trembling = holds_for_two(Behaviour(exact_tree(form.game), read_fractions(profile)), "quasi-perfect")
            assert (trembling is None) == found.undominated.holds == found.perfect.holds
            assert found.perfect.holds or not found.proper.holds
            if size == 2:
                assert found.proper.holds == found.perfect.holds
            seen.add((found.perfect.holds, found.proper.holds))
    assert {(True, True), (False, False)} <= seen


def test_regular_equilibria_are_proper() -> None:
    """Without ties every equilibrium is regular, so quasi-strict and proper (van Damme 1991, chapter 3)."""
    draw, count = np.random.default_rng(1), 0
    for _ in range(8):
        numbers = draw.permutation(200)[:24].reshape(2, 3, 4) ** 2  # no two alike
        form = hn.normal_form(hn.matrix_game(numbers.tolist()))
        for mixed in equal_support_equilibria(form):
            exact = tuple(tuple(Fraction(x).limit_denominator(10**9) for x in (1.0, *part)) for part in mixed)
            found = refinements(form.game, behaviour=exact)
            count += 1
            assert (found.nash.holds, found.quasi_strict.holds, found.proper.holds) == (True, True, True)
    assert count > 8


def test_rounding_is_not_judged() -> None:
    """Equilibria of a game with floats are read with rounding: nothing is decided, unless exact fractions are given."""
    address = "random_game(depth=1,branching=3,seed=2)"
    near = refinements(hn.solve(address, "lp", progress=False).profile)
    assert set(holding(near).values()) == {None}
    assert "rounding" in near.nash.why
    # a threat off the path that is rounded: the entrant stays out, and the incumbent would yield with 1/π
    of, share = entry_game(), 1 / np.pi
    threat: Any = {0: {"start": {"out": 1}}, 1: {"entered": {"fight": 1 - share, "yield": share}}}
    assert holding(refinements(hn.profile(of, threat)))["nash"] is True
    assert refinements(hn.profile(of, threat)).subgame_perfect.holds is None
    exact = next(quasi_perfect(address)).behaviour
    assert refinements(hn.load(address), behaviour=exact).quasi_perfect
    with pytest.raises(hn.errors.MismatchError, match="one fraction for each sequence"):
        refinements(hn.load(address), behaviour=((Fraction(1),), (Fraction(1),)))
    with pytest.raises(hn.errors.ParameterError, match="sum to exactly 1"):
        refinements(hn.load("matching_pennies"), behaviour=((1, Fraction(1, 2), Fraction(1, 3)), (1, 1, 0)))  # type: ignore[arg-type]
