"""Kernelized optimistic multiplicative weights.

G. Farina, C.-W. Lee, H. Luo, C. Kroer (2022), Kernelized multiplicative weights for 0/1-polyhedral games: bridging the
gap between learning in extensive-form and normal-form games.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from hannan.forms.loader import Loadable
from hannan.layouts.backends import Device
from hannan.layouts.layout import Kind, Precision
from hannan.solvers.fullwidth.engine import Updates
from hannan.solvers.weights.einr import EINR, Output, Schedule


class KOMWU(EINR):
    """Optimistic Hedge over the reduced normal form: strategies that differ only where they never get count once."""

    method = "komwu"
    guarantee = replace(
        EINR.guarantee,
        caveat="O(1/T) with a constant rate that is small relative to the payoffs, if all players use it; nothing is "
        "proven for a larger rate, nor for output=last",
    )

    def __init__(
        self,
        game: Loadable,
        *,
        rate: float | None = None,
        schedule: Schedule | None = None,
        optimistic: bool = True,
        updates: Updates = "simultaneous",
        output: Output = "average",
        layout: Kind | Literal["auto"] = "auto",
        payoffs: Precision = "float64",
        threads: int = 1,
        device: Device = "cpu",
    ) -> None:
        super().__init__(
            game,
            rate=rate,
            schedule=schedule,
            prior="reduced",
            optimistic=optimistic,
            updates=updates,
            output=output,
            layout=layout,
            payoffs=payoffs,
            threads=threads,
            device=device,
        )
