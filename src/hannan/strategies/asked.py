"""The profile of a strategy that is not a table: the strategy is called at every set of the expanded game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hannan.arrays import Floats
from hannan.errors import UnsuitableError
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.treeplex import Treeplex
from hannan.rules.paths import state_at
from hannan.strategies.profile import Profile
from hannan.strategies.seats import inform
from hannan.strategies.strategy import Strategy


def asked_profile(strategy: Strategy, game: PlayedGame) -> Profile:
    """Call a strategy at every information set, after all that its player saw and did on the way, and return a profile.

    A rule that names an action is refused, because it may name another action next time.
    """
    expanded = game.expanded()
    strategies = []
    for player, plex in enumerate(expanded.form.treeplexes):
        plays = np.ones(plex.sequences)
        for number in range(plex.sets):
            begin = int(plex.begin[number])
            plays[begin : int(plex.begin[number + 1])] = _answer(strategy, expanded, player, way_to(plex, number))
        strategies.append(plays)
    return Profile(expanded, tuple(strategies), dict(strategy.facts))


def way_to(plex: Treeplex, number: int) -> list[tuple[int, int]]:
    """Return a player's sets on the way to set `number`, each with the place of its action; that set last, with -1."""
    way = [(number, -1)]
    while (before := int(plex.parent[way[0][0]])) > 0:
        above = int(np.searchsorted(plex.begin, before, side="right")) - 1
        way.insert(0, (above, before - int(plex.begin[above])))
    return way


def _answer(strategy: Strategy, game: ExpandedGame, player: int, way: Sequence[tuple[int, int]]) -> Floats:
    rules, plex, seat = game.rules, game.form.treeplexes[player], strategy.sit(player, player)
    for number, taken in way:
        state = state_at(rules, game.tree.path(int(plex.node[number])))
        inform(seat, rules, state, player)
        answer = seat.choose(rules.observe(state, player), list(rules.actions(state, player)))
        if taken >= 0:
            seat.took(taken)
    if not answer.known:
        raise UnsuitableError(
            f"at {game.set_text(player, number)!r} the strategy names an action, and may name another one next time: "
            "let it return probabilities, such as {action: 1.0}"
        )
    return answer.weights
