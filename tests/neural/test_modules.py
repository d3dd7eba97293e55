"""What networks compute: a recurrent one and one with branches beside plain NumPy, and what influences what."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from hannan.neural.design import Design
from hannan.neural.modules import Branches, build

RECURRENT = Design(row=14, heads=3, layers=2, units=5, features=2, steps=3, token=4, outputs=4)
BRANCHED = Design(row=9, heads=3, layers=2, units=5, groups=(4, 2, 3))


def shaken(design: Design) -> tuple[Any, dict[str, Any]]:
    """Return a network in double precision whose weights are all drawn (some are 0 at first), and its weights."""
    module, draws = build(design, 1).double(), np.random.default_rng(2)
    for weight in module.parameters():
        weight.data = torch.from_numpy(draws.normal(scale=0.7, size=tuple(weight.shape)))
    return module, {name: weight.numpy() for name, weight in module.state_dict().items()}


def layers(weights: dict[str, Any], name: str, x: Any, many: int) -> Any:
    for k in range(many):
        y = np.maximum(weights[f"{name}layers.{k}.weight"] @ x + weights[f"{name}layers.{k}.bias"], 0.0)
        x = x + y if len(x) == len(y) else y
    return x


def block(weights: dict[str, Any], x: Any, many: int) -> Any:
    x = layers(weights, "block.", x, many)
    x = (x - x.mean()) / np.sqrt(x.var() + 1e-5) * weights["block.norm.weight"] + weights["block.norm.bias"]
    return weights["block.head.weight"] @ x + weights["block.head.bias"]


def recurrent(weights: dict[str, Any], design: Design, row: Any, choices: int) -> Any:
    """A gated recurrent unit (K. Cho et al. 2014) over `choices` choices, attention, and layers; one row."""

    def gates(kind: str, x: Any) -> list[Any]:
        return np.split(weights[f"cell.weight_{kind}_l0"] @ x + weights[f"cell.bias_{kind}_l0"], 3)

    features, tokens = row[: design.features], row[design.features :].reshape(design.steps, design.token)
    h, hidden = np.zeros(design.units), []
    for token in tokens[:choices]:
        (r, z, n), (old_r, old_z, old_n) = gates("ih", token), gates("hh", h)
        r, z = (1.0 / (1.0 + np.exp(-gate)) for gate in (r + old_r, z + old_z))
        h = (1.0 - z) * np.tanh(n + r * old_n) + z * h
        hidden.append(h)
    score = np.array([weights["attention.weight"][0] @ h + weights["attention.bias"][0] for h in hidden])
    share = np.exp(score - score.max()) / np.exp(score - score.max()).sum()
    return block(weights, np.concatenate((features, share @ np.array(hidden))), design.layers)


def branched(weights: dict[str, Any], design: Design, row: Any) -> Any:
    parts = np.split(row, np.cumsum(design.groups)[:-1])
    said = [layers(weights, f"branches.{k}.", part, design.layers) for k, part in enumerate(parts)]
    return block(weights, np.concatenate(said), design.layers)


def rows(design: Design) -> Any:
    return np.random.default_rng(3).normal(size=(4, design.row))


def test_a_recurrent_network_is_the_cell_attention_and_layers() -> None:
    """To 1e-12, for one, two and three choices: what comes after the last choice says nothing."""
    module, weights = shaken(RECURRENT)
    for choices in (1, 2, 3):
        known = rows(RECURRENT)
        known[:, 2 + 4 * choices :] = 0.0
        expected = [recurrent(weights, RECURRENT, row, choices) for row in known]
        np.testing.assert_allclose(module(torch.from_numpy(known)).detach().numpy(), expected, atol=1e-12)


def test_branches_are_joined_by_layers() -> None:
    module, weights = shaken(BRANCHED)
    expected = [branched(weights, BRANCHED, row) for row in rows(BRANCHED)]
    np.testing.assert_allclose(module(torch.from_numpy(rows(BRANCHED))).detach().numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("design", [RECURRENT, BRANCHED])
def test_gradients_are_those_of_the_plain_formula(design: Design) -> None:
    """Of the first output for one row, at one place of each weight: central differences of the formula, to 1e-7."""
    module, weights = shaken(design)
    row = rows(design)[0]

    def plain() -> float:
        said = recurrent(weights, design, row, 3) if design.recurrent else branched(weights, design, row)
        return float(said[0])

    torch.autograd.backward(module(torch.from_numpy(row[None]))[0, 0])
    for name, weight in module.named_parameters():
        before, place, values = weights[name], weights[name].size // 2, []
        for step in (1e-6, -1e-6):
            weights[name] = before.copy()
            weights[name].reshape(-1)[place] += step
            values.append(plain())
        weights[name] = before
        expected = (values[0] - values[1]) / 2e-6
        assert float(weight.grad.reshape(-1)[place]) == pytest.approx(expected, abs=1e-7), name


def test_a_group_influences_its_own_branch_alone() -> None:
    """Gradients of what each branch of the whole network says, with respect to a row."""
    module, _ = shaken(BRANCHED)
    assert isinstance(module, Branches)
    said: list[Any] = []
    for read in module.branches:
        read.register_forward_hook(lambda _module, _read, out: said.append(out))
    begins = np.cumsum([0, *BRANCHED.groups])
    x = torch.from_numpy(rows(BRANCHED)).requires_grad_()
    module(x)
    for k, out in enumerate(said):
        (slope,) = torch.autograd.grad(out.sum(), [x], retain_graph=True)
        touched = np.flatnonzero(np.any(slope.numpy() != 0.0, axis=0))
        assert touched.tolist() == list(range(begins[k], begins[k + 1]))


def test_how_many_parameters_branches_have() -> None:
    """Two layers of five units for 4, 2 and 3 features; two for what the three say; means, and three numbers."""
    branches = sum((features * 5 + 5) + (5 * 5 + 5) for features in (4, 2, 3))
    joined = (15 * 5 + 5) + (5 * 5 + 5) + 2 * 5 + (5 * 3 + 3)
    assert sum(weight.numel() for weight in build(BRANCHED, 1).parameters()) == branches + joined
