"""The table of `hannan games --openspiel`: which games of the installed OpenSpiel load, and how large they are."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from hannan.cli import report
from hannan.cli.report import answer
from hannan.errors import HannanError, SizeError
from hannan.files import write_text
from hannan.forms.expansion import LARGEST_TREE, expand
from hannan.forms.foreign import MARGIN
from hannan.forms.forgetful import forgetting_in
from hannan.forms.tree import GameTree
from hannan.interop.openspiel.games import is_sampled, load_theirs, quiet, unsuitable, wanted
from hannan.interop.openspiel.rules import SpielRules
from hannan.libraries import library
from hannan.runs.status_line import stderr

MOST_HISTORIES = 200_000
"""Games with more histories are not expanded for the table."""

CHOSEN = {
    "goofspiel": ("goofspiel(num_cards=4,imp_info=true,points_order=descending)", "goofspiel(num_cards=4)"),
    "leduc_poker": ("leduc_poker", "leduc_poker(players=3)"),
    "kuhn_poker": ("kuhn_poker", "kuhn_poker(players=3)"),
    "liars_dice": ("liars_dice(dice_sides=4)", "liars_dice"),
    "oshi_zumo": ("oshi_zumo(coins=4,size=2,horizon=6)",),
    "tic_tac_toe": ("tic_tac_toe",),
    "nim": ("nim(pile_sizes=2;3)",),
    "misere": ("misere(game=kuhn_poker())",),
    "zerosum": ("zerosum(game=matrix_pd())",),
    "turn_based_simultaneous_game": ("turn_based_simultaneous_game(game=goofspiel(num_cards=3))",),
    "repeated_game": ("repeated_game(stage_game=matrix_pd(),num_repetitions=2)",),
    "dark_hex": ("dark_hex(board_size=2)",),
    "hex": ("hex(board_size=2)",),
    "universal_poker": ("universal_poker",),
    "sheriff": ("sheriff(max_bribe=1,max_items=2,num_rounds=1)",),
    "battleship": ("battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[1],num_shots=1)",),
    "matching_pennies_3p": ("matching_pennies_3p",),
    "dots_and_boxes": ("dots_and_boxes(num_rows=1,num_cols=1)",),
    "mnk": ("mnk(m=2,n=2,k=2)",),
}
"""Further parameters of games that are too large with their defaults."""


@dataclass(frozen=True)
class Row:
    """The facts about one game."""

    address: str
    loads: str
    """`expanded`, `played`, `boxed`, `recall=split` (it loads with that parameter), or `no`."""
    players: int | None = None
    histories: int | None = None
    information_sets: tuple[int, ...] | None = None
    reason: str = ""


def addresses() -> list[str]:
    """List the games of the installed OpenSpiel: all with default parameters, some also with others."""
    names = sorted(library("pyspiel").registered_names())
    return [address for name in names for address in CHOSEN.get(name, (name,))]


def looked_up(address: str, most: int = MOST_HISTORIES) -> tuple[Row, SpielRules | None, GameTree | None]:
    """Load a game; return its tree too if it has at most `most` histories."""
    try:
        theirs = load_theirs(address)
        if (refusal := unsuitable(theirs)) is not None:
            raise refusal
        players = theirs.num_players()
        if is_sampled(theirs):
            return Row(address, "boxed", players, reason="chance is drawn inside OpenSpiel"), None, None
        rules = SpielRules(wanted(address))
        with quiet():
            guess = rules.histories()
            if guess > 50 * most:
                raise SizeError("too large")
            tree = expand(rules, limit=max(most, LARGEST_TREE if guess * MARGIN <= LARGEST_TREE else 0))
    except SizeError:
        forgets = rules.forgets_in_plays()
        reason = f"more than {most:,} histories" + ("" if forgets is None else "; information states forget")
        return Row(address, "played" if forgets is None else "recall=split", players, reason=reason), rules, None
    except HannanError as error:
        return Row(address, "no", reason=str(error)), None, None
    sets = tuple(plex.sets for plex in tree.treeplexes)
    forgets = forgetting_in(tree)
    if forgets is None:
        return Row(address, "expanded", players, tree.nodes, sets), rules, tree
    how = "absent-minded" if forgets.absent_minded else "imperfect recall"
    return Row(address, "recall=split", players, tree.nodes, sets, f"information states forget ({how})"), rules, tree


def show_openspiel(as_json: bool, out: Path | None = None) -> None:
    """Print the table, and write it as a page if `out` is given."""
    rows = []
    begun = perf_counter()
    for number, address in enumerate(listed := addresses()):
        if stderr().is_terminal:
            stderr().print(f"{number + 1} of {len(listed)}: {address}", end="\r")
        rows.append(looked_up(address)[0])
    record = {
        "openspiel": importlib.metadata.version("open_spiel"),
        "games": [vars(row) for row in rows],
        "seconds": perf_counter() - begun,
    }

    header = ["game", "loads", "players", "histories", "information sets", "why"]
    lines: list[list[Any]] = [
        [row.address, row.loads, row.players, row.histories, row.information_sets, row.reason] for row in rows
    ]
    if out is not None:
        write_text(out, _page(str(record["openspiel"]), header, lines))

    def show() -> None:
        report.grid(f"OpenSpiel {record['openspiel']}", header, lines)

    answer(as_json, record, show)


def _page(version: str, header: list[str], lines: list[list[Any]]) -> str:
    """Return the table as Markdown."""
    head = f"""# The games of OpenSpiel {version}

Made by `hannan games --openspiel --out FILE`. `expanded`: written out, every number is exact; `played`: larger than
{MOST_HISTORIES:,} histories, so it was not written out for this table; `boxed`: only playthroughs; `recall=split`: its
information states forget, and it loads with that parameter; `no`: for the reason given. The address is what follows
`openspiel:`.

"""
    rows = [header, ["---"] * len(header)]
    rows += [["" if cell is None else report.written(cell).replace("|", "\\|") for cell in line] for line in lines]
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)
