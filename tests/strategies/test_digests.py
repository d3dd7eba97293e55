"""Digests of tables: the same for the same strategy in whatever order, another one for every other strategy."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.strategies.digests import _levels, policy_digest
from tests.delegating import Delegating


def turned(policy: hn.Policy, seed: int) -> hn.Policy:
    """Return the same table with its sets in another order, parents first."""
    random, players = np.random.default_rng(seed), policy.game.players
    set_of = np.concatenate((np.full(players, -1), np.repeat(np.arange(policy.sets), policy.size)))
    left, order = [*range(policy.sets)], []
    while left:
        ready = [one for one in left if set_of[policy.parent[one]] < 0 or set_of[policy.parent[one]] in order]
        order.append(int(random.choice(ready)))
        left.remove(order[-1])
    size = policy.size[order]
    base = players + np.cumsum(size) - size
    goes = np.arange(len(policy.probability))
    for now, before in zip(base, np.array(order), strict=True):
        goes[policy.base[before] : policy.base[before] + policy.size[before]] = now + np.arange(policy.size[before])
    probability = np.empty_like(policy.probability)
    probability[goes] = policy.probability
    names = policy.names
    if names is not None:
        names = np.empty_like(policy.names)
        names[goes] = policy.names
    return replace(
        policy, parent=goes[policy.parent[order]], observation=policy.observation[order], base=base, size=size,
        probability=probability, names=names,
    )  # fmt: skip


@pytest.mark.parametrize("game", ["kuhn_poker", "goofspiel(cards=3)", Delegating(hn.load("kuhn_poker").played().rules)])
def test_order_does_not_matter_and_everything_else_does(game: Any) -> None:
    policy = hn.Policy.of_profile(hn.random_profile(game, seed=4))
    digest = policy_digest(policy)
    assert {policy_digest(turned(policy, seed)) for seed in range(3)} == {digest}
    seen = {digest}
    for one in range(policy.sets):
        first, size = int(policy.base[one]), int(policy.size[one])
        for k in range(size):
            changed = policy.probability.copy()
            changed[first : first + size] = np.roll(changed[first : first + size], k)
            changed[first + k] = np.nextafter(changed[first + k], 2)
            seen.add(policy_digest(replace(policy, probability=changed)))
    assert len(seen) == 1 + int(policy.size.sum())


class Walk(hn.Rules):
    """One player goes left or right six times, and sees nothing: sets differ by the way to them alone."""

    players = 1

    def start(self) -> tuple[str, ...]:
        return ()

    def turn(self, state: tuple[str, ...]) -> int:
        return hn.END if len(state) == 6 else 0

    def actions(self, state: tuple[str, ...], player: int) -> list[str]:
        return ["left", "right"]

    def after(self, state: tuple[str, ...], move: str) -> tuple[str, ...]:
        return (*state, move)

    def observe(self, state: tuple[str, ...], player: int) -> None:
        return None

    def gains(self, state: tuple[str, ...]) -> tuple[float]:
        return (float(len(state) == 6 and state.count("left")),)


def test_sets_are_told_apart_by_the_whole_way_to_them() -> None:
    policy = hn.Policy.of_profile(hn.random_profile(Walk(), seed=4))
    depth = [len(policy.set(number).history) for number in range(policy.sets)]
    assert [sorted(np.array(depth)[level].tolist()) for level in _levels(policy)] == [[d] * 2**d for d in range(6)]
    seen = {policy_digest(policy)}
    for one, other in combinations(range(policy.sets), 2):
        changed = policy.probability.copy()
        changed[policy.base[one] + np.arange(2)] = policy.probability[policy.base[other] + np.arange(2)]
        changed[policy.base[other] + np.arange(2)] = policy.probability[policy.base[one] + np.arange(2)]
        seen.add(policy_digest(replace(policy, probability=changed)))
    assert len(seen) == 1 + policy.sets * (policy.sets - 1) // 2


def test_no_sets_and_forgetting_are_told_apart() -> None:
    game = hn.load("kuhn_poker").played()
    policy = hn.Policy.uniform(game)
    kept = hn.respond(policy, 0, "learned", walks=100, plays=100).strategy
    assert isinstance(kept, hn.Policy)
    known = replace(kept, forgets=(0,)), replace(kept, forgets=())
    assert len({policy_digest(policy), *map(policy_digest, known)}) == 3
