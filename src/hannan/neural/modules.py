"""The torch modules that networks are made of, and their first weights."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np
import torch
from torch import Tensor, nn

from hannan.memory import require
from hannan.neural.design import Design

COPIES = 5
"""Numbers in training per weight: as drawn, in the vector of all weights, its gradient, and Adam's two means."""


class Layers(nn.Module):
    """Layers with rectifiers; layers with equal input and output width have a shortcut."""

    def __init__(self, row: int, design: Design) -> None:
        super().__init__()
        widths = [row, *(design.units,) * design.layers]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs of the last layer."""
        for layer in self.layers:
            y = torch.relu(layer(x))
            x = x + y if x.shape == y.shape else y
        return x


class Block(Layers):
    """Layers, then normalisation to mean 0 and variance 1, then a linear layer of outputs."""

    def __init__(self, row: int, design: Design) -> None:
        super().__init__(row, design)
        self.norm = nn.LayerNorm(design.units)
        self.head = nn.Linear(design.units, design.outputs or design.heads)

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs for rows."""
        said: Tensor = self.head(self.norm(super().forward(x)))
        return said


class Sequence(nn.Module):
    """A recurrent network over a player's choices, with attention over all of them; then layers as in `Block`.

    The cell (a gated recurrent unit) reads one choice at a time: the player's observation and action. The sum of its
    states, weighted by attention, is joined with the features. H. Li et al. (2018), Double neural counterfactual
    regret minimization; figure 3 of the CFR survey.
    """

    def __init__(self, design: Design) -> None:
        super().__init__()
        self.design = design
        self.cell = nn.GRU(design.token, design.units, batch_first=True)
        self.attention = nn.Linear(design.units, 1)
        self.block = Block(design.joined, design)

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs for rows."""
        d = self.design
        tokens = x[:, d.features :].reshape(-1, d.steps, d.token)
        told = tokens.any(dim=2)
        told[:, 0] = True
        length = d.steps - told.flip(1).to(torch.int32).argmax(dim=1)  # up to the last choice that is not all zeros
        places = torch.arange(d.steps, device=x.device)[None, :]
        hidden, _ = self.cell(tokens)
        score = self.attention(hidden).squeeze(2).masked_fill(places >= length[:, None], -torch.inf)
        context = (torch.softmax(score, dim=1)[:, :, None] * hidden).sum(dim=1)
        said: Tensor = self.block(torch.cat((x[:, : d.features], context), dim=1))
        return said


class Branches(nn.Module):
    """Separate layers for each group of features, then layers as in `Block` for the outputs of all branches.

    N. Brown et al. (2019), Deep counterfactual regret minimization; figure 4 of the CFR survey.
    """

    def __init__(self, design: Design) -> None:
        super().__init__()
        self.places = [slice(begin, end) for begin, end in pairwise(accumulate(design.groups, initial=0))]
        self.branches = nn.ModuleList(Layers(group, design) for group in design.groups)
        self.block = Block(design.joined, design)

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs for rows."""
        parts = [read(x[:, place]) for read, place in zip(self.branches, self.places, strict=True)]
        said: Tensor = self.block(torch.cat(parts, dim=1))
        return said


def build(design: Design, random: int) -> nn.Module:
    """Return a network with new weights; the last layer outputs 0 everywhere."""
    size = np.dtype(np.float32).itemsize * COPIES * design.weights
    require(size, f"training a network of layers={design.layers}, units={design.units}")
    module: nn.Module
    module = Sequence(design) if design.recurrent else Branches(design) if design.groups else Block(design.row, design)
    draws = torch.Generator().manual_seed(random & (2**63 - 1))
    with torch.no_grad():
        for name, weight in module.named_parameters():
            if name.endswith("norm.weight"):
                weight.fill_(1.0)
            elif weight.ndim < 2 or ".head." in f".{name}":
                weight.zero_()
            else:
                bound = (6.0 / weight.shape[1]) ** 0.5 if "layers" in name else weight.shape[1] ** -0.5
                weight.copy_((2.0 * torch.rand(weight.shape, generator=draws) - 1.0) * bound)
    return module
