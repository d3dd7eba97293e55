"""The refinements of Nash equilibrium that a profile of a small game satisfies, each decided without rounding.

The definitions are those of E. van Damme (1991), Stability and perfection of Nash equilibria. What cannot be decided
is None, with the reason.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from hannan.arguments import shown
from hannan.errors import MismatchError, ParameterError, SizeError
from hannan.forms.exactpayoffs import MOST_BELOW
from hannan.forms.exacttree import exact_tree
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded
from hannan.solvers.general.behaviour import Behaviour, gains, read_fractions
from hannan.solvers.general.judge import Judge, Judgement, short
from hannan.solvers.general.point import Fractions
from hannan.strategies.given import Given, two_forms

MOST_SEQUENCES = 150
"""The most sequences of all players of a game whose profiles are judged."""

ROUNDING = 1e-9
"""A gain up to this share of the range of payoffs may come from rounding of the probabilities."""

HANGING = ("proper", "subgame_perfect", "sequential", "quasi_perfect", "extensive_form_perfect")
"""The refinements that may depend on the last digit of a probability off the path of play."""


@dataclass(frozen=True)
class Refinements:
    """The refinements of Nash equilibrium that a profile satisfies."""

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
    """Return which refinements a profile of a small game satisfies: `refinements(profile)`, or with its game before it.

    Probabilities are read as fractions: with denominators up to 1,000 if these are within 1e-9 of them at every set and
    sum to 1, else as the simplest fractions that round to them. All judgements are about these fractions. If a player
    could gain so little by deviating that it may be rounding of probabilities or payoffs, nothing is decided.

    `behaviour`, in place of a strategy, is exact: a fraction for each sequence of each player, as in
    `Point.behaviour`. Entry 0 is 1; the entries of each information set sum to 1.
    """
    profile = None if behaviour is not None else two_forms(game, strategy).profile()
    expanded = load_expanded(game) if profile is None else profile.game
    check_judged(expanded)
    fractions = _checked(expanded, behaviour) if profile is None else read_fractions(profile)
    found = judged(Behaviour(exact_tree(expanded), fractions))
    if profile is None or not found.nash or all(x.denominator <= MOST_BELOW for part in fractions for x in part):
        return found
    doubted = {
        name: Judgement(None, f"the probabilities may be rounded; as they are: {getattr(found, name).why}")
        for name in HANGING
        if getattr(found, name).holds is False
    }
    return replace(found, **doubted)


def check_judged(game: ExpandedGame) -> None:
    """Refuse a game that is too large for its profiles to be judged."""
    many = sum(plex.sequences for plex in game.form.treeplexes)
    if many > MOST_SEQUENCES:
        raise SizeError(
            f"{game.address} has {many:,} sequences, more than the limit of {MOST_SEQUENCES} for judging "
            "refinements in fractions; `evaluate` measures gains in games of any size"
        )


def _checked(game: ExpandedGame, behaviour: Any) -> Fractions:
    """Return behaviour in fractions; refuse wrong numbers."""
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
    amounts, judge = gains(behaviour), Judge(behaviour)
    best = max(range(len(amounts)), key=lambda player: amounts[player])
    low, high = behaviour.tree.game.payoff_range
    if 0 < amounts[best] <= ROUNDING * float((high - low).max()):
        why = f"player {best} could gain {float(amounts[best]):.1g}, which may be rounding of probabilities or payoffs"
        return Refinements(**dict.fromkeys(Refinements.__dataclass_fields__, Judgement(None, why)))
    if amounts[best] > 0:
        no = Judgement(False, f"it is not a Nash equilibrium: player {best} could gain {short(amounts[best])}")
        return Refinements(**{**dict.fromkeys(Refinements.__dataclass_fields__, no), "undominated": judge.undominated})
    return Refinements(
        nash=Judgement(True, "no player gains by deviating, by substitution in fractions"),
        strict=judge.strict, quasi_strict=judge.quasi_strict, undominated=judge.undominated, perfect=judge.perfect,
        proper=judge.proper, subgame_perfect=judge.subgame_perfect, sequential=judge.sequential,
        quasi_perfect=judge.quasi_perfect, extensive_form_perfect=judge.extensive_form_perfect,
    )  # fmt: skip
