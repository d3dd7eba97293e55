"""The command `hannan show`: a strategy, set by set."""

from __future__ import annotations

from hannan import arguments
from hannan.cli import report
from hannan.cli.options import Json, Trusted, Whole, consent
from hannan.cli.report import answer
from hannan.cli.sets import show_sets
from hannan.cli.strategy import strategy_for
from hannan.forms.loader import load
from hannan.measures.tables import summary

MOST = 40
"""Sets that are shown where nobody says how many."""


def show(
    game: str,
    file: str,
    /,
    *places: str,
    player: Whole | None = None,
    top: Whole = MOST,
    seed: Whole = 0,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """Show a strategy set by set: how often play comes there, what it is worth, what each action would gain.

    In a game too large to expand, the sets that plays come to most often are shown, with estimates and without regrets.

    Parameters
    ----------
    game
        The game that the strategy is for.
    file
        A strategy file, a checkpoint, or the word `uniform`.
    places
        Which sets: names, patterns such as "J*", or paths of play such as r:J:Q:p; those that play comes to most often
        otherwise.
    player
        Of this player alone.
    top
        How many at most.
    seed
        Where the random numbers of estimates begin.
    """
    played = load(game).stepped()
    strategy = strategy_for(played, file, consent(trust, as_json))
    rows = summary(strategy, most=arguments.whole("top", top), places=places, player=player, seed=seed)

    def print_sets() -> None:
        more = (
            ""
            if len(rows) == rows.total
            else f" of {rows.total:,}; --top shows more, a name or a pattern such as 'J*' others"
        )
        show_sets(rows, f"{rows.game}: {report.counted(len(rows), 'information sets')}{more}")

    answer(as_json, lambda: {"strategy": file, **rows.record()}, print_sets)
