"""The parameters of neural solvers: their types, and what they mean."""

from __future__ import annotations

from typing import TypedDict

from hannan.neural.approximators import Approximation
from hannan.neural.design import NetworkKind
from hannan.neural.encoding import Reads
from hannan.neural.presets import PresetName
from hannan.solvers.parameters import by_name

TOGETHER, MOST_TOGETHER = 4096, 2**16
"""Traversals that advance together, which are one piece of the work: by default, and at most."""


class Shared(TypedDict, total=False):
    """The parameters of every neural solver but one; `MEANINGS` says what they mean."""

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
    """All of them: `actions` has other defaults here and there."""

    actions: int | None


MEANINGS = by_name(
    preset="sizes that suit a game: tiny (Kuhn), small (Leduc, liar's dice with four faces), large, or long "
    "(Leduc, to a smaller gap); auto picks by the number of information sets. A parameter that is given counts "
    "instead",
    traversals="traversals of an iteration for each player; none: as the preset has it",
    actions="how many of its actions the traverser takes, drawn uniformly; none: all of them (external sampling)",
    steps="steps of training a network in each iteration; none: as the preset has it",
    batch="rows of one step of training; none: as the preset has it",
    layers="layers of a network; none: as the preset has it",
    units="units of a layer; none: as the preset has it",
    memory_size="samples that a memory holds (none: as the preset has it); once it is full, it is a uniform choice "
    "of all that there were",
    rate="learning rate (Adam); it falls evenly over the steps of a training",
    power="samples of iteration t weigh t**power",
    merge="whether samples of the same row are merged for training, where no more rows differ than a batch has: "
    "the same gradient as from all of them at once",
    reads="what networks read: features that the rules write, the player's own history, or both; auto: history "
    "only where the game is expanded, and features where they are written; a recurrent network always reads "
    "the history",
    network="layers; recurrent: a cell for each of the player's own choices, with attention, before the layers; "
    "branches: layers for each group of features that the rules name, joined by layers; auto: recurrent for "
    "double-neural if it reads the history, else layers",
    approximation="network, or table: the exact numbers in place of a network, to compare with",
    seed="where the random numbers begin",
    device="where networks live: cpu, or cuda with a GPU",
    threads="how many threads torch uses on the CPU; another number may change the last bits",
    together="traversals that advance together: one piece of the work, which one worker makes; another number may "
    "change the last bits",
    tensorboard="a folder into which losses, histories and gaps are written for TensorBoard",
)
