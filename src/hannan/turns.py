"""Constants for plain rules, compiled rules and kernels: values of `turn` other than players, and the largest gain."""

from __future__ import annotations

from typing import Final

END: Final = -1
"""The turn at the end of play."""

CHANCE: Final = -2
"""The turn at a chance node."""

NO_MOVERS: Final = 0
"""The movers of a chance node as bits: walks write it for `CHANCE`."""

MOST_GAIN: Final = 1e150
"""The largest absolute value of a gain: sums and products of two such gains are still finite."""

UNSEEN: Final = -(2**63) + 1
"""The observation that represents all observations outside of a table."""

MOST_JOINT: Final = 2**26 - 1
"""The largest number of joint moves at one node: walks number them in 32 bits, with 5 bits for the movers."""
