"""Strategies that play a box themselves."""

from __future__ import annotations

import math

import hannan as hn
from hannan.rules.box import Box
from tests.certificates.boxes import Bandit


def earned(box: Box, players: list[hn.StrategyPlayer], plays: int) -> float:
    """The mean of what player 0 earns."""
    total = 0.0
    for seed in range(plays):
        for player in players:
            player.reset()
        view = box.reset(10**6 + seed)
        total += view.gains[0]
        while view.movers or view.draw:
            shown = zip(view.movers, view.observations, view.actions, strict=True)
            view = box.step(tuple(players[player].act(seen, menu) for player, seen, menu in shown))
            total += view.gains[0]
    return total / plays


def test_a_certified_strategy_earns_what_it_guarantees() -> None:
    """5,000 plays, payoffs in [-2, 2] and [0, 1]: within 5 standard deviations of the exact value."""
    certificate = hn.certify("kuhn_poker", playthroughs=2000, solve_every=500)
    profile = certificate.strategy
    assert isinstance(profile, hn.Profile)
    from hannan.forms.boxing import boxed

    mean = earned(boxed("kuhn_poker").box, [hn.StrategyPlayer(profile, player, seed=player) for player in (0, 1)], 5000)
    assert abs(mean - hn.evaluate("kuhn_poker", profile).values[0]) <= 5 * 2 / math.sqrt(5000)
    box = Bandit(sure=(0.5,), risky=(0.9, 0.2))
    certificate = hn.certify(box, playthroughs=1000)
    mean = earned(box, [hn.StrategyPlayer(certificate.strategy, 0)], 5000)
    assert mean >= certificate.guarantees[0] - 5 * 0.5 / math.sqrt(5000)
