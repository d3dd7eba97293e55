"""Rules of either door, as compiled loops take them."""

from __future__ import annotations

from typing import Any

from hannan.rules.compiled import CompiledRules
from hannan.rules.plain import Rules
from hannan.rules.source import CompiledSource, Source


def source_of(rules: Rules, **how: Any) -> Source:
    """Return rules as compiled loops take them; `how` says how plain ones are shown, see `PlainSource`."""
    if isinstance(rules, CompiledRules):
        return CompiledSource(rules)
    from hannan.rules.plainsource import PlainSource

    return PlainSource(rules, **how)
