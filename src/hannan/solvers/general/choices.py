"""The choices of players and their payoffs: the two views of a game for quantal response.

In the *normal form* a player chooses among plans. In the *agent form* each information set chooses among its actions,
and an action pays its player's expectation if the set is reached (McKelvey and Palfrey 1998, Quantal response
equilibria for extensive form games, section 2). A game in which every player moves once has both, and they agree.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np

from hannan.arrays import Floats, Longs, Numbers, offsets
from hannan.errors import SizeError
from hannan.forms.game import ExpandedGame
from hannan.forms.tree import TERMINAL, GameTree
from hannan.forms.treeplex import EMPTY, worth
from hannan.kernels.paths import agents, cells
from hannan.solvers.exact.normalform import NormalForm

MOST_ACTIONS = 4_000
"""The most actions of all choices with which a path is followed, since its linear systems are dense."""

FAR_FROM_ZERO = 4.0
"""If payoffs are more than this many times their range away from 0, a constant is subtracted."""


class Choices(Protocol):
    """Groups of actions, end to end; every group is one choice."""

    begin: Longs
    """[groups + 1]  actions begin[g] … begin[g+1]-1 are those of group g."""
    player: Longs
    """[groups]  the player of each group."""
    farthest: float
    """The largest λ times `spread` at which floats can hold quantal response equilibria."""

    def pays(self, logs: Floats, slopes: bool = True) -> tuple[Floats, Floats]:
        """Return the payoff of each action, [actions], and its derivatives by `logs`, [actions, actions].

        logs: the logarithm of each action's probability. Without `slopes` the derivatives are left out.
        """
        ...

    def regret(self, logs: Floats) -> float:
        """Return the most that a player could gain by a deviation from probabilities in logarithms."""
        ...

    def rounding(self, logs: Floats) -> float:
        """Return the largest rounding error of a payoff, as a share of `spread`."""
        ...

    @property
    def spread(self) -> float:
        """The largest difference between two payoffs of one player; 1 if all are equal."""
        ...


class PlanChoices:
    """A normal form: a player chooses among its plans."""

    farthest = 1e9

    def __init__(self, form: NormalForm, *, level: bool = False) -> None:
        """Take the payoffs of a form; `level` divides those of each player by their range, which keeps equilibria."""
        self.form = form
        self.begin = offsets([len(plans) for plans in form.plans])
        self.player = np.arange(form.players)
        check_size(form.game.address, int(self.begin[-1]))
        # constants do not matter: without them, differences keep their digits
        flat = form.payoffs.reshape(form.players, -1)
        middle = flat.min(axis=1) + (flat.max(axis=1) - flat.min(axis=1)) / 2
        self.unit = _units(flat.min(axis=1), flat.max(axis=1), level)
        self.cells = np.ascontiguousarray((flat - middle[:, None]) / self.unit[:, None])

    @cached_property
    def spread(self) -> float:
        widest = 2 * float(np.abs(self.cells).max(initial=0.0))
        return widest if widest > 0 else 1.0

    def pays(self, logs: Floats, slopes: bool = True) -> tuple[Floats, Floats]:
        mixed = np.exp(logs)
        if not slopes:
            return self.against(mixed), np.empty((0, 0))
        table = self.slopes(mixed)
        return self.paid(table, mixed), table * mixed

    def against(self, mixed: Floats) -> Floats:
        """Return the payoff of each plan against mixed strategies, end to end."""
        out = np.empty(len(mixed))
        cells.pays(self.cells, self.begin, mixed, out)
        return out

    def slopes(self, mixed: Floats) -> Floats:
        """Return the derivatives of each plan's payoff by the others' probabilities."""
        out = np.empty((len(mixed), len(mixed)))
        cells.slopes(self.cells, self.begin, mixed, out)
        return out

    def paid(self, table: Floats, mixed: Floats) -> Floats:
        """Return the payoff of each plan, from the derivatives: it is linear in each of the others' strategies."""
        players, begin = self.form.players, self.begin
        if players == 1:
            return self.cells[0].copy()
        out = np.empty(len(mixed))
        for p in range(players):
            q = (p + 1) % players
            mine, theirs = slice(begin[p], begin[p + 1]), slice(begin[q], begin[q + 1])
            out[mine] = table[mine, theirs] @ mixed[theirs]
        return out

    def regret(self, logs: Floats) -> float:
        return self.regret_of(np.exp(logs))

    def regret_of(self, mixed: Floats) -> float:
        """Return the most that a player could gain by a deviation from mixed strategies, end to end."""
        return max(0.0, *self._gains(mixed).tolist())

    def gain_of(self, mixed: Floats) -> float:
        """Return this regret in the units of the game, if payoffs are level."""
        return max(0.0, *(self._gains(mixed) * self.unit).tolist())

    def _gains(self, mixed: Floats) -> Floats:
        pays = self.against(mixed)
        groups = zip(self.begin[:-1], self.begin[1:], strict=True)
        return np.array([pays[a:b].max() - pays[a:b] @ mixed[a:b] for a, b in groups])

    def rounding(self, logs: Floats) -> float:
        return 1e-14

    def parted(self, vector: Floats) -> tuple[Floats, ...]:
        """Return a vector over all plans as one array per player."""
        return tuple(part.copy() for part in np.split(vector, self.begin[1:-1]))


class AgentChoices:
    """A tree: each information set chooses among its actions. No plan is listed."""

    farthest = 1e7

    def __init__(self, game: ExpandedGame, *, level: bool = False) -> None:
        """Take the payoffs of a tree; `level` divides those of each player by their range, which keeps equilibria."""
        self.game = game
        plexes, form = game.form.treeplexes, game.form
        counts = [plex.sequences - 1 for plex in plexes]
        self.first = offsets(counts)  # [players + 1]  the first action of each player
        total = int(self.first[-1])
        check_size(game.address, total)
        self.begin = np.concatenate([[0], *(self.first[p] + plex.begin[1:] - 1 for p, plex in enumerate(plexes))])
        self.player = np.repeat(np.arange(game.players), [plex.sets for plex in plexes])
        self.parent = np.concatenate([self.place(p, plex.parent) for p, plex in enumerate(plexes)])
        self.set_of = np.repeat(np.arange(len(self.player)), np.diff(self.begin))
        self.trail, self.chain = self._chains(total)
        self.entries = np.stack([self.place(p, form.sequence(p)) for p in range(game.players)], axis=1)
        self.gains = np.stack([form.payoff(p) for p in range(game.players)])
        low, high = game.tree.lowest, game.tree.highest
        far = np.maximum(np.abs(low), np.abs(high)) > FAR_FROM_ZERO * (high - low)
        last, chance = self._histories(game.tree)
        if far.any():
            self.entries, self.gains = self._ends(game.tree, last, chance, np.where(far, low + (high - low) / 2, 0.0))
        self.unit = _units(low, high, level)
        self.gains = self.gains / self.unit[:, None]
        self.visit_begin, self.visits, self.chances = self._visits(game.tree, last, chance)

    def place(self, player: int, sequences: Numbers) -> Longs:
        """Return the places of a player's sequences among all actions; the empty one comes after the last."""
        return np.where(sequences == EMPTY, self.first[-1], self.first[player] + np.asarray(sequences, np.int64) - 1)

    def _chains(self, total: int) -> tuple[Longs, Longs]:
        chains: list[list[int]] = [[] for _ in range(total + 1)]
        for p, plex in enumerate(self.game.form.treeplexes):
            places = self.place(p, np.arange(plex.sequences)).tolist()
            for s in range(1, plex.sequences):
                above = int(plex.parent[plex.set_of[s]])
                chains[places[s]] = [*chains[places[above]], places[s]]
        return offsets([len(one) for one in chains]), np.array([a for one in chains for a in one], np.int64)

    def _histories(self, tree: GameTree) -> tuple[Longs, Floats]:
        """Return the places of the sequences that lead to each history, and chance's part of its reach."""
        last = np.full((tree.nodes, self.game.players), self.first[-1], np.int64)
        chance = np.ones(tree.nodes)
        children = tree.children.tolist()
        for node in range(tree.nodes):
            movers = _movers(tree, node)
            begins = [int(self.first[p]) + int(tree.treeplexes[p].begin[j]) - 1 for p, j in movers]
            sizes = [int(tree.treeplexes[p].sizes[j]) for p, j in movers]
            for child in range(children[node], children[node + 1]):
                last[child] = last[node]
                chance[child] = chance[node] * tree.probability[child]
                rest = child - children[node]
                for k in reversed(range(len(movers))):
                    last[child, movers[k][0]] = begins[k] + rest % sizes[k]
                    rest //= sizes[k]
        return last, chance

    def _ends(self, tree: GameTree, last: Longs, chance: Floats, middle: Floats) -> tuple[Longs, Floats]:
        """Return the payoffs of all ends of play minus `middle`, so that their differences keep digits."""
        earned = np.zeros((tree.nodes, self.game.players))
        earned[tree.gain_node] = tree.gain
        for first, end in zip(tree.depth_begin[1:-1], tree.depth_begin[2:], strict=True):
            earned[first:end] += earned[tree.parent[first:end]]
        over = np.flatnonzero(tree.turn == TERMINAL)
        return last[over], np.ascontiguousarray(((earned[over] - middle) * chance[over, None]).T)

    def _visits(self, tree: GameTree, last: Longs, chance: Floats) -> tuple[Longs, Longs, Floats]:
        """Return for each set the sequences of the others and the probabilities of chance that lead there."""
        players = self.game.players
        set_begin = offsets([plex.sets for plex in tree.treeplexes])
        found: list[dict[tuple[int, ...], float]] = [{} for _ in range(int(set_begin[-1]))]
        for node in np.flatnonzero(tree.turn > 0).tolist():
            for p, number in _movers(tree, node):
                key = tuple(np.delete(last[node], p).tolist())
                visits = found[int(set_begin[p]) + number]
                visits[key] = visits.get(key, 0.0) + float(chance[node])
        keys = [list(key) for visits in found for key in visits]
        with np.errstate(divide="ignore"):
            logs = np.log([odds for visits in found for odds in visits.values()])
        return (
            offsets([len(visits) for visits in found]),
            np.array(keys, np.int64).reshape(len(keys), players - 1),
            logs,
        )

    @cached_property
    def spread(self) -> float:
        widest = float(((self.game.tree.highest - self.game.tree.lowest) / self.unit).max(initial=0.0))
        return widest if widest > 0 else 1.0

    def pays(self, logs: Floats, slopes: bool = True) -> tuple[Floats, Floats]:
        reach, share = np.empty(len(logs) + 1), np.empty(len(self.chances))
        agents.reaches(self.trail, self.chain, logs, reach)
        set_reach = np.empty(len(self.player))
        agents.set_reaches(self.visit_begin, self.visits, self.chances, reach, set_reach, share)
        pays = np.zeros(len(logs))
        table = np.zeros((len(logs), len(logs)) if slopes else (0, 0))
        agents.conditional(self.trail, self.chain, self.set_of, self.entries, self.gains, reach, set_reach, pays, table)
        if slopes:
            agents.visits_off(self.trail, self.chain, self.begin, self.visit_begin, self.visits, share, pays, table)
        return pays, table

    def rounding(self, logs: Floats) -> float:
        return 1e-14 + 1e-15 * float(np.abs(logs).max())  # the reach of a set is a difference of large logarithms

    def strategies(self, behaviour: Floats) -> tuple[Floats, ...]:
        """Return behaviour as one array per player over its sequences, the empty one first."""
        return tuple(np.concatenate(([1.0], part)) for part in np.split(behaviour, self.first[1:-1]))

    def regret(self, logs: Floats) -> float:
        return self.regret_of(self.realization(np.exp(logs)))

    def realization(self, behaviour: Floats) -> Floats:
        """Return the probability of every sequence under behaviour, the empty sequence last."""
        out = np.ones(len(behaviour) + 1)
        for g, above in enumerate(self.parent.tolist()):  # parents come before children
            part = slice(self.begin[g], self.begin[g + 1])
            out[part] = behaviour[part] * out[above]
        return out

    def behaviour(self, realization: Floats, rest: Floats) -> Floats:
        """Return behaviour with these probabilities of sequences; `rest` at sets that its player does not reach."""
        sums = np.repeat(np.add.reduceat(realization[:-1], self.begin[:-1]), np.diff(self.begin))
        return np.divide(realization[:-1], sums, out=rest.copy(), where=sums > 0)

    def sequence_slopes(self, realization: Floats, slopes: bool = True) -> tuple[Floats, Floats]:
        """Return the gain of each sequence to its player, and the derivatives by the others' probabilities."""
        pays = np.empty(len(realization))
        table = np.empty((len(pays), len(pays)) if slopes else (0, 0))
        agents.sequence_slopes(self.entries, self.gains, realization, pays, table)
        return pays, table

    def regret_of(self, realization: Floats) -> float:
        """Return the most that a player could gain by a deviation from probabilities of sequences."""
        return max(0.0, *self._gains(realization).tolist())

    def gain_of(self, realization: Floats) -> float:
        """Return this regret in the units of the game, if payoffs are level."""
        return max(0.0, *(self._gains(realization) * self.unit).tolist())

    def _gains(self, realization: Floats) -> Floats:
        gradient, _ = self.sequence_slopes(realization, slopes=False)
        gains = []
        for p, plex in enumerate(self.game.form.treeplexes):
            mine = slice(self.first[p], self.first[p + 1])
            own = np.concatenate(([0.0], gradient[mine]))
            gains.append(float(worth(plex, own)[EMPTY]) - float(gradient[mine] @ realization[mine]))
        return np.array(gains)

    def parted(self, realization: Floats) -> tuple[Floats, ...]:
        """Return probabilities of sequences as one array per player, the empty sequence first."""
        return self.strategies(realization[:-1])


def _units(low: Floats, high: Floats, level: bool) -> Floats:
    """Return the divisors of payoffs: each player's range if payoffs are to be level, else 1."""
    return np.where((high > low) & level, high - low, 1.0)


def _movers(tree: GameTree, node: int) -> list[tuple[int, int]]:
    """Return the movers at a history, each with the number of its set."""
    turn, slot = int(tree.turn[node]), int(tree.slot_begin[node])
    players = [p for p in range(tree.players) if turn > 0 and turn >> p & 1]
    return [(p, int(tree.slots[slot + k])) for k, p in enumerate(players)]


def check_size(address: str, actions: int) -> None:
    """Refuse a game whose paths would need linear systems that are too large."""
    if actions > MOST_ACTIONS:
        raise SizeError(
            f"{address} has {actions:,} actions at all choices together; methods that follow a path take at most "
            f"{MOST_ACTIONS:,}; hannan solve takes larger games"
        )
