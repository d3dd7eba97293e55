"""The command `hannan inspect`: sizes, and memory before it is taken; of a game that is too large, what plays tell."""

from __future__ import annotations

from math import isfinite
from typing import Any

from hannan.cli import report
from hannan.cli.options import Json
from hannan.cli.report import answer
from hannan.errors import HannanError, SizeError
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import ExpandedGame, Game, PlayedGame
from hannan.forms.loader import load
from hannan.forms.outline import histories_text, outline
from hannan.forms.sizes import Sizes
from hannan.layouts.factoring import factor
from hannan.layouts.layout import choose
from hannan.memory import available, readable
from hannan.rules.checks import recall_warning
from hannan.rules.positions import look_for_hidden
from hannan.runs.status_line import expansion_line
from hannan.solvers import METHODS, method_class
from hannan.solvers.sampling.sampler import Sampling

NOTHING = {True: "does not apply", False: "nothing is proven"}
"""Where a method promises nothing: an exact one refuses the game, an iterative one runs all the same."""

COUNTS = ("players", "kind", "histories", "serialised", "terminal", "chance", "decision", "joint", "depth")
"""What is printed first of the sizes of a game."""

NAMES = {
    "serialised": "histories, joint moves one by one",
    "information_sets": "information sets",
    "sets_presented_alike": "of these, distinguished only by the player's own past actions",
    "payoff_numbers": "payoff numbers, with factors",
    "value": "known value",
    "layout": "layout of full-width methods",
}
"""What people read in place of a key."""


EXACT_SEARCH = tuple(method for method, (room, _) in METHODS.items() if room.startswith("hannan.treesearch."))
SEARCHED = "yes, if it is zero-sum: only the current joint move is hidden; hannan search answers at any time"
NETWORKS = "with networks in place of tables; with --actions 1 or 2 where a player has many choices in a play"

ROUGH = "Where random plays end early, the number of histories may be many times larger."
STOPPED = f"The count was stopped: these are estimates from random plays. {ROUGH}"
ASKED = f"These are estimates from random plays; without --estimate the game is counted. {ROUGH}"


def inspect(game: str, /, *, estimate: bool = False, as_json: Json = False) -> None:
    """Print the sizes of a game, and what each method promises there and the memory that it would need.

    Ctrl-C while a large game is counted prints what random plays tell of it.

    Parameters
    ----------
    game
        An address such as leduc_poker(ranks=13), or file.py:MyRules, module:MyRules, file.efg, openspiel:NAME.
    estimate
        Print what random plays tell, at once, and count nothing.
    """
    given = load(game)
    if isinstance(given, ForgetfulGame):
        _forgetful(given, as_json)
        return
    loaded = given.played()
    if estimate:
        _outline(loaded, ASKED, as_json)
        return
    try:
        with expansion_line():
            numbers = factor(loaded.form).numbers if isinstance(loaded, ExpandedGame) else None
            sizes = loaded.sizes
    except SizeError as error:
        _outline(loaded, str(error), as_json, too_large=True)
        return
    except KeyboardInterrupt:
        _outline(loaded, STOPPED, as_json)
        return
    _inspect(loaded, sizes, numbers, as_json)


def _inspect(game: PlayedGame, sizes: Sizes, numbers: int | None, as_json: bool) -> None:
    """Print the sizes of a game; numbers: of its payoffs as they are stored, where its form was made."""
    views = {
        "compiling": sizes.compile_bytes,
        "sequence form": sizes.form_bytes,
        "tree": sizes.tree_bytes,
    }
    kinds = {method: method_class(method) for method in METHODS}
    methods = {method: kind.memory(sizes) for method, kind in kinds.items()}
    promises = {method: kind.guarantee.promise(sizes.competitive) for method, kind in kinds.items()}
    if not (sizes.competitive and _open(game)):
        promises |= dict.fromkeys(EXACT_SEARCH)
    free = available()
    rows: dict[str, Any] = {name: getattr(sizes, name) for name in COUNTS}
    rows |= {"information_sets": sizes.sets, "sets_presented_alike": sizes.alike, "sequences": sizes.sequences}
    rows |= {"entries": sizes.entries, "payoff_numbers": numbers, "lowest": sizes.lowest, "highest": sizes.highest}
    rows |= {"value": game.known_value, "layout": ", ".join(choose(sum(sizes.sequences)))}
    warning = recall_warning(game.rules, sum(sizes.alike))
    names = {**NAMES, "entries": "payoff entries" if numbers is not None else "payoff entries, at most"}

    def show() -> None:
        report.facts(
            game.address,
            {names.get(name, name): fact for name, fact in rows.items()}
            | {f"memory, {name}": readable(size) for name, size in views.items()}
            | {"memory, free now": readable(free), "what is promised": statement(sizes)},
        )
        lines = [
            [method, readable(methods[method]), promises[method] or NOTHING[kinds[method].exact]]
            for method in sorted(METHODS)
        ]
        report.grid("", ["method", "memory", "promises here"], lines)
        if warning:
            report.note(warning)
        if views["compiling"] > free:
            report.note("This does not fit into memory: methods that need the whole game will refuse it.")

    told = {"statement": statement(sizes), "promises": promises, "warning": warning or None}
    memory = {"memory": views, "memory_of_methods": methods, "free": free}
    answer(as_json, {"game": game.address, **rows, **memory, **told}, show)


def _forgetful(game: ForgetfulGame, as_json: bool) -> None:
    """Print the sizes of a game in which somebody forgets, and of its refinement."""
    forgets = str(game.forgetting)
    try:
        with expansion_line():
            sizes = game.refined.sizes
    except SizeError as error:
        record = {"game": game.address, "too_large": str(error), "players": game.players, "forgets": forgets}
        answer(as_json, record, lambda: report.facts(game.address, {"players": game.players, "forgets": forgets}))
        report.note(str(error))
        return
    rows: dict[str, Any] = {name: getattr(sizes, name) for name in COUNTS if name not in ("serialised", "joint")}
    rows |= {"kind": f"{sizes.kind}, imperfect recall", "information_sets": game.stated_sets}
    rows |= {"refined_sets": sizes.sets, "lowest": sizes.lowest, "highest": sizes.highest}

    def show() -> None:
        words = {**NAMES, "refined_sets": "information sets of the refinement"}
        report.facts(game.address, {words.get(name, name): fact for name, fact in rows.items()})
        report.note(f"{forgets}. Methods refuse it; {game.refined.address} is the refinement in which nobody forgets")

    answer(as_json, {"game": game.address, **rows, "forgets": forgets, "refinement": game.refined.address}, show)


def statement(sizes: Sizes) -> str:
    """Say what may be expected of methods on a game of this kind."""
    if sizes.competitive:
        return "two players with opposed interests: NashConv goes to 0, and says how far a profile is from equilibrium"
    if sizes.players == 1:
        return "one player: an equilibrium is a best strategy, and NashConv is what a strategy leaves to be gained"
    who = "two players, general-sum" if sizes.players == 2 else f"{sizes.players} players"
    return (
        f"{who}: no method here is proven to find a Nash equilibrium. With simultaneous updates correlated average "
        "play approaches a coarse correlated equilibrium: the CCE gap says how close it is. The NashConv of a profile "
        "is exact for that profile, and need not go to 0"
    )


def _outline(game: PlayedGame, sentence: str, as_json: bool, too_large: bool = False) -> None:
    """Print what random plays tell of a game that was not counted, and which methods play it without expanding it."""
    seen = outline(game.rules)
    methods = {method: _direct(game, method) for method in METHODS if issubclass(method_class(method), Sampling)}
    searches = EXACT_SEARCH if game.players == 2 and _open(game) else ()
    histories = seen.histories if isfinite(seen.histories) else None  # more than the largest float
    record = {"players": game.players, "estimated_histories": histories, "longest_random_play": seen.longest}

    def show() -> None:
        report.facts(
            game.address,
            {
                "players": game.players,
                "histories, estimated": histories_text(seen.histories),
                "moves in the longest of some random plays": seen.longest,
                "memory, free now": readable(available()),
            },
        )
        lines = [[method, f"no: {refusal}" if refusal else "yes"] for method, refusal in methods.items()]
        lines += [[method, SEARCHED] for method in searches]
        lines += [[method, NETWORKS] for method in sorted(METHODS) if _neural(method)]
        report.grid("", ["method", "plays it without expanding it"], lines)
        report.note(sentence)

    walks = {method: {"plays_it": not refusal, "refusal": refusal or None} for method, refusal in methods.items()}
    walks |= {method: {"plays_it": True, "refusal": None} for method in searches}
    why = {"too_large": sentence if too_large else None}
    whole = {"game": game.address, **why, **record, "methods": walks, "free": available()}
    answer(as_json, whole, show)


def _open(game: PlayedGame) -> bool:
    """Say whether nothing but the current joint move is hidden, as far as a few plays show."""
    try:
        look_for_hidden(game.rules, EXACT_SEARCH[0])
    except HannanError:
        return False
    return True


def _neural(method: str) -> bool:
    """Say whether a method learns by networks, which play any rules."""
    return METHODS[method][0].startswith("hannan.neural.")


def _direct(game: Game, method: str) -> str:
    """Say why a sampler does not play the rules of a game; nothing where it does."""
    kind: Any = method_class(method)
    try:
        kind(game, on="rules")
    except HannanError as error:
        return str(error)
    return ""
