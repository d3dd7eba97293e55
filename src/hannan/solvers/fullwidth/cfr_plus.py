"""CFR+.

O. Tammelin (2014), Solving large imperfect information games using CFR+; O. Tammelin, N. Burch, M. Johanson,
M. Bowling (2015), Solving heads-up limit Texas hold'em.
"""

from __future__ import annotations

from typing import Literal, Unpack, get_args

from hannan.arrays import Floats
from hannan.errors import ParameterError, nearest
from hannan.forms.loading import Loadable
from hannan.layouts.schedule import Step
from hannan.solvers.fullwidth.engine import Engine
from hannan.solvers.fullwidth.family import FullWidth, polynomial

Averaging = Literal["uniform", "linear", "quadratic", "last"]

POWERS = {"uniform": 0.0, "linear": 1.0, "quadratic": 2.0}


class CFRPlus(FullWidth):
    """Regret matching plus (negative regrets are forgotten), and the average weighted by t.

    `averaging` weighs iteration t by 1, t or t², or takes the last strategy instead of an average.
    """

    method = "cfr+"
    guarantee = (
        "average profile → Nash in two-player zero-sum games, correlated average → CCE elsewhere, O(1/√T); "
        "nothing is proven for averaging=last"
    )

    def __init__(
        self,
        game: Loadable,
        *,
        averaging: Averaging = "linear",
        **engine: Unpack[Engine],
    ) -> None:
        if averaging not in get_args(Averaging):
            raise ParameterError(f"averaging={averaging!r} is not known{nearest(str(averaging), get_args(Averaging))}")
        self.averaging = averaging
        super().__init__(game, **engine)

    def step(self, t: Floats) -> Step:
        decay = 0.0 if self.averaging == "last" else polynomial(t, POWERS[self.averaging])
        return Step(floor=0.0, decay=decay)
