"""Arrays that compiled rules write into, with places around them that nobody should touch.

Compiled functions get bare addresses, so nothing stops them. A write beside an array lands in its fence, where it does
no harm, and is noticed as soon as the kernel returns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.errors import RulesError
from hannan.kernels.signatures import BESIDE
from hannan.rules.compiled import FENCE, CompiledRules

MARK = -7_777_777_777
"""What is written there."""


def fenced(shape: int | tuple[int, ...], kind: type = np.float64) -> Any:
    """Return zeros between fences; numbers of eight bytes alone."""
    size = int(np.prod(shape))
    whole = np.zeros(size + 2 * FENCE, np.int64)  # what is not touched takes no memory
    whole[:FENCE] = whole[-FENCE:] = MARK
    return whole[FENCE : FENCE + size].view(kind).reshape(shape)


def states(rows: int, size: int) -> Any:
    """Return room for so many states of a size between fences; a write beside one of them shows in what is after it."""
    return fenced((rows, size + BESIDE), np.int64)


def longer_fenced(array: Any, size: int) -> Any:
    """Return an array between fences with more rows, holding what there was, then zeros."""
    result = fenced((size, *array.shape[1:]), array.dtype.type)
    result[: len(array)] = array
    return result


def beside(rules: CompiledRules) -> RulesError:
    """Return the error that says that rules have written where they should not."""
    return RulesError(
        f"{rules.name or type(rules).__name__}: a compiled function writes beside the arrays it is given: places are "
        f"counted from 0, there are state_size={rules.state_size} in a state, width={rules.width} for moves and "
        f"{rules.players} for gains; check_game says which function it is"
    )
