"""From hannan's numbers of information sets to the reference's keys."""

from __future__ import annotations

from collections.abc import Hashable

from hannan.forms.game import ExpandedGame
from hannan.strategies.profile import Profile
from tests.reference import History, Key, Plan, Tree, grow


def _action(game: ExpandedGame, player: int, sequence: int) -> Hashable:
    """Return the last action of a sequence, as the rules know it."""
    code, labels = int(game.tree.treeplexes[player].action[sequence]), game.tree.labels
    return code if labels is None else labels.actions[code]


def keys_of(game: ExpandedGame, player: int) -> list[Key]:
    """Return the reference's key of each information set of a player, read off its treeplex."""
    tree = game.tree
    plex = tree.treeplexes[player]
    keys: list[Key] = []
    for number in range(plex.sets):
        code = int(plex.observation[number])
        seen = code if tree.labels is None else tree.labels.observations[code]
        before = int(plex.parent[number])
        history: History = ()
        if before:
            _, earlier, seen_then = keys[int(plex.set_of[before])]
            history = (*earlier, (seen_then, _action(game, player, before)))
        keys.append((player, history, seen))
    return keys


def plan_of(profile: Profile) -> Plan:
    """Return a profile as the reference writes it."""
    plan: Plan = {}
    for player, strategy in enumerate(profile.strategies):
        plex = profile.game.tree.treeplexes[player]
        for number, key in enumerate(keys_of(profile.game, player)):
            sequences = range(int(plex.begin[number]), int(plex.begin[number + 1]))
            plan[key] = {_action(profile.game, player, s): float(strategy[s]) for s in sequences}
    return plan


def grown(game: ExpandedGame) -> Tree:
    """Return the reference's tree of a game; it must have exactly the sets that hannan found."""
    tree = grow(game.rules)
    ours = {key for player in range(game.players) for key in keys_of(game, player)}
    assert ours == set(tree.menus)
    return tree


def furthest(first: Plan, second: Plan) -> float:
    """Return the largest difference of two probabilities."""
    assert first.keys() == second.keys()
    pairs = ((plays[a], second[key][a]) for key, plays in first.items() for a in plays)
    return max((abs(x - y) for x, y in pairs), default=0.0)
