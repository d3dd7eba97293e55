"""What an error of ours must be: a sentence."""

from __future__ import annotations

from hannan.errors import HannanError


def sentence(error: HannanError) -> str:
    """Return how a case ended that was refused; what says nothing is no sentence."""
    assert len(str(error).split()) >= 3, f"{type(error).__name__} says {str(error)!r}"
    return "refused"
