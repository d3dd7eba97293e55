"""Sequential and quasi-perfect equilibria of two-player trees, decided without rounding.

D. M. Kreps and R. Wilson (1982), Sequential equilibria; E. van Damme (1984), A relation between perfect equilibria in
extensive form games and proper equilibria in normal form games.

Both need trembles: plans of the players in which every sequence is possible, and whose behaviour tends to the given
one. With two players, the conditions on one player's choices involve only the trembles of the other, and are linear in
the probabilities of its sequences. All conditions are homogeneous, so "possible" can be written as "at least 1".
Trembles with this limit exist exactly if, for every δ > 0, a plan within δ of the behaviour fulfils the conditions.
That is one linear program over the polynomials in an infinitesimal δ.

With more players the conditions are products of several players' trembles. If all but one player tremble in a given
way, they are linear again: so trembles can be found, but not excluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any, Literal

from hannan.forms.treeplex import Treeplex
from hannan.interrupts import go_on
from hannan.solvers.general.behaviour import Behaviour
from hannan.solvers.general.germs import EPSILON, Germ
from hannan.solvers.general.simplex import Row, maximise, whole_row

Kind = Literal["sequential", "quasi-perfect"]

Terms = dict[int, Any]
"""Coefficients of one player's sequences."""

POWERS = (1, 2, 3)
"""Powers of ε with which players tremble in a search for trembles."""

MOST_PATTERNS = 30
"""The most combinations of such powers that are tried."""


def holds_for_two(behaviour: Behaviour, kind: Kind) -> int | None:
    """Decide whether a two-player behaviour is sequential or quasi-perfect.

    Returns the player whose choices no trembles of the other justify; None if both players' choices are justified.
    """
    for player in range(2):
        rows = [whole_row(terms, ">=") for terms in _conditions(behaviour, player, 1 - player, kind, {})]
        if not _near(behaviour, 1 - player, rows):
            return player
    return None


def trembles_found(behaviour: Behaviour, kind: Kind) -> bool:
    """Look for trembles of any number of players: one is free, the others mix with uniform play by a power of ε."""
    players = range(behaviour.tree.players)
    for count, powers in enumerate(product(POWERS, repeat=len(players))):
        if count >= MOST_PATTERNS:
            break
        trembling = trembled(behaviour, powers).reach
        for free in players:
            go_on()
            fixed = {q: trembling[q] for q in players if q != free}
            if _fits(behaviour, free, fixed, kind):
                return True
    return False


def _fits(behaviour: Behaviour, free: int, fixed: Mapping[int, Any], kind: Kind) -> bool:
    """Return whether trembles of one player exist that fit the fixed trembles of the others."""
    if any(terms[0] < 0 for terms in _conditions(behaviour, free, None, kind, fixed) if 0 in terms):
        return False
    rows = []
    for player in fixed:
        others = {q: reach for q, reach in fixed.items() if q != player}
        rows += [whole_row(terms, ">=") for terms in _conditions(behaviour, player, free, kind, others)]
    return _near(behaviour, free, rows)


def trembled(behaviour: Behaviour, powers: tuple[int, ...]) -> Behaviour:
    """Return the behaviour mixed with uniform play, which has the weight ε**powers[q] for player q."""
    parts = []
    for plex, strategy, power in zip(behaviour.tree.game.form.treeplexes, behaviour.strategies, powers, strict=True):
        share, part = Germ((0,) * power + (1,)), [Germ((1,))]
        for size, begin in zip(plex.sizes.tolist(), plex.begin[:-1].tolist(), strict=True):
            even = Fraction(1, size)
            part += [share * (even - chance) + chance for chance in strategy[begin : begin + size]]
        parts.append(tuple(part))
    return Behaviour(behaviour.tree, tuple(parts))


def _near(behaviour: Behaviour, player: int, rows: list[Row]) -> bool:
    """Return whether a plan with every sequence possible, and behaviour within any δ of the given, fulfils the rows."""
    plex, strategy = behaviour.tree.game.form.treeplexes[player], behaviour.strategies[player]
    every = [*rows, *_flow(plex), *_closeness(plex, strategy)]
    shifted = []
    for row in every:  # every variable is at least 1: solve for the excess over 1
        total = sum(row.terms.values(), 0)
        shifted.append(Row(row.terms, row.sense, row.bound - total))
    return maximise(plex.sequences, {}, shifted) is not None


def _flow(plex: Treeplex) -> Iterator[Row]:
    for begin, end, parent in zip(plex.begin[:-1].tolist(), plex.begin[1:].tolist(), plex.parent.tolist(), strict=True):
        yield Row({**dict.fromkeys(range(begin, end), 1), parent: -1}, "=")


def _closeness(plex: Treeplex, strategy: tuple[Any, ...]) -> Iterator[Row]:
    """At each set, an action of probability b has at least the share b − δ of the reach, so others have at most δ."""
    for begin, end, parent in zip(plex.begin[:-1].tolist(), plex.begin[1:].tolist(), plex.parent.tolist(), strict=True):
        for sequence in range(begin, end):
            if strategy[sequence] and end - begin > 1:
                yield whole_row({sequence: 1, parent: EPSILON - strategy[sequence]}, ">=")


def _conditions(
    behaviour: Behaviour, player: int, free: int | None, kind: Kind, fixed: Mapping[int, Any]
) -> Iterator[Terms]:
    """Yield the expressions that must be 0 or more for a player's choices: coefficients of the free player's sequences.

    fixed: the probabilities of sequences of all others. free None: no other player, and the only coefficient is 0's.
    """
    weigh = _assessed if kind == "sequential" else _continued
    plex, strategy = behaviour.tree.game.form.treeplexes[player], behaviour.strategies[player]
    for number, (begin, end) in enumerate(zip(plex.begin[:-1].tolist(), plex.begin[1:].tolist(), strict=True)):
        if end - begin == 1:
            continue
        chosen = next(k for k in range(begin, end) if strategy[k])
        slack, pays = weigh(behaviour, player, number, free, fixed)
        for k in range(begin, end):
            if k != chosen:
                loss = _less(pays[chosen - begin], pays[k - begin])
                yield _plus(loss, slack)
                if strategy[k]:
                    yield _plus({key: -number for key, number in loss.items()}, slack)


def _assessed(
    behaviour: Behaviour, player: int, number: int, free: int | None, fixed: Mapping[int, Any]
) -> tuple[Terms, list[Terms]]:
    """Return the payoff of each action at a set by the beliefs there, and δ times the probability of the set."""
    tree, slack = behaviour.tree, dict[int, Any]()
    members = tree.members[player][number]
    pays: list[Terms] = [{} for _ in tree.nodes[members[0]].moves]
    for place in members:
        node, weight = tree.nodes[place], _weight(tree.chance[place], tree.nodes[place].last, player, free, fixed)
        key = 0 if free is None else node.last[free]
        slack[key] = slack.get(key, 0) + weight * EPSILON
        for k, child in enumerate(node.children):
            pays[k][key] = pays[k].get(key, 0) + weight * behaviour.values[child][player]
    return slack, pays


def _continued(
    behaviour: Behaviour, player: int, number: int, free: int | None, fixed: Mapping[int, Any]
) -> tuple[Terms, list[Terms]]:
    """Return the payoff of each action at a set if the others tremble and the player continues by its behaviour."""
    plex, strategy = behaviour.tree.game.form.treeplexes[player], behaviour.strategies[player]
    begin, end = int(plex.begin[number]), int(plex.begin[number + 1])
    # the share of each sequence after an action of the set, by the player's own choices
    share: list[dict[int, Any]] = [{k: Fraction(1)} for k in range(begin, end)]
    for later in range(number + 1, plex.sets):
        parent = int(plex.parent[later])
        for part in share:
            if part.get(parent):
                for k in range(int(plex.begin[later]), int(plex.begin[later + 1])):
                    part[k] = part[parent] * strategy[k]
    pays: list[Terms] = [{} for _ in share]
    for key, gained in behaviour.tree.entries.items():
        for k, part in enumerate(share):
            own = part.get(key[player])
            if own and gained[player]:
                place = 0 if free is None else key[free]
                amount = _weight(gained[player] * own, key, player, free, fixed)
                pays[k][place] = pays[k].get(place, 0) + amount
    return {}, pays


def _weight(first: Any, last: tuple[int, ...], player: int, free: int | None, fixed: Mapping[int, Any]) -> Any:
    """Return a number times the probabilities of the fixed players' sequences."""
    for q, reach in fixed.items():
        if q not in (player, free):
            first = reach[last[q]] * first
    return first


def _less(one: Terms, other: Terms) -> Terms:
    return {key: one.get(key, 0) - other.get(key, 0) for key in one.keys() | other.keys()}


def _plus(one: Terms, other: Terms) -> Terms:
    return {key: one.get(key, 0) + other.get(key, 0) for key in one.keys() | other.keys()}
