"""The inspection of a game before it is solved: sizes, memory, and what each method promises."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from hannan.arguments import truth
from hannan.arrays import Known
from hannan.errors import HannanError, SizeError
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import LARGEST_PUBLIC, ExpandedGame, PlayedGame, PublicGame
from hannan.forms.loader import Loadable, load
from hannan.forms.outline import outline
from hannan.forms.sizes import Sizes
from hannan.layouts.factoring import factor
from hannan.layouts.layout import choose
from hannan.layouts.public import PublicSetup
from hannan.memory import available
from hannan.rules.checks import recall_warning
from hannan.rules.positions import look_for_hidden
from hannan.solvers import METHODS, method_class
from hannan.solvers.fullwidth.engine import FullWidth
from hannan.solvers.sampling.sampler import Sampling

EXACT_SEARCH = tuple(method for method, (room, _) in METHODS.items() if room.startswith("hannan.treesearch."))
COUNTS = ("histories", "serialised", "terminal", "chance", "decision", "joint", "depth", "lowest", "highest")
"""Fields of an inspection that are fields of the sizes."""


@dataclass(frozen=True)
class Inspection:
    """Facts about a game before it is solved. A fact that was not measured, or does not apply, is None."""

    game: str
    players: int
    free: int
    """Bytes of memory that are free now."""

    kind: Known = None  # str | None
    """Zero-sum, constant-sum or general-sum; None if the game was not counted, like all fields down to `warning`."""
    histories: Known = None  # int | None
    serialised: Known = None  # int | None
    """As `histories`, with joint moves made one after another."""
    terminal: Known = None  # int | None
    chance: Known = None  # int | None
    decision: Known = None  # int | None
    joint: Known = None  # int | None
    depth: Known = None  # int | None
    """Moves in the longest play."""
    information_sets: Known = None  # [players] | None
    sets_presented_alike: Known = None  # [players] | None
    """The number of information sets distinguished only by the player's own past actions."""
    sequences: Known = None  # [players] | None
    entries: Known = None  # int | None
    """Payoff entries of the sequence form; if `payoff_numbers` is None, an upper bound."""
    payoff_numbers: int | None = None
    """The count of numbers that store the payoffs, with factors; None if the sequence form was not made."""
    lowest: Known = None  # [players] | None
    """The least that each player can earn."""
    highest: Known = None  # [players] | None
    value: float | None = None
    """The value to player 0, if the literature knows it."""
    layout: str | None = None
    """The layout of full-width methods."""
    memory: dict[str, int] | None = None
    """Bytes for compiling the game, for its sequence form, for its tree, and for the average of a full-width method,
    which averaging=last and output=last save. Of a game with a public tree: bytes of the tree, and of a solve on one
    thread with precision=float32 and precision=int16; methods that predict take half as much again."""
    memory_of_methods: dict[str, int] | None = None
    """Bytes that each method takes; None for a game with a public tree."""
    statement: str | None = None
    """A statement about what methods reach on a game of this kind."""
    promises: dict[str, str | None] | None = None
    """The promise of each method on this game; None: no promise. With a public tree: the methods that work on it."""
    warning: str | None = None
    """A warning if methods do not follow what the rules say of information sets."""

    too_large: str | None = None
    """Why the game does not fit into memory."""
    estimated_histories: float | None = None
    """By random plays, if the game was not counted; None also if it is more than the largest float."""
    longest_random_play: int | None = None
    """Moves in the longest random play."""
    methods: dict[str, dict[str, Any]] | None = None
    """If the game was not counted, for methods that need no expanded game: `plays_it`, and the `refusal` if not."""

    forgets: str | None = None
    """Which player forgets, and where. The counts are then those of the refinement with perfect recall, except that
    `information_sets` counts those of the game."""
    refined_sets: Known = None  # [players] | None
    """Information sets of the refinement."""
    refinement: str | None = None
    """The address of the refinement."""

    public: dict[str, Any] | None = None
    """The public tree, if there is one: `types` of each player, `boards` (the first deal of those that are mirrors of
    each other), `decisions` of each player, `deals`, `ends` and `entries` (actions times types), and whether the game
    may be `expanded` for other methods."""

    def record(self) -> dict[str, Any]:
        """Return the fields as one object that JSON can hold."""
        return dict(vars(self))


def inspect(game: Loadable, *, estimate: bool = False) -> Inspection:
    """Return the sizes of a game, the memory that each method needs, and what each method promises on it.

    A game with public play, such as hold'em, is counted on its public tree and never expanded: `public` describes it.
    If a game does not fit into memory, or Ctrl-C stops the count, the game is played at random instead. Then
    `estimated_histories` and `methods` replace the counts.

    Parameters
    ----------
    game : whatever `load` takes
        A game that is not a black box.
    estimate : bool, default: False
        Play at random at once, and count nothing.

    Returns
    -------
    Inspection
        The counts. A field that was not measured or does not apply is None.

    Raises
    ------
    UnsuitableError
        If the game is a black box.

    Examples
    --------
    >>> import hannan as hn
    >>> sizes = hn.inspect("kuhn_poker")
    >>> sizes.histories, sizes.information_sets, sizes.kind
    (58, (6, 6), 'zero-sum')
    """
    estimate = truth("estimate", estimate)
    given = load(game)
    if isinstance(given, ForgetfulGame):
        return _forgetful(given)
    loaded = given.played()
    if estimate:
        return _outlined(loaded)
    try:
        if isinstance(loaded, PublicGame):
            return _public(loaded)
        numbers = factor(loaded.form).numbers if isinstance(loaded, ExpandedGame) else None
        sizes = loaded.sizes
    except SizeError as error:
        return _outlined(loaded, str(error))
    except KeyboardInterrupt:
        return _outlined(loaded)
    return _counted(loaded, sizes, numbers)


def _counted(game: PlayedGame, sizes: Sizes, numbers: int | None) -> Inspection:
    """Return the inspection of a counted game. numbers: those that store its payoffs, if its form was made."""
    kinds = {method: method_class(method) for method in METHODS}
    promises = {method: kind.guarantee.promise(sizes.competitive) for method, kind in kinds.items()}
    if not (sizes.competitive and _open(game)):
        promises |= dict.fromkeys(EXACT_SEARCH)
    return Inspection(
        game=game.address,
        players=sizes.players,
        free=available(),
        kind=sizes.kind,
        **{name: getattr(sizes, name) for name in COUNTS},
        information_sets=sizes.sets,
        sets_presented_alike=sizes.alike,
        sequences=sizes.sequences,
        entries=sizes.entries,
        payoff_numbers=numbers,
        value=game.known_value,
        layout=", ".join(choose(sum(sizes.sequences))),
        memory={
            "compiling": sizes.compile_bytes,
            "sequence form": sizes.form_bytes,
            "tree": sizes.tree_bytes,
            "average": sizes.average_bytes,
        },
        memory_of_methods={method: kind.memory(sizes) for method, kind in kinds.items()},
        statement=_statement(sizes),
        promises=promises,
        warning=recall_warning(game.rules, sum(sizes.alike)) or None,
    )


def _public(game: PublicGame) -> Inspection:
    """Return the inspection of a game with a public tree."""
    form, sizes = game.form, game.sizes
    kinds = {method: method_class(method) for method in METHODS}
    counts = form.counts
    return Inspection(
        game=game.address,
        players=sizes.players,
        free=available(),
        kind=sizes.kind,
        **{name: getattr(sizes, name) for name in COUNTS},
        information_sets=sizes.sets,
        sequences=sizes.sequences,
        entries=sizes.entries,
        value=game.known_value,
        layout="public tree",
        memory={
            "public tree": sum(array.nbytes for array in form.arrays if isinstance(array, np.ndarray)),
            "float32": PublicSetup(form, kept="float32").bytes,
            "int16": PublicSetup(form, kept="int16").bytes,
        },
        statement=_statement(sizes),
        promises={
            method: kind.guarantee.promise(sizes.competitive)
            for method, kind in kinds.items()
            if issubclass(kind, FullWidth)
        },
        public={
            "types": form.types,
            "boards": len(form.deals),
            "decisions": (counts["decisions_0"], counts["decisions_1"]),
            **{name: counts[name] for name in ("deals", "ends", "entries")},
            "expanded": game.fixed is None and sizes.histories <= LARGEST_PUBLIC,
        },
    )


def _forgetful(game: ForgetfulGame) -> Inspection:
    """Return the sizes of a game in which a player forgets, and of its refinement."""
    forgets = str(game.forgetting)
    try:
        sizes = game.refined.sizes
    except SizeError as error:
        return Inspection(game.address, game.players, available(), too_large=str(error), forgets=forgets)
    return Inspection(
        game=game.address,
        players=sizes.players,
        free=available(),
        kind=f"{sizes.kind}, imperfect recall",
        **{name: getattr(sizes, name) for name in COUNTS if name not in ("serialised", "joint")},
        information_sets=game.stated_sets,
        forgets=forgets,
        refined_sets=sizes.sets,
        refinement=game.refined.address,
    )


def _outlined(game: PlayedGame, too_large: str | None = None) -> Inspection:
    """Return estimates from random plays, and which methods play the game without expanding it."""
    seen = outline(game.rules)
    refusals = {method: _refusal(game, method) for method in METHODS if issubclass(method_class(method), Sampling)}
    if game.players == 2 and _open(game):
        refusals |= dict.fromkeys(EXACT_SEARCH)
    return Inspection(
        game=game.address,
        players=game.players,
        free=available(),
        too_large=too_large,
        estimated_histories=seen.histories if isfinite(seen.histories) else None,
        longest_random_play=seen.longest,
        methods={method: {"plays_it": refusal is None, "refusal": refusal} for method, refusal in refusals.items()},
    )


def _statement(sizes: Sizes) -> str:
    """Return a statement about what methods reach on a game of this kind."""
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


def _open(game: PlayedGame) -> bool:
    """Return whether only the current joint move is hidden, judging by a few plays."""
    try:
        look_for_hidden(game.rules, EXACT_SEARCH[0])
    except HannanError:
        return False
    return True


def _refusal(game: PlayedGame, method: str) -> str | None:
    """Return why a sampler does not play the rules of a game; None if it does."""
    kind: Any = method_class(method)
    try:
        kind(game, over="rules")
    except HannanError as error:
        return str(error)
    return None
