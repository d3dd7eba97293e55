"""The parameters of neural solvers: their types, and what they mean."""

from __future__ import annotations

from typing import TypedDict

from hannan.neural.approximators import Approximation
from hannan.neural.design import NetworkKind
from hannan.neural.encoding import Reads
from hannan.neural.presets import PresetName
from hannan.solvers.parameters import by_name

TOGETHER, MOST_TOGETHER = 4096, 2**16
"""Traversals that advance together, as one piece of the work: the default and the largest number."""


class Shared(TypedDict, total=False):
    """The parameters of every neural solver except `actions`; `MEANINGS` explains them."""

    preset: PresetName
    traversals: int | None
    steps: int | None
    batch: int | None
    layers: int | None
    units: int | None
    memory_size: int | None
    rate: float
    power: float
    merge: bool
    reads: Reads
    network: NetworkKind
    approximation: Approximation
    seed: int
    device: str
    threads: int
    together: int
    tensorboard: str | None


class Common(Shared, total=False):
    """All shared parameters and `actions`, whose default depends on the method."""

    actions: int | None


MEANINGS = by_name(
    preset="sizes that suit a game: tiny (Kuhn), small (Leduc, liar's dice with four faces), large, or long "
    "(Leduc, to a smaller gap); auto picks by the number of information sets. A parameter that is given overrides the "
    "preset",
    traversals="traversals per iteration for each player; none: the preset's number",
    actions="how many of its actions the traverser takes, drawn uniformly; none: all of them (external sampling)",
    steps="training steps of a network per iteration; none: the preset's number",
    batch="rows per training step; none: the preset's number",
    layers="layers of a network; none: the preset's number",
    units="units of a layer; none: the preset's number",
    memory_size="samples that a memory holds (none: the preset's number); a full memory holds a uniform sample of all "
    "samples so far",
    rate="learning rate of Adam; it falls linearly over the steps of a training",
    power="samples of iteration t weigh t**power",
    merge="whether training merges samples of the same row, if all different rows fit in one batch; the gradient is "
    "that of all samples at once",
    reads="what networks read: features that the rules write, the player's own history, or both; auto: features if "
    "the rules write them, and the history if the game is expanded or has no features; a recurrent network always "
    "reads the history",
    network="layers; recurrent: a cell that reads the player's own choices, with attention, before the layers; "
    "branches: layers for each group of features that the rules name, joined by layers; auto: recurrent for "
    "double-neural if it reads the history, else layers",
    approximation="network; table: exact numbers in place of a network, for comparison",
    seed="seed of the random numbers",
    device="device of the networks: cpu, or cuda with a GPU",
    threads="how many threads torch uses on the CPU; another number may change the last bits",
    together="traversals that advance together, as one piece of the work for one worker; another number may "
    "change the last bits",
    tensorboard="a folder into which losses, histories and gaps are written for TensorBoard",
)
