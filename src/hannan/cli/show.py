"""The command `hannan show`: a strategy, set by set."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from hannan import arguments
from hannan.cli import report
from hannan.cli.options import Json, Trusted, Whole, check_targets, consent
from hannan.cli.report import answer
from hannan.cli.sets import show_sets
from hannan.cli.strategy import strategy_for
from hannan.errors import ParameterError
from hannan.forms.loader import load
from hannan.measures.tables import summary
from hannan.strategies.public import PublicStrategy

MOST = 40
"""Default number of sets shown."""


def show(
    game: str,
    file: str,
    /,
    *places: str,
    player: Whole | None = None,
    top: Whole = MOST,
    seed: Whole = 0,
    at: str | None = None,
    grid: Literal["strategy", "ev", "equity", "eqr", "weight", "none"] | None = None,
    rows: Literal["groups", "hands", "none"] = "groups",
    ranges: bool = False,
    csv: Path | None = None,
    out: Path | None = None,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """Show a strategy set by set: how often play comes there, what it is worth, what each action would gain.

    In a game too large to expand, the sets that plays come to most often are shown, with estimates and without regrets.

    Of a strategy on a public tree, such as one for hold'em, one node is shown, exactly: weight, equity, expected value
    and strategy of every hand (docs/howto/holdem.md).

    Parameters
    ----------
    game
        The game that the strategy is for.
    file
        A strategy file, a checkpoint, or the word `uniform`.
    places
        Which sets: names, patterns such as "J*", or paths of play such as r:J:Q:p; those that play comes to most often
        otherwise. At a node of hold'em: hands or groups, such as AhKd, AKs or "Q*".
    player
        Show only sets of this player.
    top
        The most sets to show.
    seed
        The seed of the random numbers, for estimates.
    at
        Hold'em: the play that leads to the node, such as "x b120 c 5c". Default: the first node.
    grid
        Hold'em: what the 13x13 grid shows. Default: the strategy of the player who acts, else ev.
    rows
        Hold'em: list groups of hands, such as AKs, single hands, or none.
    ranges
        Hold'em: print the ranges of both players and of each action, as texts that a spot can use.
    csv
        Hold'em: write one line per hand to this file.
    out
        Hold'em: draw the grid here (.png, .svg or .pdf).
    """
    check_targets({"--csv": csv, "--out": out}, (game, file))
    played = load(game).stepped()
    strategy = strategy_for(played, file, consent(trust, as_json))
    if isinstance(strategy, PublicStrategy):
        _show_node(
            strategy, file, places, player, arguments.whole("top", top), at, grid, rows, ranges, csv, out, as_json
        )
        return
    given = {"--at": at, "--grid": grid, "--csv": csv, "--out": out, "--ranges": ranges or None}
    for option, value in given.items():
        if value is not None:
            raise ParameterError(
                f"{option} is for strategies on a public tree, such as those of holdem; {file} is not one of "
                f"{played.address}"
            )
    found = summary(strategy, most=arguments.whole("top", top), places=places, player=player, seed=seed)

    def print_sets() -> None:
        more = (
            ""
            if len(found) == found.total
            else f" of {found.total:,}; --top shows more, a name or a pattern such as 'J*' others"
        )
        show_sets(found, f"{found.game}: {report.counted(len(found), 'information sets')}{more}")

    answer(as_json, lambda: {"strategy": file, **found.record()}, print_sets)


def _show_node(
    strategy: PublicStrategy,
    file: str,
    places: tuple[str, ...],
    player: int | None,
    top: int,
    at: str | None,
    grid: str | None,
    rows: str,
    ranges: bool,
    csv: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Show one node of a strategy on a public tree."""
    from hannan.cli.node import print_node, print_ranges
    from hannan.measures.poker.report import report as node_report

    if player is not None:
        strategy.game.check_player(player)
    if out is not None:
        from hannan.pictures.figures import check_target

        check_target(out)
    node = node_report(strategy, at or "")
    acts = node.actor is not None and player in (None, node.actor)
    what = grid if grid is not None else "strategy" if acts else "ev"
    if what == "strategy" and node.deck is not None:
        node.grid(what, player)  # refuses a player who does not act
    written: dict[str, Any] = {"csv": csv, "picture": out}
    if csv is not None:
        node.write_csv(csv)
    if out is not None:
        from hannan.pictures.ranges import draw_grid

        draw_grid(node, "ev" if what == "none" else what, player, path=out)

    def show_node() -> None:
        print_node(node, what, player, rows, places, top)
        if ranges:
            print_ranges(node)
        report.name_files(as_json, written)

    answer(as_json, lambda: {"strategy": file, **node.record()}, show_node)
