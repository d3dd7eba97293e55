"""The choice of `auto`: by the kind and sizes of the game, the limit on the gap, and the given parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from hannan.errors import ParameterError
from hannan.forms.game import ExpandedGame, Game
from hannan.forms.public import PublicForm
from hannan.forms.recall import SKEW, UNPROVEN, WELL_FORMED
from hannan.forms.sequence import SequenceForm
from hannan.forms.ties import TiedGame
from hannan.runs.auto_forecast import program_seconds, sequences_of
from hannan.runs.progress import DEFAULT
from hannan.solvers import method_class
from hannan.solvers.exact.normalform import MOST_CELLS, plan_counts

FREE = 0.01
"""Predicted seconds up to which the linear program is solved at once, unless the gap is a coarse one."""

MOST_SEQUENCES = 20_000_000
"""In a game with more sequences than this, one method runs from the start: each keeps its own numbers."""

_REGRETS = {
    WELL_FORMED: "what they forget is well-formed, so that CFR's regrets in the full game are proven to vanish",
    SKEW: "what they forget is skew well-formed, so that CFR's regrets in the full game are proven to fall to a bound",
    UNPROVEN: "nothing is proven about what they forget, and CFR with simultaneous updates is the plainest method",
}
"""Why CFR is chosen if players forget, by the kind of recall."""

Choice = tuple[str, dict[str, Any], str]
"""A method, its parameters, and why it was chosen."""


@dataclass(frozen=True)
class Wish:
    """The wishes of a caller of `auto`."""

    at_once: bool = False
    """Whether a method may be chosen that gives the answer in one iteration."""
    support: bool = True
    """Whether an exact finish may end the run."""
    gap: float | None = DEFAULT.gap
    """The gap at which the run stops; None: it stops for other reasons."""
    seconds: float | None = None
    """The seconds after which the run stops; None: it stops for other reasons."""
    race: bool = False
    """Whether the linear program runs in a second thread from the start."""


def choose(game: Game, given: Mapping[str, Any], wish: Wish) -> Choice:
    """Choose a method that suits the game and takes the given parameters; return it with the reason."""
    choice = _chosen(game, given, wish)
    if wish.race and choice[0] != "auto":
        raise ParameterError(
            f"race needs pdcfr+ and dcfr+, but auto takes {choice[0]} on {game.address} with "
            "these parameters: leave race out"
        )
    return choice


def _chosen(game: Game, given: Mapping[str, Any], wish: Wish) -> Choice:
    formed = game.formed()
    if isinstance(formed, TiedGame):
        return (
            "cfr",
            {"updates": "simultaneous"},
            f"players forget: {_REGRETS[formed.recall.verdict]}",
        )
    form = formed.form
    if isinstance(form, PublicForm):
        return (
            "dcfr",
            {"updates": "alternating", "gamma": 4.0},
            f"public play with {form.types[0]} and {form.types[1]} private types: discounted CFR with weights t⁴ "
            "usually needs the fewest iterations",
        )
    if not form.competitive:
        return _general(game)
    if wish.at_once and not wish.race and _takes("lp", given) and (not _takes("auto", given) or _exact(form, wish)):
        return (
            "lp",
            {},
            f"two players with opposed interests and {sequences_of(form):,} sequences: the linear program gives "
            "an equilibrium at once",
        )
    if sequences_of(form) > MOST_SEQUENCES or not _takes("auto", given):
        return (
            "pdcfr+",
            {"updates": "alternating"},
            "two players with opposed interests: predictive discounted CFR+ usually needs the fewest iterations",
        )
    ending = (
        "an exact finish ends the run if less work is predicted for it" if wish.support and wish.gap is not None else ""
    )
    if wish.race:
        ending = "the linear program runs in parallel, and the first to finish wins, which depends on the clock"
    begun = "two players with opposed interests: pdcfr+ and dcfr+ start together, and the better one goes on"
    return (
        "auto",
        {"target": wish.gap, "support": wish.support, "race": wish.race},
        "; ".join(filter(None, (begun, ending))),
    )


def _takes(method: str, given: Mapping[str, Any]) -> bool:
    return set(given) <= set(method_class(method).parameter_defaults())


def _exact(form: SequenceForm, wish: Wish) -> bool:
    """Return whether the linear program is chosen at once.

    It is taken if it is predicted to be short and the gap is not coarse. Without a gap, it may take half of the time.
    """
    if wish.gap is None:
        return wish.seconds is not None and program_seconds(form) <= wish.seconds / 2.0
    assert DEFAULT.gap is not None
    return wish.gap <= DEFAULT.gap and program_seconds(form) <= FREE


def _general(game: Game) -> Choice:
    """Choose for one player, for several, and for two whose utilities have no constant sum."""
    kind = "general-sum" if game.players == 2 else "one player" if game.players == 1 else f"{game.players} players"
    return (
        "cfr",
        {"updates": "simultaneous"},
        f"{kind}: with simultaneous updates CFR's average play is proven to approach a coarse correlated equilibrium; "
        f"{_nash_offer(game.expanded())}",
    )


def _nash_offer(game: ExpandedGame) -> str:
    """Return what finds a Nash equilibrium of a game if no method of `solve` is proven to find one."""
    if prod(plan_counts(game)) <= MOST_CELLS:
        return "the game is small, so `hannan equilibria` finds a Nash equilibrium with a proof"
    return "`hannan equilibria` looks for a Nash equilibrium"
