"""A plain reference: games walked recursively with dictionaries, sharing no code with hannan's kernels.

It reads the rules alone. An information set is named by its `Key`: the player, its own history of (observation,
action) pairs, and what it observes now. Gains on the way count; at a joint node every mover's set is there at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from hannan.rules.plain import CHANCE, END, Rules

History = tuple[tuple[Hashable, Hashable], ...]
Key = tuple[int, History, Hashable]
Plan = dict[Key, dict[Hashable, float]]
"""The probability of each action at each information set, of all players."""


@dataclass(frozen=True)
class Node:
    """One history. `moves` lists (probabilities of chance, actions of the movers, what follows)."""

    gains: tuple[float, ...]
    keys: tuple[Key, ...]
    """The information sets of the movers; empty at chance and at the end."""
    moves: tuple[tuple[float, tuple[Hashable, ...], Node], ...]


@dataclass(frozen=True)
class Tree:
    """A whole game: the root and, for each information set, its actions."""

    players: int
    root: Node
    menus: dict[Key, tuple[Hashable, ...]]

    def keys(self, player: int) -> list[Key]:
        return [key for key in self.menus if key[0] == player]

    def uniform(self) -> Plan:
        return {key: {action: 1 / len(menu) for action in menu} for key, menu in self.menus.items()}


def grow(rules: Rules) -> Tree:
    """Walk the rules once."""
    menus: dict[Key, tuple[Hashable, ...]] = {}

    def visit(state: Any, histories: tuple[History, ...]) -> Node:
        gains = tuple(float(gain) for gain in rules.gains(state))
        turn = rules.turn(state)
        if turn == END:
            return Node(gains, (), ())
        if turn == CHANCE:
            outcomes = rules.chance(state)
            below = [(float(p), (), visit(rules.after(state, outcome), histories)) for outcome, p in outcomes]
            return Node(gains, (), tuple(below))
        who = turn if isinstance(turn, tuple) else (turn,)
        seen = {player: rules.observe(state, player) for player in who}
        offered = [tuple(rules.actions(state, player)) for player in who]
        keys = tuple((player, histories[player], seen[player]) for player in who)
        for key, menu in zip(keys, offered, strict=True):
            assert menus.setdefault(key, menu) == menu
        moves = []
        for joint in product(*offered):
            after = list(histories)
            for player, action in zip(who, joint, strict=True):
                after[player] = (*histories[player], (seen[player], action))
            following = rules.after(state, joint if isinstance(turn, tuple) else joint[0])
            moves.append((1.0, joint, visit(following, tuple(after))))
        return Node(gains, keys, tuple(moves))

    root = visit(rules.start(), ((),) * rules.players)
    return Tree(rules.players, root, menus)


def values(tree: Tree, plan: Plan) -> list[float]:
    """Return the expected utility of each player."""

    def visit(node: Node) -> list[float]:
        result = list(node.gains)
        for chance, joint, child in node.moves:
            weight = chance
            for key, action in zip(node.keys, joint, strict=True):
                weight *= plan[key][action]
            if weight:
                result = [old + weight * more for old, more in zip(result, visit(child), strict=True)]
        return result

    return visit(tree.root)


def counterfactual(tree: Tree, plan: Plan, player: int) -> dict[Key, dict[Hashable, float]]:
    """Return the counterfactual value of each action at each information set of `player`."""
    worth = {key: dict.fromkeys(tree.menus[key], 0.0) for key in tree.keys(player)}

    def visit(node: Node, reach: float) -> float:
        """`reach` is everybody else's, chance included."""
        total = reach * node.gains[player]
        mine = next((key for key in node.keys if key[0] == player), None)
        for chance, joint, child in node.moves:
            others, own, taken = reach * chance, 1.0, None
            for key, action in zip(node.keys, joint, strict=True):
                if key[0] == player:
                    own, taken = plan[key][action], action
                else:
                    others *= plan[key][action]
            value = visit(child, others)
            if mine is not None:
                assert taken is not None
                worth[mine][taken] += value
            total += own * value
        return total

    visit(tree.root, 1.0)
    return worth


def own_reach(plan: Plan, key: Key) -> float:
    """Return the probability with which the player's own choices lead to a set."""
    player, history, _ = key
    reach = 1.0
    for k, (seen, action) in enumerate(history):
        reach *= plan[(player, history[:k], seen)][action]
    return reach


def best_value(tree: Tree, player: int, plays: Sequence[tuple[float, Plan]]) -> float:
    """Return the most that one strategy of `player` earns where the others play plan k with weight w_k, correlated."""
    gained: dict[History, float] = {}

    def visit(node: Node, mine: History, reaches: list[float]) -> None:
        gained[mine] = gained.get(mine, 0.0) + node.gains[player] * sum(reaches)
        for chance, joint, child in node.moves:
            after, weights = mine, [chance * reach for reach in reaches]
            for key, action in zip(node.keys, joint, strict=True):
                if key[0] == player:
                    after = (*mine, (key[2], action))
                else:
                    weights = [w * plan[key][action] for w, (_, plan) in zip(weights, plays, strict=True)]
            visit(child, after, weights)

    visit(tree.root, (), [weight for weight, _ in plays])
    following: dict[History, list[Key]] = {}
    for key in tree.keys(player):
        following.setdefault(key[1], []).append(key)

    def best(history: History) -> float:
        later = (
            max(best((*history, (key[2], action))) for action in tree.menus[key]) for key in following.get(history, [])
        )
        return gained.get(history, 0.0) + sum(later)

    return best(())


def pure_plans(tree: Tree, player: int) -> Iterator[Plan]:
    """Yield every pure strategy of a player: brute force, for tiny games."""
    keys = tree.keys(player)
    for choice in product(*(tree.menus[key] for key in keys)):
        yield {
            key: {action: float(action == chosen) for action in tree.menus[key]}
            for key, chosen in zip(keys, choice, strict=True)
        }
