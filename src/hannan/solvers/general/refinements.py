"""Which refinements of Nash equilibrium a profile of a small game satisfies, each decided without rounding.

The definitions are those of E. van Damme (1991), Stability and perfection of Nash equilibria. What cannot be decided
is None, with the reason.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any

from hannan.arguments import shown
from hannan.errors import MismatchError, ParameterError, SizeError
from hannan.forms.exacttree import CHANCE, ExactTree, exact_tree
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded
from hannan.solvers.exact.normalform import UNREACHED, NormalForm, taken
from hannan.solvers.general.assessments import POWERS, holds_for_two, trembled, trembles_found
from hannan.solvers.general.behaviour import Behaviour, gains, read_fractions, worth
from hannan.solvers.general.dominance import against_plans, is_dominated, small_normal_form
from hannan.solvers.general.point import Fractions
from hannan.solvers.general.proper import is_proper
from hannan.solvers.general.simplex import Row, maximise, whole_row
from hannan.solvers.general.subgames import subgame_gains, subgames
from hannan.strategies.given import Given, two_forms

MOST_SEQUENCES = 150
"""The most sequences of all players of a game whose profiles are judged."""

ROUNDING = 1e-9
"""A gain up to this share of the range of payoffs may come from rounding of the probabilities."""

MOST_PLANS = 16
"""The most plans of a player of a game in which properness is decided."""


@dataclass(frozen=True)
class Judgement:
    """Whether something holds, None if that was not decided, and why."""

    holds: bool | None
    why: str

    def __bool__(self) -> bool:
        return self.holds is True


@dataclass(frozen=True)
class Refinements:
    """What is true of a profile."""

    nash: Judgement
    """No player gains by deviating."""
    strict: Judgement
    """Every other plan of a player (in the reduced normal form) earns it less."""
    quasi_strict: Judgement
    """Every plan that is a best reply is in use."""
    undominated: Judgement
    """No player's strategy is weakly dominated."""
    perfect: Judgement
    """Trembling-hand perfect in the normal form."""
    proper: Judgement
    """Proper in the reduced normal form."""
    subgame_perfect: Judgement
    """An equilibrium in every subgame."""
    sequential: Judgement
    """Beliefs that are limits of trembles justify every choice."""
    quasi_perfect: Judgement
    """Every choice is best while the others tremble."""
    extensive_form_perfect: Judgement
    """Every choice is best while all tremble, the player itself at its other sets too."""

    def record(self) -> dict[str, Any]:
        """Return the verdicts as one object that JSON can hold."""
        return asdict(self)

    def __repr__(self) -> str:
        said = []
        for word, wanted in {"holds": True, "fails": False, "not decided": None}.items():
            names = [name for name, verdict in vars(self).items() if verdict.holds is wanted]
            said += [f"{word}: {', '.join(names)}"] if names else []
        return f"Refinements({'; '.join(said)})"


def refinements(game: Given, strategy: Given | None = None, *, behaviour: Fractions | None = None) -> Refinements:
    """Say which refinements a profile of a small game satisfies: `refinements(profile)`, or with its game before it.

    Probabilities are read as fractions: with denominators up to 1,000 if these are within 1e-9 of them at every set and
    sum to 1, else as the simplest fractions that round to them. All judgements are about these fractions. If a player
    could gain so little by deviating that it may be rounding of the probabilities, nothing is decided.

    `behaviour`, in place of a strategy, is exact: a fraction for each sequence of each player, as in
    `Point.behaviour`. Entry 0 is 1; the entries of each information set sum to 1.
    """
    profile = None if behaviour is not None else two_forms(game, strategy).profile()
    expanded = load_expanded(game) if profile is None else profile.game
    many = sum(plex.sequences for plex in expanded.form.treeplexes)
    if many > MOST_SEQUENCES:
        raise SizeError(
            f"{expanded.address} has {many:,} sequences, more than the limit of {MOST_SEQUENCES} for judging "
            "refinements in fractions; `evaluate` measures gains in games of any size"
        )
    if profile is None:
        return judged(Behaviour(exact_tree(expanded), _checked(expanded, behaviour)))
    given = Behaviour(exact_tree(expanded), read_fractions(profile))
    amount = max(gains(given))
    low, high = expanded.payoff_range
    if 0 < amount <= ROUNDING * float((high - low).max()):
        open_ = Judgement(
            None, f"a player could gain {float(amount):.1g}, which may be rounding: give exact fractions as `behaviour`"
        )
        return Refinements(**dict.fromkeys(Refinements.__dataclass_fields__, open_))
    return judged(given)


def _checked(game: ExpandedGame, behaviour: Any) -> Fractions:
    """Return behaviour in fractions, or say what is wrong with it."""
    plexes = game.form.treeplexes
    try:
        parts = tuple(tuple(Fraction(x) for x in part) for part in behaviour)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"behaviour={shown(behaviour)} should be fractions for each player") from None
    if [len(part) for part in parts] != [plex.sequences for plex in plexes]:
        counts = ", ".join(str(plex.sequences) for plex in plexes)
        raise MismatchError(f"behaviour should have one fraction for each sequence of each player: {counts}")
    for player, (plex, part) in enumerate(zip(plexes, parts, strict=True)):
        for j in range(plex.sets):
            here = part[int(plex.begin[j]) : int(plex.begin[j + 1])]
            if min(here) < 0 or sum(here) != 1:
                raise ParameterError(
                    f"behaviour of player {player} at {game.set_text(player, j)!r} should be probabilities that sum to "
                    "exactly 1"
                )
    return parts


def judged(behaviour: Behaviour) -> Refinements:
    """Judge behaviour in fractions."""
    amounts, judge = gains(behaviour), _Judge(behaviour)
    best = max(range(len(amounts)), key=lambda player: amounts[player])
    if amounts[best] > 0:
        no = Judgement(False, f"it is no Nash equilibrium: player {best} could gain {_short(amounts[best])}")
        return Refinements(**{**dict.fromkeys(Refinements.__dataclass_fields__, no), "undominated": judge.undominated})
    return Refinements(
        nash=Judgement(True, "no player gains by deviating, by substitution in fractions"),
        strict=judge.strict, quasi_strict=judge.quasi_strict, undominated=judge.undominated, perfect=judge.perfect,
        proper=judge.proper, subgame_perfect=judge.subgame_perfect, sequential=judge.sequential,
        quasi_perfect=judge.quasi_perfect, extensive_form_perfect=judge.extensive_form_perfect,
    )  # fmt: skip


class _Judge:
    """The verdicts on one profile, a Nash equilibrium (undominated: any); each is reached once."""

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
        """Why it is not strict, and why not quasi-strict: a plan that earns as much, and one that is not in use."""
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
        return Judgement(None, "no trembles were found, and with three or more players none are excluded")

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
                    False, f"in the subgame after {history} player {best} could gain {_short(amounts[best])}"
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
        return Judgement(None, "no trembles were found, and with three or more players none are excluded")

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
        return Judgement(None, "no trembles were found, and with three or more players none are excluded")

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
        return Judgement(None, "no trembles were found; where a player moves twice none are excluded")


def _patterns(players: int) -> list[tuple[int, ...]]:
    """Return the powers of ε with which players tremble, some dozen of them."""
    return list(islice(product(POWERS, repeat=players), 27))


def _best_while_all_tremble(behaviour: Behaviour, powers: tuple[int, ...]) -> bool:
    """Return whether every choice is best while everybody trembles everywhere, mixing evenly with a power of ε."""
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
    """Return whether some beliefs at a set justify what a player does there; if it is reached, those of Bayes' rule."""
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
    """Return the probability of each plan, if the choice at each set is drawn on its own."""
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
    """Return what each plan of a player earns against each plan of the other."""
    plays = taken(tree.game.form.treeplexes[player], form.plans[player])
    columns = against_plans(tree, form, player)
    return [
        [sum((number for k, number in column.items() if row[k]), Fraction(0)) for column in columns] for row in plays
    ]


def _short(amount: Fraction) -> str:
    """Write a fraction if it is short, else as a decimal."""
    return str(amount) if amount.denominator < 10**4 else f"{float(amount):.3g}"


def _history(tree: ExactTree, node: int) -> str:
    """Name a node by the moves that lead to it."""
    words = []
    while (above := tree.nodes[node].parent) >= 0:
        one = tree.nodes[above]
        k = one.children.index(node)
        words.append(f"chance's move {k}" if one.mover == CHANCE else tree.game.action_text(one.mover, one.moves[k]))
        node = above
    return ":".join(("r", *reversed(words)))
