"""Judgements about one profile of a small game, each decided once and in fractions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any

from hannan.forms.exacttree import CHANCE, ExactTree
from hannan.solvers.exact.normalform import UNREACHED, NormalForm, taken
from hannan.solvers.general.assessments import POWERS, holds_for_two, trembled, trembles_found
from hannan.solvers.general.behaviour import Behaviour, worth
from hannan.solvers.general.dominance import against_plans, is_dominated, small_normal_form
from hannan.solvers.general.proper import is_proper
from hannan.solvers.general.simplex import Row, maximise, whole_row
from hannan.solvers.general.subgames import subgame_gains, subgames

MOST_PLANS = 16
"""The most plans of a player of a game in which properness is decided."""


@dataclass(frozen=True)
class Judgement:
    """Whether a property holds (None: not decided), and why."""

    holds: bool | None
    why: str

    def __bool__(self) -> bool:
        return self.holds is True


class Judge:
    """The verdicts on one profile, a Nash equilibrium (for `undominated`: any profile); each is decided once."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour, self.tree = behaviour, behaviour.tree
        plexes = self.tree.game.form.treeplexes
        self.two = self.tree.players == 2
        self.one_set_each = all(plex.sets <= 1 for plex in plexes)
        self.one_move_each = all(plex.levels <= 1 for plex in plexes)
        self.form = small_normal_form(self.tree)

    @cached_property
    def full(self) -> bool:
        """Whether every action has a positive probability."""
        return all(all(strategy) for strategy in self.behaviour.strategies)

    @cached_property
    def _loose(self) -> tuple[str | None, str | None]:
        """Why it is not strict, and why not quasi-strict: a plan that earns as much, and such a plan not in use."""
        strict = quasi = None
        for player, plex in enumerate(self.tree.game.form.treeplexes):
            strategy = self.behaviour.strategies[player]
            values = worth(self.tree, player, self.behaviour.gradient(player))
            reached = {0}  # sequences of plans that are best replies
            for j in range(plex.sets):
                if int(plex.parent[j]) not in reached:
                    continue
                below = range(int(plex.begin[j]), int(plex.begin[j + 1]))
                top = max(values[k] for k in below)
                best = [k for k in below if values[k] == top]
                reached.update(best)
                where = f"player {player} at {self.tree.game.set_text(player, j)!r}"
                if len(best) > 1 and strict is None:
                    strict = f"{where} has {len(best)} actions that are equally good"
                unused = [k for k in best if not strategy[k]]
                if unused and quasi is None:
                    action = self.tree.game.action_text(player, unused[0])
                    quasi = f"{where} could as well take {action!r}, which it never does"
        return strict, quasi

    @cached_property
    def strict(self) -> Judgement:
        why = self._loose[0]
        return Judgement(why is None, why or "each player's plan is its only best reply")

    @cached_property
    def quasi_strict(self) -> Judgement:
        why = self._loose[1]
        return Judgement(why is None, why or "every plan that is a best reply is in use")

    @cached_property
    def undominated(self) -> Judgement:
        if self.form is None:
            return Judgement(None, "the game has too many combinations of plans")
        for player in range(self.tree.players):
            if is_dominated(self.behaviour, self.form, player):
                return Judgement(False, f"another strategy of player {player} never earns less, and sometimes more")
        return Judgement(True, "a linear program for each player finds no strategy that dominates")

    @cached_property
    def perfect(self) -> Judgement:
        if self.undominated.holds is False:
            return Judgement(False, f"a strategy is weakly dominated: {self.undominated.why}")
        if self.two:
            about = "with two players, undominated equilibria are the perfect ones"
            return Judgement(self.undominated.holds, about if self.undominated else self.undominated.why)
        if self.one_set_each and self.sequential.holds is False:
            return Judgement(False, f"each player chooses once, so perfect means sequential too: {self.sequential.why}")
        if self.strict:
            return Judgement(True, "strict equilibria are perfect")
        if self.full:
            return Judgement(True, "every plan has a positive probability already")
        if self.one_set_each and trembles_found(self.behaviour, "quasi-perfect"):
            return Judgement(True, "trembles were found against which every choice is best")
        return Judgement(None, "no trembles were found; with three or more players that proves nothing")

    @cached_property
    def proper(self) -> Judgement:
        if self.perfect.holds is False:
            return Judgement(False, f"it is not perfect: {self.perfect.why}")
        if self.strict:
            return Judgement(True, "strict equilibria are proper")
        if self.full and self.one_set_each:
            return Judgement(True, "every plan has a positive probability already")
        if not self.two or self.form is None or max(map(len, self.form.plans)) > MOST_PLANS:
            return Judgement(None, "properness is decided for two players with few plans")
        mixed = [_mixture(self.behaviour, self.form, player) for player in range(2)]
        payoffs = [_table(self.tree, self.form, player) for player in range(2)]
        found = is_proper((payoffs[0], payoffs[1]), (mixed[0], mixed[1]))
        if found is None:
            return Judgement(None, "there are too many orders of the plans to try")
        if found:
            return Judgement(True, "trembles were found that are rarer, the less a plan earns")
        if self.one_set_each or all(sum(map(bool, part)) == 1 for part in mixed):
            return Judgement(False, "no order of the plans allows trembles that are rarer, the less a plan earns")
        return Judgement(None, "independent draws at each set are not proper; another mixture of plans may be")

    @cached_property
    def subgame_perfect(self) -> Judgement:
        parts = subgames(self.tree)
        for part in parts:
            amounts = subgame_gains(self.behaviour, part)
            best = max(range(len(amounts)), key=lambda player: amounts[player])
            if amounts[best] > 0:
                history = _history(self.tree, part.root)
                return Judgement(
                    False, f"in the subgame after {history} player {best} could gain {short(amounts[best])}"
                )
        return Judgement(True, f"an equilibrium in every subgame; there are {len(parts)}, the whole game included")

    @cached_property
    def sequential(self) -> Judgement:
        if self.subgame_perfect.holds is False:
            return Judgement(False, f"it is not subgame-perfect: {self.subgame_perfect.why}")
        if self.full:
            return Judgement(True, "every set is reached, so Bayes' rule gives the beliefs")
        if self.two:
            player = holds_for_two(self.behaviour, "sequential")
            if player is None:
                return Judgement(True, "a linear program finds trembles whose beliefs justify every choice")
            return Judgement(False, f"no trembles of player {1 - player} justify the choices of player {player}")
        for player, sets in enumerate(self.tree.members):
            for number in range(len(sets)):
                if not _believable(self.behaviour, player, number):
                    where = self.tree.game.set_text(player, number)
                    return Judgement(False, f"no beliefs of player {player} at {where!r} justify its choice there")
        if trembles_found(self.behaviour, "sequential"):
            return Judgement(True, "trembles were found whose beliefs justify every choice")
        return Judgement(None, "no trembles were found; with three or more players that proves nothing")

    @cached_property
    def quasi_perfect(self) -> Judgement:
        for other, word in ((self.sequential, "sequential"), (self.perfect, "perfect in the normal form")):
            if other.holds is False:
                return Judgement(False, f"it is not {word}: {other.why}")
        if self.full:
            return Judgement(True, "every action has a positive probability already")
        if self.two:
            player = holds_for_two(self.behaviour, "quasi-perfect")
            if player is None:
                return Judgement(True, "a linear program finds trembles against which every choice is best")
            return Judgement(False, f"no trembles of player {1 - player} make the choices of player {player} best")
        if trembles_found(self.behaviour, "quasi-perfect"):
            return Judgement(True, "trembles were found against which every choice is best")
        return Judgement(None, "no trembles were found; with three or more players that proves nothing")

    @cached_property
    def extensive_form_perfect(self) -> Judgement:
        if self.sequential.holds is False:
            return Judgement(False, f"it is not sequential: {self.sequential.why}")
        if self.full:
            return Judgement(True, "every action has a positive probability already")
        if self.one_move_each:
            about = "no player moves twice, so it is the same as quasi-perfect"
            return Judgement(self.quasi_perfect.holds, f"{about}: {self.quasi_perfect.why}")
        if any(_best_while_all_tremble(self.behaviour, powers) for powers in _patterns(self.tree.players)):
            return Judgement(True, "trembles of all choices were found against which every choice is best")
        return Judgement(None, "no trembles were found; if a player moves twice that proves nothing")


def _patterns(players: int) -> list[tuple[int, ...]]:
    """Return a few dozen choices of the powers of ε with which players tremble."""
    return list(islice(product(POWERS, repeat=players), 27))


def _best_while_all_tremble(behaviour: Behaviour, powers: tuple[int, ...]) -> bool:
    """Return whether every choice is best if every player mixes with uniform play everywhere, by a power of ε."""
    tree, shaken = behaviour.tree, trembled(behaviour, powers)
    for player, sets in enumerate(tree.members):
        for members in sets:
            moves = tree.nodes[members[0]].moves
            pays: list[Any] = [0] * len(moves)
            for place in members:
                weight = shaken.others_reach(place, player)
                for k, child in enumerate(tree.nodes[place].children):
                    pays[k] = pays[k] + weight * shaken.values[child][player]
            top = max(pays)
            if any(behaviour.strategies[player][move] and pay < top for move, pay in zip(moves, pays, strict=True)):
                return False
    return True


def _believable(behaviour: Behaviour, player: int, number: int) -> bool:
    """Return whether some beliefs at a set justify a player's play there; if it is reached, Bayes' rule gives them."""
    tree, members = behaviour.tree, behaviour.tree.members[player][number]
    strategy, moves = behaviour.strategies[player], behaviour.tree.nodes[members[0]].moves
    chosen = next(k for k, move in enumerate(moves) if strategy[move])
    pays = [[behaviour.values[child][player] for child in tree.nodes[place].children] for place in members]
    weights = [behaviour.others_reach(place, player) for place in members]
    rows: list[Row] = [Row(dict.fromkeys(range(len(members)), 1), "=", 1)]
    if any(weights):
        rows = [whole_row({v: 1}, "=", weight / sum(weights)) for v, weight in enumerate(weights)]
    for k, move in enumerate(moves):
        if k != chosen:
            terms = {v: row[chosen] - row[k] for v, row in enumerate(pays)}
            rows.append(whole_row(terms, "=" if strategy[move] else ">="))
    return maximise(len(members), {}, rows) is not None


def _mixture(behaviour: Behaviour, form: NormalForm, player: int) -> list[Fraction]:
    """Return the probability of each plan, if the choices at sets are drawn independently."""
    plex, strategy = behaviour.tree.game.form.treeplexes[player], behaviour.strategies[player]
    weights = []
    for plan in form.plans[player].tolist():
        weight = Fraction(1)
        for begin, action in zip(plex.begin[:-1].tolist(), plan, strict=True):
            if action != UNREACHED:
                weight *= strategy[begin + action]
        weights.append(weight)
    return weights


def _table(tree: ExactTree, form: NormalForm, player: int) -> list[list[Fraction]]:
    """Return the payoff of each plan of a player against each plan of the other."""
    plays = taken(tree.game.form.treeplexes[player], form.plans[player])
    columns = against_plans(tree, form, player)
    return [
        [sum((number for k, number in column.items() if row[k]), Fraction(0)) for column in columns] for row in plays
    ]


def short(amount: Fraction) -> str:
    """Write a fraction if it is short, else as a decimal."""
    return str(amount) if amount.denominator < 10**4 else f"{float(amount):.3g}"


def _history(tree: ExactTree, node: int) -> str:
    """Return the name of a node: the moves that lead to it."""
    words = []
    while (above := tree.nodes[node].parent) >= 0:
        one = tree.nodes[above]
        k = one.children.index(node)
        words.append(f"chance's move {k}" if one.mover == CHANCE else tree.game.action_text(one.mover, one.moves[k]))
        node = above
    return ":".join(("r", *reversed(words)))
