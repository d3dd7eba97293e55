"""Compiled functions of rules, handed over by their addresses."""

from __future__ import annotations

from typing import Any

from numba import types

from hannan.kernels.pointers import address_of
from hannan.kernels.signatures import BOOK


class Pinned(types.WrapperAddressProtocol):  # type: ignore[misc]  # numba has no types
    """A compiled function with its address. Numba would look that up on every call, for a tenth of a millisecond."""

    def __init__(self, name: str, function: Any) -> None:
        self.function, self.address, self.shape = function, address_of(function), BOOK[name]

    def __wrapper_address__(self) -> int:
        return self.address

    def signature(self) -> Any:
        return self.shape
