"""Public modules that import their names at the first use: `hannan`, `hannan.methods` and others.

Such a module declares each public name once, as an import that only type checkers execute.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import Any

DECLARED = re.compile(r"(?m)^    from (hannan\.\S+) import (\w+) as")
"""One declaration: `from hannan.MODULE import NAME as NAME`, under `if TYPE_CHECKING`."""


class Front:
    """The public names of a module, with the modules that define them."""

    def __init__(self, module: str) -> None:
        """`module` is the name of a module that is being imported."""
        self._module = sys.modules[module]
        source = self._module.__spec__.loader.get_source(module)  # type: ignore[union-attr]
        self._place = {name: place for place, name in DECLARED.findall(source)}

    @property
    def names(self) -> list[str]:
        """The public names, sorted."""
        return sorted(self._place)

    def find(self, name: str) -> Any:
        """Import a public name: what the module's `__getattr__` returns."""
        if name not in self._place:
            raise AttributeError(f"module {self._module.__name__!r} has no attribute {name!r}")
        public = getattr(import_module(self._place[name]), name)
        setattr(self._module, name, public)
        return public

    def listed(self) -> list[str]:
        """Return the public names and those that Python adds: what the module's `__dir__` returns."""
        return sorted({*(name for name in vars(self._module) if name.startswith("__")), *self._place})
