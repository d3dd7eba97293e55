"""Methods and games that other installed packages provide by entry points; the lookup happens only on demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hannan.errors import STRAY, UnsuitableError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

METHODS, GAMES = "hannan.methods", "hannan.games"
"""The groups of entry points."""

KIND = {METHODS: "method", GAMES: "game"}
"""The kind of object in each group, for messages."""


@dataclass(frozen=True)
class Brought:
    """A method or game of an installed package. Nothing of the package is imported before `load`."""

    name: str
    entry: EntryPoint

    @property
    def package(self) -> str:
        """The name of the package with its version."""
        return "an unknown package" if self.entry.dist is None else f"{self.entry.dist.name} {self.entry.dist.version}"

    def load(self) -> Any:
        """Import the method or game."""
        try:
            return self.entry.load()
        except STRAY as error:
            raise self.refusal(f"importing it raised {type(error).__name__}: {error}") from error

    def refusal(self, reason: object) -> UnsuitableError:
        """Return the error for a method or game that cannot be used."""
        return UnsuitableError(
            f"the package {self.package} provides the {KIND[self.entry.group]} {self.name!r} as {self.entry.value}, "
            f"which cannot be used: {reason}; update or uninstall the package"
        )


def brought(group: str) -> list[Brought]:
    """Return the methods or games of installed packages, sorted by name."""
    from importlib.metadata import entry_points  # it reads the names of all packages

    found = (Brought(entry.name, entry) for entry in entry_points(group=group))
    return sorted(found, key=lambda one: (one.name, one.package))


def find(group: str, name: str) -> Brought | None:
    """Return the method or game of a name in installed packages, or None; refuse two different ones of one name."""
    same = [one for one in brought(group) if one.name == name]
    if len({one.entry.value for one in same}) > 1:
        packages = " and ".join(one.package for one in same)
        raise UnsuitableError(f"{packages} all provide a {KIND[group]} {name!r}: uninstall all but one of them")
    return same[0] if same else None
