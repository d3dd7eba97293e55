"""Properties of plain and compiled rules, and the source through which compiled loops read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.rules.compiled import CompiledRules
from hannan.rules.plain import Rules
from hannan.rules.source import CompiledSource, Source


def source_of(rules: Rules, **how: Any) -> Source:
    """Return the source of rules for compiled loops; `how` holds options for plain rules, see `PlainSource`."""
    if isinstance(rules, CompiledRules):
        return CompiledSource(rules)
    from hannan.rules.plainsource import PlainSource

    return PlainSource(rules, **how)


def is_quick(rules: Rules) -> bool:
    """Return whether a call takes nanoseconds, so that a game may be counted, or played often, before it is solved."""
    return isinstance(rules, CompiledRules)


def is_coded(rules: Rules) -> bool:
    """Return whether actions and observations are integers with the same meaning in every process."""
    return isinstance(rules, CompiledRules)


def is_ours(rules: Rules) -> bool:
    """Return whether these are the rules of a built-in game, which the tests cover."""
    return isinstance(rules, CompiledRules) and rules.ours


def alike(one: Rules, other: Rules) -> bool:
    """Return whether rules are known to be the same: one object, or the same compiled functions and table."""
    if isinstance(one, CompiledRules) and isinstance(other, CompiledRules):
        return one.book == other.book and np.array_equal(one.table, other.table)
    return one is other
