"""Best responses to a strategy on a public tree in exact fractions, by plain rules: slow, and sharing no code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

from hannan.forms.cursor import Cursor
from hannan.rules.public import Private, PublicRules
from hannan.strategies.public import PublicStrategy
from hannan.turns import CHANCE, END

Bundle = list[tuple[Any, Fraction, Cursor]]


def exact_values(strategy: PublicStrategy, hero: int) -> tuple[Fraction, Fraction]:
    """Return what `hero` earns, and what its best response earns, with probabilities made to sum to 1 exactly."""
    return _worth(strategy, hero, _deals(strategy), best=False), _worth(strategy, hero, _deals(strategy), best=True)


def _deals(strategy: PublicStrategy) -> Bundle:
    rules, found = strategy.game.rules, []
    for i, mine in enumerate(rules.cards(0)):
        for j, theirs in enumerate(rules.cards(1)):
            weight = Fraction(rules.weights(0)[i]) * Fraction(rules.weights(1)[j])
            if weight and not set(mine) & set(theirs):
                state = rules.start()
                for deal in (i, j):
                    state = rules.after(state, Private(len(state.types), deal))
                found.append((state, weight, Cursor(strategy.game.form)))
    total = sum(weight for _, weight, _ in found)
    return [(state, weight / total, cursor) for state, weight, cursor in found]


def _worth(strategy: PublicStrategy, hero: int, bundle: Bundle, *, best: bool) -> Fraction:
    """Return what `hero` earns from states that it cannot tell apart, each with its probability."""
    rules, value, waiting = strategy.game.rules, Fraction(0), list(bundle)
    sets: dict[Hashable, Bundle] = defaultdict(list)
    while waiting:
        state, weight, cursor = waiting.pop()
        turn = rules.turn(state)
        if turn == END:
            value += weight * Fraction(rules.gains(state)[hero])
        elif turn == CHANCE:
            for outcome, odds in rules.chance(state):
                share = weight * Fraction(odds).limit_denominator(10**6)
                waiting.append((rules.after(state, outcome), share, _moved(cursor, outcome=outcome)))
        else:
            mover = int(turn)
            assert mover == cursor.kind
            if mover == hero:
                sets[rules.observe(state, hero)].append((state, weight, cursor))
                continue
            for k, share in enumerate(_plays(strategy, cursor, rules, state, mover)):
                if share:
                    after = rules.after(state, cursor.actions[k])
                    waiting.append((after, weight * share, _moved(cursor, action=k)))
    for alike in sets.values():
        actions = range(len(alike[0][2].actions))
        if best:
            value += max(_worth(strategy, hero, _taken(rules, alike, k), best=True) for k in actions)
            continue
        plays = [_plays(strategy, cursor, rules, state, hero) for state, _, cursor in alike]
        for k in actions:
            shares = [(s, w * play[k], c) for (s, w, c), play in zip(alike, plays, strict=True) if play[k]]
            value += _worth(strategy, hero, _taken(rules, shares, k), best=False)
    return value


def _taken(rules: PublicRules, bundle: Bundle, k: int) -> Bundle:
    return [(rules.after(s, c.actions[k]), w, _moved(c, action=k)) for s, w, c in bundle]


def _moved(cursor: Cursor, action: int | None = None, outcome: Hashable = None) -> Cursor:
    after = Cursor(cursor.form)
    after.stage, after.node, after.board = cursor.stage, cursor.node, cursor.board
    after._mirrors = list(cursor._mirrors)
    if action is None:
        after.deal(outcome)
    else:
        after.act(action)
    return after


def _plays(strategy: PublicStrategy, cursor: Cursor, rules: PublicRules, state: Any, player: int) -> list[Fraction]:
    place = cursor.types(player).tolist().index(state.types[player])
    given = [Fraction(float(p)) for p in strategy.probability[cursor.entries(player)[:, place]]]
    return [share / sum(given) for share in given]
