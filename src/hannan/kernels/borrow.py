"""Arrays without reference counts, for loops that hand them to first-class functions.

Numba counts a reference, atomically, for every array that it passes through a function pointer: on a walk over
histories that is half of the time. A borrowed array is the same memory without the count.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def borrowed(context: Any, array: Any) -> Any:
    """Return the same array without its reference count. Only for arguments, whose owner outlives the call."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = make_array(signature.args[0])(context, builder, value=arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        return view._getvalue()

    return array(array), build
