"""Certificates of plays that a forger makes himself: his actions, his failures, his strategy, the library's trunk."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import hannan as hn
from hannan.certificates.playthrough import Playthrough
from hannan.certificates.trunk import Trunk
from hannan.rules.box import FAILED, Box, View
from tests.forge.kit import Forged, opened, seed_of

Choose = Callable[[int, int, View], tuple[int, ...]]
"""From the number of a play, a depth and a view, the numbers of the movers' actions."""

Chosen = Mapping[Hashable, Sequence[float]]
"""What player 0 does where it sees something; uniform elsewhere."""


def played(box: Box, seed: int, t: int, choose: Choose) -> Playthrough:
    """Play once, all actions chosen by the forger."""
    record = Playthrough(seed_of(seed, t))
    view = box.reset(record.seed)
    while True:
        record.views.append(view)
        if view.draw is None and not view.movers:
            return record
        choice = choose(t, len(record.choices), view)
        record.choices.append(choice)
        view = box.step(tuple(menu[k] for menu, k in zip(view.actions, choice, strict=True)))


def failing(record: Playthrough, depth: int) -> Playthrough:
    """Say that there was no answer after the draw at a depth, though there was one."""
    last = record.views[depth]
    assert last.draw is not None
    views = [*record.views[:depth], last._replace(draw=last.draw._replace(outcome=FAILED))]
    return Playthrough(record.seed, views, record.choices[:depth])


def certified(
    box: Any, records: Sequence[Playthrough], path: Path, strategy: Chosen | None = None, **options: Any
) -> Forged:
    """Return the certificate that the library makes of these plays and this strategy."""
    certificate = hn.certify(box, playthroughs=0, **options)
    work: Any = certificate.work
    for record in records:
        work.add(record)
    if strategy is None:
        work.finish()
    else:
        work.kept = _fixed(work.trunk, 0, strategy), _fixed(work.trunk, 1, strategy)
    bound = work.bound()
    told = {"trunk": bound.trunk, "expanded": bound.expanded, "playthroughs": len(records)}
    replace(
        certificate, gap=bound.gap, guarantees=(bound.lower, -bound.upper)[: box.players],
        value_bounds=(bound.lower, bound.upper), failures=len(work.failed), **told,
    ).save(path)  # fmt: skip
    return opened(path)


def _fixed(trunk: Trunk, player: int, strategy: Chosen) -> np.ndarray:
    """Return what a player does at the sets of a trunk."""
    sets = trunk.sets[player]
    plays = np.ones(sets.sequences)
    for code, first, size in zip(*(sets.rows.view(name) for name in ("observation", "first", "size")), strict=True):
        uniform = [1 / size] * size
        plays[first : first + size] = strategy.get(trunk.observations[int(code)], uniform) if player == 0 else uniform
    return plays
