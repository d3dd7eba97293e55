"""Presets: sizes of networks, memories and batches that suit a game's size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hannan.forms.game import ExpandedGame, PlayedGame

PresetName = Literal["auto", "tiny", "small", "large", "long"]

TINY, SMALL = 100, 50_000
"""The largest numbers of information sets, of all players, in a tiny and in a small game."""


@dataclass(frozen=True)
class Preset:
    """Defaults of the parameters that the caller does not give."""

    traversals: int
    steps: int
    """Training steps of an advantage network."""
    policy_steps: int
    """Training steps of the average policy's network."""
    batch: int
    layers: int
    units: int
    memory: int
    iterations: int
    """Iterations of a run without a limit."""


PRESETS = {
    "tiny": Preset(
        traversals=300, steps=150, policy_steps=600, batch=512, layers=2, units=32, memory=100_000, iterations=40
    ),
    "small": Preset(
        traversals=1500, steps=300, policy_steps=2000, batch=2048, layers=3, units=64, memory=1_000_000, iterations=80
    ),
    "large": Preset(
        traversals=2000, steps=500, policy_steps=4000, batch=2048, layers=3, units=128, memory=1_000_000, iterations=100
    ),
    "long": Preset(
        traversals=3000, steps=500, policy_steps=6000, batch=4096, layers=3, units=128, memory=4_000_000, iterations=150
    ),
}
"""Kuhn poker is tiny; Leduc poker and liar's dice with four faces are small."""


def preset_for(game: PlayedGame, name: str) -> Preset:
    """Return a preset by its name, or the one that suits a game's size."""
    if name != "auto":
        return PRESETS[name]
    if not isinstance(game, ExpandedGame):
        return PRESETS["large"]
    sets = sum(plex.sets for plex in game.form.treeplexes)
    return PRESETS["tiny" if sets <= TINY else "small" if sets <= SMALL else "large"]
