"""What `turn` returns besides players, and the largest gain: constants for plain rules, compiled rules and kernels."""

from __future__ import annotations

from typing import Final

END: Final = -1
"""Play is over."""

CHANCE: Final = -2
"""Chance moves."""

NO_MOVERS: Final = 0
"""The movers of a chance node, as bits: what walks write down for `CHANCE`."""

MOST_GAIN: Final = 1e150
"""The largest gain, up or down: sums and products of two of them are still finite numbers."""

UNSEEN: Final = -(2**63) + 1
"""The observation that stands for all those that are in no table."""

MOST_JOINT: Final = 2**26 - 1
"""The most joint moves at one node: walks number them in 32 bits, with 5 for who moves."""
