"""Table 1 of the paper: the algorithm for each kind of box.

| | sampling-limited | compute-limited |
| --- | --- | --- |
| two players, zero-sum | Algorithm 6.1, solving exactly | Algorithm 7.2 with outcome sampling |
| any other game | Algorithm 7.2 | Algorithm 7.2 |

On the left of its second row, for known odds, the paper names Algorithm 6.7 of its authors' earlier paper. With known
odds, Algorithm 6.1 does the same with a box, and expands what the optimistic profile reaches.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, get_args

from hannan.arguments import choice
from hannan.certificates.algorithm61 import METHODS, Resolving
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.certification import Certification
from hannan.certificates.correlated import Correlating
from hannan.certificates.minimizers import MINIMIZERS, Manner, OutcomeSampling
from hannan.certificates.solution import Method
from hannan.errors import ParameterError, UnsuitableError
from hannan.rules.box import Box

Equilibrium = Literal["auto", "nash", "cce"]
"""The kinds of certificates: a Nash gap (two players, zero-sum, or one), or gaps of correlated play per player."""

AUTO = "auto"
EVERY = 100
"""Default number of playthroughs between two solves of Algorithm 6.1."""

JUDGED = 4
"""The number of solves after which the algorithm is judged: the first ones may have waited for a compiler."""

PATIENCE = 60.0
"""Seconds of solving below which no other algorithm is considered."""

MUCH = 10.0
"""If solving takes this many times as long as the simulator, solving limits the run."""

LONGEST = 100_000
"""Default number of expected playthroughs."""

NO_MANNER: Mapping[str, Any] = MappingProxyType({})

GENERAL = "only Algorithm 7.2 knows games that are not zero-sum for two (Table 1)"


def certification(
    box: Box, *, method: str | Method = AUTO, equilibrium: Equilibrium = "auto", every: int | None = None,
    iterates: int | None = None, explore: Any = None, manner: Mapping[str, Any] = NO_MANNER, rounds: bool = True,
    batch: int | None = None, tolerance: float | None = None, **options: Any,
) -> Certification:  # fmt: skip
    """Return a certification by the algorithm that knows the method; refuse options that do not fit it.

    `manner` has the given fields of a `Manner`. Without `rounds`, no bound follows from sums over rounds.
    """
    choice("equilibrium", equilibrium, get_args(Equilibrium))
    correlated = equilibrium == "cce" or (equilibrium == "auto" and box.players > 2)
    if not isinstance(method, Method):
        choice("method", method, [*METHODS, *MINIMIZERS])
    if not correlated and iterates is not None:
        raise ParameterError("iterates are kept of correlated play alone: take equilibrium='cce'")
    learning = method if isinstance(method, str) and method in MINIMIZERS else None
    sampling = learning == OutcomeSampling.name or (correlated and method == AUTO)
    if manner and not sampling:
        raise ParameterError(f"{', '.join(manner)}: only the method mccfr takes this; use method='mccfr'")
    if batch is not None and not (learning or correlated or method == AUTO):
        raise ParameterError("batch: Algorithm 6.1 learns only when it solves; only Algorithm 7.2 takes this")
    if tolerance is not None and (learning or correlated):
        raise ParameterError("tolerance: Algorithm 7.2 does not solve; only Algorithm 6.1 takes this (auto, cfr)")
    how, options = Manner(**manner), {**options, "batch": batch}
    if correlated:
        if not learning and method != AUTO:
            name = method if isinstance(method, str) else method.name
            raise UnsuitableError(f"{name} solves zero-sum games of two players; {GENERAL}: {', '.join(MINIMIZERS)}")
        chosen = learning or OutcomeSampling.name
        more = {} if iterates is None else {"iterates": iterates}
        _refuse(explore)
        return Correlating(box, method=chosen, every=every, manner=how, **more, **options)
    if learning and options.get("fixed") is None:
        _refuse(explore)
        return Regretting(box, method=learning, every=every, manner=how, rounds=rounds, **options)
    if learning:
        raise UnsuitableError(f"{method} finds strategies; to certify given ones, take auto, cfr, lp or induction")
    explore = "optimistic" if explore is None else explore
    return Resolving(box, method=method, every=every or EVERY, explore=explore, tolerance=tolerance, **options)


def _refuse(explore: Any) -> None:
    if explore is not None:
        raise ParameterError("Algorithm 7.2 explores with what its regret minimisers play; leave `explore` out")


def judged(work: Resolving, before: int, playthroughs: int | None, seconds: float | None) -> tuple[bool, str]:
    """Return whether solving would take far more time than the simulator, and the reason in words.

    The forecast assumes that a solve takes time in proportion to the nodes of the trunk, and that the trunk grows as it
    did since the last solve. before: the number of nodes then.
    """
    done, nodes = work.playthroughs, work.trunk.nodes.used
    play, solve = work.simulator_seconds / done, work.quickest
    expected = min(playthroughs or LONGEST, LONGEST)
    if seconds is not None and play > 0:
        expected = int(min(expected, seconds / play))
    growth = 1.0 + (nodes - before) / work.every * max(expected - done, 0) / nodes
    simulating, solving = play * expected, solve * (expected / work.every) * (1 + growth) / 2
    limited = solving > PATIENCE and solving > MUCH * simulating
    measured = (
        f"{expected:,} playthroughs would take about {simulating:.2g} s in the simulator and {solving:.2g} s of "
        f"solving (a playthrough takes {play:.2g} s, a solve {solve:.2g} s by now)"
    )
    if limited:
        return True, f"compute-limited: {measured}; so Algorithm 7.2 (Table 1)"
    return False, f"not limited by solving: {measured}; so Algorithm 6.1 (Table 1)"
