"""Payoffs of choices and their derivatives, against recursion over histories and against differences."""

from __future__ import annotations

import numpy as np
import pytest

from hannan.arrays import Floats
from hannan.errors import SizeError
from hannan.forms.game import ExpandedGame
from hannan.forms.tree import CHANCE_TURN
from hannan.solvers.general import choices as module
from hannan.solvers.general.choices import AgentChoices, PlanChoices
from tests.loaded import game
from tests.solvers.general.mixed import random_form

TREES = ["kuhn_poker(players=3)", "goofspiel(cards=3)", "random_game(depth=3,branching=2,seed=1)"]


def conditional(game: ExpandedGame, agents: AgentChoices, behaviour: Floats) -> Floats:
    """Return what each action pays if its set is reached, history by history."""
    tree, players = game.tree, range(game.players)
    gained = np.zeros((tree.nodes, game.players))
    gained[tree.gain_node] = tree.gain
    worth, weight = np.zeros(len(behaviour)), np.zeros(len(agents.player))
    firsts = np.cumsum([0] + [plex.sets for plex in game.form.treeplexes])

    def value(node: int, others: Floats) -> Floats:
        """Return what is gained from a node on; others: without each player, how often it is reached."""
        children = range(tree.children[node], tree.children[node + 1])
        total = gained[node].copy()
        if not children:
            return total
        movers = [p for p in players if tree.turn[node] != CHANCE_TURN and tree.turn[node] >> p & 1]
        groups = [int(firsts[p]) + int(tree.slots[tree.slot_begin[node] + k]) for k, p in enumerate(movers)]
        sizes = [int(agents.begin[g + 1] - agents.begin[g]) for g in groups]
        for p, g in zip(movers, groups, strict=True):
            weight[g] += others[p]
        for child in children:
            taken = np.unravel_index(child - children[0], sizes) if sizes else ()
            actions = [int(agents.begin[g]) + int(k) for g, k in zip(groups, taken, strict=True)]
            odds = behaviour[actions].prod() * tree.probability[child]
            reach = others * tree.probability[child]
            for p, a in zip(movers, actions, strict=True):
                for q in players:
                    reach[q] *= behaviour[a] if q != p else 1.0
            below = value(child, reach)
            total += odds * below
            for p, a in zip(movers, actions, strict=True):
                rest = odds / behaviour[a]
                worth[a] += others[p] * rest * (below[p] + gained[node, p])
        return total

    value(0, np.ones(game.players))
    return worth / np.repeat(weight, np.diff(agents.begin))


@pytest.mark.parametrize("address", TREES)
def test_conditional_payoffs_by_recursion(address: str) -> None:
    """Utilities gained before a set differ from what the sequence form gains after it by a constant of the set."""
    one = game(address)
    agents = AgentChoices(one)
    behaviour = np.random.default_rng(1).random(int(agents.begin[-1])) + 0.1
    behaviour /= np.repeat(np.add.reduceat(behaviour, agents.begin[:-1]), np.diff(agents.begin))
    ours, _ = agents.pays(np.log(behaviour), slopes=False)
    theirs = conditional(one, agents, behaviour)
    for a, b in zip(agents.begin[:-1], agents.begin[1:], strict=True):
        np.testing.assert_allclose(ours[a:b] - ours[a], theirs[a:b] - theirs[a], atol=1e-12)


@pytest.mark.parametrize("which", ["cells", "kuhn_poker(players=3)", "goofspiel(cards=3)"])
def test_derivatives_by_differences(which: str) -> None:
    """Central differences of 1e-6 are right to about 1e-9."""
    choices = PlanChoices(random_form((3, 2, 4), 1)) if which == "cells" else AgentChoices(game(which))
    logs = np.log(np.random.default_rng(2).random(int(choices.begin[-1])) + 0.1)
    _, slopes = choices.pays(logs)
    for b in range(0, len(logs), 3):
        step = np.zeros(len(logs))
        step[b] = 1e-6
        difference = (choices.pays(logs + step, slopes=False)[0] - choices.pays(logs - step, slopes=False)[0]) / 2e-6
        np.testing.assert_allclose(slopes[:, b], difference, atol=1e-7)


def test_payoffs_of_sets_that_are_almost_never_reached() -> None:
    """Payoffs are conditional: with e^-3000 for every first bet they are as finite as with 1/2."""
    agents = AgentChoices(game("kuhn_poker(players=3)"))
    logs = np.full(int(agents.begin[-1]), np.log(0.5))
    far = logs.copy()
    far[agents.begin[:-1] + 1] = -3000.0
    pays, slopes = agents.pays(far)
    assert np.isfinite(pays).all()
    assert np.isfinite(slopes).all()
    assert np.abs(pays).max() <= agents.spread


def test_a_game_that_is_too_large_is_refused_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ACTIONS", 95)
    with pytest.raises(SizeError, match=r"96 actions.*at most 95"):
        AgentChoices(game("kuhn_poker(players=3)"))
    with pytest.raises(SizeError, match=r"100 actions.*at most 95"):
        PlanChoices(random_form((50, 50), 0))
