"""Games in normal form: each player chooses once, at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError
from hannan.games.catalogue import Entry, Known
from hannan.games.parts import each, never, real
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import END, MOST_GAIN, MOST_PLAYERS

# table: players, number of actions of each; then, as the bits of floats, the least and the largest payoff of each, and
# all payoffs: cells in row-major order, in each cell the payoff of player 0, 1, …
# state: whether play is over, the number of the cell that was chosen
OVER, CELL, STATE_SIZE = range(3)

MOST_WRITTEN = 200
"""The most payoffs that an address lists: for example, a matrix of 10 rows and 20 columns."""


def start(table: Longs, state: Longs) -> None:
    """Leave the state at zero: no player has chosen yet."""


def turn(table: Longs, state: Longs) -> int:
    """Let all players move at once, then end play."""
    return END if state[OVER] else (1 << table[0]) - 1


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List the rows (or columns, …) of the matrix."""
    return each(0, table[1 + player], out)


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Find the cell of the joint action, and end play."""
    cell = 0
    for player in range(table[0]):
        cell = cell * table[1 + player] + choice[player]
    state[CELL] = cell
    state[OVER] = 1


def observe(table: Longs, state: Longs, player: int) -> int:
    """Return 0: nothing has happened before."""
    return 0


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Read the payoffs of the cell."""
    players = table[0]
    if state[OVER]:
        first = 1 + 3 * players + state[CELL] * players
        for player in range(players):
            out[player] = real(table, first + player)


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Read the least and the largest payoff of each player."""
    players = table[0]
    for k in range(2 * players):
        out[k] = 0.0 if state[OVER] else real(table, 1 + players + k)


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write which player acts; there is nothing else to know."""
    out[player] = 1.0


BOOK = Rulebook(start, turn, actions, never, move, observe, gains, bounds=bounds, features=features)


def matrix_game(payoffs: Any, rows: Sequence[str] | None = None, columns: Sequence[str] | None = None) -> CompiledRules:
    """Build a game in normal form from nested lists or arrays of payoffs.

    Parameters
    ----------
    payoffs : nested lists or ndarray
        With two dimensions, `payoffs[row][column]` is what player 0, who picks the row, gains in a two-player zero-sum
        game. Otherwise one array per player, with one dimension per player: `payoffs[i][a0][a1]…` is what player i
        gains.
    rows, columns : list of str, optional
        The names of the actions of two players. Default: their numbers.

    Returns
    -------
    CompiledRules
        The rules of the game. The address of a game with more than `MOST_WRITTEN` payoffs has their shape and a digest
        instead of the payoffs.

    Raises
    ------
    ParameterError
        If the payoffs have another shape, are not finite, or do not fit the names.

    Examples
    --------
    >>> import hannan as hn
    >>> game = hn.matrix_game([[2, -1], [-1, 1]], rows=["up", "down"], columns=["left", "right"])
    >>> result = hn.solve(game)
    >>> round(result.values[0], 6)
    0.2
    >>> {action: round(share, 6) for action, share in result.profile.at(0, 0).items()}
    {'up': 0.4, 'down': 0.6}
    """
    array = _checked(payoffs)
    name = "matrix_game" if np.size(payoffs) <= MOST_WRITTEN else _short_name(array)
    if rows is None and columns is None:
        return _normal_form(name, array)
    if array.shape[0] != 2:
        raise ParameterError(
            f"rows and columns name the actions of two players, but the payoffs are for {array.shape[0]}"
        )
    labels = [_labels(*side) for side in zip(("rows", "columns"), (rows, columns), array.shape[1:], strict=True)]
    return _normal_form(name, array, labels)


def _labels(name: str, given: Any, many: int) -> list[str]:
    """Return the names of one player's actions; refuse too many, too few, or two that are the same."""
    if given is None:
        return list(map(str, range(many)))
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise ParameterError(f"{name}={shown(given)} should be a list of names")
    labels = list(map(str, given))
    if len(labels) != many:
        raise ParameterError(f"{name}={shown(labels)} should have {many} names, as many as the payoffs have {name}")
    if len(set(labels)) < many:
        twice = next(label for label in labels if labels.count(label) > 1)
        raise ParameterError(f"{shown(twice)} is named twice in {name}")
    return labels


def _short_name(array: Floats) -> str:
    """Name a large game by its shape and the digest of its payoffs, as in `matrix_game(1000x1000, 3f2a…)`."""
    shape = "x".join(map(str, array.shape[1:]))
    return f"matrix_game({shape}, {blake2b((array + 0.0).tobytes(), digest_size=8).hexdigest()})"


@remade
def _normal_form(name: str, payoffs: Any, actions: Sequence[Sequence[str]] | None = None) -> CompiledRules:
    array = _checked(payoffs)
    players, sizes = array.shape[0], array.shape[1:]
    cells: Floats = np.ascontiguousarray(np.moveaxis(array, 0, -1))
    flat = cells.reshape(-1, players)
    span = np.stack((flat.min(axis=0), flat.max(axis=0)), axis=1)
    payoff_bits = np.concatenate((span.ravel(), flat.ravel())).view(np.int64)
    table = np.concatenate((np.array([players, *sizes], np.int64), payoff_bits))
    return CompiledRules(
        name,
        players,
        BOOK,
        table,
        state_size=STATE_SIZE,
        width=max(sizes),
        feature_size=players,
        action_text=lambda player, action: str(action) if actions is None else actions[player][action],
        observation_text=lambda player, observation: "start",
        action_help=lambda player, action: ("your row", "your column")[player] if players == 2 else "your choice",
    )


def _checked(payoffs: Any) -> Floats:
    """Return the payoffs as one array, [players, actions of player 0, of player 1, …]."""
    try:
        array: Floats = np.array(payoffs, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("payoffs are not numbers in lists of equal length") from None
    if array.ndim == 2:
        array = np.stack((array, 0.0 - array))
    players = array.ndim - 1
    if players < 2 or len(array) != players:
        raise ParameterError(
            f"payoffs of shape {array.shape} are neither one matrix (two players, zero-sum) nor one array "
            "for each of n players with n dimensions each"
        )
    if players > MOST_PLAYERS:
        raise ParameterError(f"payoffs are for {players} players; at most {MOST_PLAYERS} can play")
    if array.size == 0:
        raise ParameterError(f"payoffs of shape {array.shape} leave a player without an action")
    if not np.isfinite(array).all():
        where = ", ".join(map(str, np.argwhere(~np.isfinite(array))[0][1:]))
        raise ParameterError(f"the payoffs at ({where}) are not all finite numbers")
    if np.abs(array).max() > MOST_GAIN:
        where = ", ".join(map(str, np.argwhere(np.abs(array) > MOST_GAIN)[0][1:]))
        raise ParameterError(f"the payoffs at ({where}) are not all below {MOST_GAIN:g}: measure them in larger units")
    return array


RPS = ("rock", "paper", "scissors")
SHAPLEY = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]

FAMOUS: dict[str, tuple[Any, tuple[str, ...], str, str]] = {
    "rock_paper_scissors": ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], RPS, "the classic, value 0", "traditional"),
    "biased_rps": (
        [[0, -0.25, 0.5], [0.25, 0, -0.05], [-0.5, 0.05, 0]],
        RPS,
        "rock-paper-scissors with equilibrium (1, 10, 5)/16 and value 0",
        "B. Bošanský et al. (2016), Algorithms for computing strategies in simultaneous move games",
    ),
    "matching_pennies": (
        [[1, -1], [-1, 1]],
        ("heads", "tails"),
        "player 0 wins if the coins match",
        "traditional",
    ),
    "prisoners_dilemma": (
        [[[3, 0], [5, 1]], [[3, 5], [0, 1]]],
        ("cooperate", "defect"),
        "both players defect, but both prefer mutual cooperation",
        "R. Axelrod (1984), The evolution of cooperation",
    ),
    "chicken": (
        [[[6, 2], [7, 0]], [[6, 7], [2, 0]]],
        ("yield", "dare"),
        "two pure equilibria, and a correlated one that is better for both together",
        "R. J. Aumann (1974), Subjectivity and correlation in randomized strategies",
    ),
    "shapley": (
        [SHAPLEY, np.transpose(SHAPLEY).tolist()],
        RPS,
        "fictitious play cycles forever",
        "L. S. Shapley (1964), Some topics in two-person games",
    ),
}
"""Payoffs, names of the actions, a summary and a source."""

OPENSPIEL = {
    "rock_paper_scissors": "matrix_rps",
    "matching_pennies": "matrix_mp",
    "shapley": "matrix_shapleys_game",
}


def _entry(name: str) -> Entry:
    payoffs, actions, summary, source = FAMOUS[name]
    rows, columns = np.array(payoffs).shape[-2:]
    value = 0.0 if name in ("rock_paper_scissors", "biased_rps", "matching_pennies") else None
    theirs = OPENSPIEL.get(name)
    return Entry(
        name=name,
        make=partial(_normal_form, name, payoffs, (actions, actions)),
        summary=summary,
        source=source,
        known={name: Known(1 + rows * columns, (1, 1), value, source, 1 + rows + rows * columns)},
        openspiel={name: f"turn_based_simultaneous_game(game={theirs}())"} if theirs else {},
    )


ENTRIES = {name: _entry(name) for name in FAMOUS} | {
    "matrix_game": Entry(
        name="matrix_game",
        make=matrix_game,
        summary="any game in normal form, from its payoffs",
        source="J. von Neumann and O. Morgenstern (1944), Theory of games and economic behavior",
        parameters={
            "payoffs": "a matrix (two players, zero-sum), or one array per player with one dimension per player",
            "rows": "names of player 0's actions, for two players only",
            "columns": "names of player 1's actions, for two players only",
        },
    ),
}
