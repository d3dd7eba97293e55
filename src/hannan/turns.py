"""What `turn` returns besides players: one pair of constants for plain rules, compiled rules and kernels."""

from __future__ import annotations

from typing import Final

END: Final = -1
"""Play is over."""

CHANCE: Final = -2
"""Chance moves."""

NO_MOVERS: Final = 0
"""The movers of a chance node, as bits: what walks write down for `CHANCE`."""
