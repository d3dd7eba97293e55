"""Networks in torch: their training, and their weights as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from hannan.arrays import Floats
from hannan.errors import ParameterError
from hannan.interrupts import go_on
from hannan.neural.design import Design
from hannan.neural.memories import Lessons
from hannan.neural.modules import build
from hannan.neural.traversals import Singles

Loss = Literal["squares", "entropy", "probabilities"]
Device = Literal["cpu", "cuda"]

CLIP = 1.0
"""The largest norm of a gradient."""
LAST_RATE = 0.02
"""The learning rate after the last step, as a share of the first one; it falls linearly in between."""
MOST_ROWS = 65_536
"""The largest number of rows in one call."""


@dataclass(frozen=True)
class Training:
    """The settings of a training."""

    rate: float
    steps: int
    batch: int
    loss: Loss = "squares"


class Adam:
    """D. Kingma, J. Ba (2015), Adam, with gradients clipped to a norm; all weights are one vector, for speed."""

    def __init__(self, module: nn.Module) -> None:
        weights = list(module.parameters())
        self.flat = torch.cat([weight.detach().reshape(-1) for weight in weights])
        self.gradient = torch.zeros_like(self.flat)
        self._mean, self._square = torch.zeros_like(self.flat), torch.zeros_like(self.flat)
        self._steps, begin = 0, 0
        for weight in weights:
            part = slice(begin, begin + weight.numel())
            weight.data = self.flat[part].view(weight.shape)
            weight.grad = self.gradient[part].view(weight.shape)
            begin = part.stop

    @staticmethod
    def release(module: nn.Module) -> None:
        """Give each weight its own memory again, as in a network that was read: alignment may change the last bits."""
        for weight in module.parameters():
            weight.data, weight.grad = weight.data.clone(), None

    def step(self, rate: float) -> None:
        """Take one step along the gradient, and set it to 0."""
        with torch.no_grad():
            self._steps += 1
            g = self.gradient
            g.mul_((CLIP / (torch.linalg.vector_norm(g) + 1e-6)).clamp_(max=1.0))
            self._mean.mul_(0.9).add_(g, alpha=0.1)
            self._square.mul_(0.999).addcmul_(g, g, value=0.001)
            spread = (self._square / (1.0 - 0.999**self._steps)).sqrt_().add_(1e-8)
            self.flat.addcdiv_(self._mean, spread, value=-rate / (1.0 - 0.9**self._steps))
            g.zero_()


class Network:
    """An `Approximator` made of a torch network."""

    def __init__(self, design: Design, training: Training, random: int = 0, device: Device = "cpu") -> None:
        self.design, self.training, self.device = design, training, torch.device(device)
        self.module = build(design, random).to(self.device)

    def values(self, known: Singles) -> Floats:
        parts = []
        with torch.inference_mode():
            for begin in range(0, len(known), MOST_ROWS):
                rows = torch.tensor(known[begin : begin + MOST_ROWS], device=self.device)  # aligned, for the same bits
                parts.append(self.module(rows).cpu().numpy())
        many = self.design.outputs or self.design.heads
        said: Floats = np.concatenate(parts).astype(np.float64) if parts else np.zeros((0, many))
        if not np.isfinite(said).all():
            raise ParameterError(
                "a network's outputs are not finite, because its weights are too large: train at a lower rate"
            )
        return said

    def fit(self, lessons: Lessons, random: int, *, fresh: bool, steps: int | None = None) -> float:
        if fresh:
            self.module = build(self.design, random).to(self.device)
        many = self.training.steps if steps is None else steps
        if not len(lessons) or not many:
            return 0.0
        known, target, weight = (
            torch.from_numpy(np.ascontiguousarray(part, np.float32)).to(self.device)
            for part in (lessons.known, lessons.target, lessons.weight)
        )
        there = ~torch.isnan(target)
        target = torch.nan_to_num(target)
        draws = np.random.Generator(np.random.Philox(key=[random & (2**63 - 1), 1]))
        rate, whole = self.training.rate, len(lessons) <= self.training.batch
        adam = Adam(self.module)
        loss = torch.zeros(())
        self.module.train()
        for step in range(many):
            go_on()
            if whole:
                batch = (known.clone(), target, weight, there)
            else:
                places = torch.from_numpy(draws.integers(0, len(lessons), self.training.batch)).to(self.device)
                batch = (known[places], target[places], weight[places], there[places])
            loss = self._loss(*batch)
            torch.autograd.backward(loss)
            adam.step(rate * (1.0 - (1.0 - LAST_RATE) * step / many))
        self.module.eval()
        adam.release(self.module)
        if not torch.isfinite(adam.flat).all():
            raise ParameterError(
                f"rate={rate:g} is too high: a network's weights are no longer finite; use a lower rate"
            )
        return float(loss.detach())

    def _loss(self, known: Tensor, target: Tensor, weight: Tensor, there: Tensor) -> Tensor:
        """Return the weighted loss of rows, divided by their number."""
        return loss_of(self.module(known), target, weight, there, self.training.loss)

    def state(self) -> dict[str, Any]:
        return {name: weight.detach().cpu().numpy().copy() for name, weight in self.module.state_dict().items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        mine = self.module.state_dict()
        if {n: tuple(w.shape) for n, w in mine.items()} != {n: np.shape(w) for n, w in state.items()}:
            raise ValueError("its weights are those of another network")
        if not all(np.isfinite(weight).all() for weight in state.values()):
            raise ValueError("its weights are not all finite numbers")
        self.module.load_state_dict({name: torch.from_numpy(np.array(weight)) for name, weight in state.items()})

    def copied(self) -> Network:
        other = Network(self.design, self.training, 0, self.device.type)  # type: ignore[arg-type]
        other.restore(self.state())
        return other

    @property
    def parameters(self) -> int:
        return sum(weight.numel() for weight in self.module.parameters())


def loss_of(said: Tensor, target: Tensor, weight: Tensor, there: Tensor, kind: Loss) -> Tensor:
    """Return the mean over rows of weight · Σ over actions of an error.

    `squares`: the square of the output minus the target. The other two read outputs as logarithms of
    probabilities, up to a constant per row. `entropy`: the cross-entropy. `probabilities`: the square of the
    probability minus the target.
    """
    if kind == "squares":
        errors = torch.where(there, said - target, 0.0) ** 2
    else:
        logarithms = torch.log_softmax(said.masked_fill(~there, -1e9), dim=1)
        errors = -target * logarithms if kind == "entropy" else (logarithms.exp() - target) ** 2
    return (weight * errors.sum(dim=1)).mean()


def check_device(device: str) -> None:
    """Refuse cuda if torch cannot use a GPU."""
    if device == "cuda" and not torch.cuda.is_available():
        raise ParameterError("device='cuda' needs a CUDA GPU, and torch finds no such GPU; use device='cpu'")


def use_threads(threads: int) -> None:
    """Let torch use `threads` threads on the CPU; their number may change the last bits."""
    torch.set_num_threads(threads)
