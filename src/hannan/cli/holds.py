"""The files that a command will write, held until it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path


class _Held:
    """What the command that runs holds; None where none runs."""

    stack: ExitStack | None = None


@contextmanager
def holding() -> Iterator[None]:
    """Let go of every file that was held inside the block."""
    with ExitStack() as stack:
        _Held.stack = stack
        try:
            yield
        finally:
            _Held.stack = None


def hold(path: Path) -> None:
    """Hold a file until the command ends; refuse one that another run holds."""
    from hannan.holds import held  # which imports NumPy: `hannan --help` is quick without it

    if _Held.stack is not None:
        _Held.stack.enter_context(held(path))
