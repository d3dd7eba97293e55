"""The back ends by name, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from hannan.errors import ParameterError
from hannan.kernels.fullwidth.records import FACTORS, FLOORED
from hannan.layouts.backend import Backend, Plain, Setup
from hannan.layouts.cuda.backend import Cuda
from hannan.layouts.cuda.card import CupyCard, CupyKernels
from hannan.layouts.cuda.public import PublicCuda
from hannan.layouts.layout import choose
from hannan.layouts.public import PublicBackend, PublicSetup
from hannan.layouts.threaded import spread_over
from hannan.layouts.tied import Tied


def _tiled(setup: Setup) -> Backend:
    if setup.learner in (FACTORS, FLOORED):
        return Plain(setup)  # these learners are not laid out in tiles
    return spread_over(setup)


BACKENDS: dict[str, Callable[[Setup], Backend]] = {"plain": Plain, "tiled": _tiled}
"""The values of the parameter `layout` of a method."""


Device = Literal["cpu", "cuda"]
"""The values of the parameter `device` of a method."""


def start(setup: Setup, layout: str = "auto", device: Device = "cpu") -> Backend:
    """Return a back end with a state of zeros: that of the given name, or one that suits the size of the game."""
    if setup.leaders is not None:
        if device != "cpu" or layout not in ("auto", "plain") or setup.threads != 1:
            raise ParameterError("players forget: tied sets learn in the plain layout, on one thread of the processor")
        if setup.precision != "float64":
            raise ParameterError(f"players forget: tied sets learn in float64; leave precision={setup.precision} out")
        return Tied(setup)
    if device == "cuda":
        if layout != "auto" or setup.threads != 1:
            raise ParameterError("device=cuda has a layout of its own, and no threads: leave layout and threads out")
        if setup.learner == FLOORED:
            raise ParameterError("rule=floored runs on the CPU: leave device=cuda out")
        if setup.precision != "float64":
            raise ParameterError(f"device=cuda has no precision={setup.precision} for this game: leave it out")
        return Cuda(setup, CupyCard)
    return BACKENDS[choose(setup.sequences)[0] if layout == "auto" else layout](setup)


def start_public(setup: PublicSetup, device: Device = "cpu") -> PublicBackend | PublicCuda:
    """Return a back end for a public tree, with a state of zeros."""
    if device == "cuda":
        if setup.threads != 1:
            raise ParameterError("device=cuda has no threads: leave threads out")
        return PublicCuda(setup, CupyKernels)
    return PublicBackend(setup)
