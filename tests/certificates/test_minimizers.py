"""Extendable regret minimisers: Definition 7.1 as written, and what one iteration does."""

from __future__ import annotations

import copy
from hashlib import blake2b

import numpy as np
import pytest

from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.files import restored
from hannan.certificates.minimizers import MINIMIZERS, Minimizer, Sweeping
from hannan.certificates.seeds import prefix
from hannan.certificates.trunk import Trunk
from hannan.forms.boxes import boxed
from hannan.kernels import trunks
from hannan.kernels.certifying.seeds import seeds


def learnt(method: str, playthroughs: int = 200) -> Regretting:
    """A certification of Kuhn poker that has learnt for a while, in the slow way."""
    work = Regretting(boxed("kuhn_poker", groups="history").box, method=method, seed=4, every=10**6)
    for _ in range(playthroughs):
        work.add(work.next())
    return work


def extended(trunk: Trunk) -> Trunk:
    """The same trunk with one more information set of player 0, of three actions, after its third sequence."""
    arrays, names = trunk.arrays(), trunk.names()
    row = (3, len(names["observations"]), trunk.sets[0].sequences, 3, len(arrays["menu_size"]))
    for name, number in zip(("parent", "observation", "first", "size", "menu"), row, strict=True):
        arrays[f"set0_{name}"] = np.append(arrays[f"set0_{name}"], np.int32(number))
    arrays["menu_size"] = np.append(arrays["menu_size"], np.int32(3))
    arrays["menu_action"] = np.append(arrays["menu_action"], np.arange(3, dtype=np.int32) + len(names["actions"]))
    names["observations"].append("somewhere new")
    names["actions"] += ["a", "b", "c"]
    return restored(trunk.players, arrays, names)


def state_on(minimizer: Minimizer, trunk: Trunk) -> list[np.ndarray]:
    """All that a minimiser remembers of the sequences of a trunk."""
    parts = []
    for player, sets in enumerate(trunk.sets):
        columns = (minimizer.strategy, minimizer.regret, minimizer.total, minimizer.baseline)
        parts += [column[player, : sets.sequences].copy() for column in columns]
        parts.append(minimizer.mark[player, : sets.rows.used].copy())
    return parts


def same(one: list[np.ndarray], other: list[np.ndarray], tolerance: float = 0.0) -> bool:
    return all(np.allclose(a, b, rtol=tolerance, atol=0.0, equal_nan=True) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("method", MINIMIZERS)
def test_definition_7_1(method: str) -> None:
    """φ leaves the strategy alone, and φ(u(s, ℓ)) = u′(φ(s), (ℓ, 0)), for losses from the pseudogame of the trunk."""
    work = learnt(method)
    trunk, longer = work.trunk, extended(work.trunk)
    short, long = work.minimizer, copy.deepcopy(work.minimizer)
    before = state_on(short, trunk)
    long.extend(longer)
    assert same(before, state_on(long, trunk))  # (1): φ changes nothing in X
    for t in range(201, 221):  # (2): the new set gains nothing by itself, because no node belongs to it
        states = np.array([t], np.uint64)
        short.iterate(trunk, t, states, work.radius)
        long.iterate(longer, t, states, work.radius)
    assert not same(before, state_on(short, trunk))
    assert same(state_on(short, trunk), state_on(long, trunk))
    short.extend(longer)
    assert same(state_on(short, longer), state_on(long, longer), 1e-12)  # the sums of averages round differently
    assert np.allclose(short.average(longer, 0), long.average(longer, 0), rtol=1e-12)


@pytest.mark.parametrize("method", ["online-cfr", "online-cfr+", "online-pcfr+"])
def test_definition_7_1_for_any_loss(method: str) -> None:
    work = learnt(method, 50)
    trunk, longer = work.trunk, extended(work.trunk)
    short, long = work.minimizer, copy.deepcopy(work.minimizer)
    assert isinstance(short, Sweeping)
    assert isinstance(long, Sweeping)
    long.extend(longer)
    generator = np.random.default_rng(3)
    for t in range(51, 71):
        loss = generator.normal(size=trunk.sets[0].sequences)
        for minimizer, where, vector in ((short, trunk, loss), (long, longer, np.concatenate((loss, np.zeros(3))))):
            reach = np.ones_like(minimizer.strategy)
            rows = where.sets[0].rows
            for above, first, size in zip(*(rows.view(n) for n in ("parent", "first", "size")), strict=True):
                reach[0, first : first + size] = reach[0, above] * minimizer.strategy[0, first : first + size]
            minimizer.observe(where.flat(0), 0, vector.copy(), reach, t)
        assert same(state_on(short, trunk), state_on(long, trunk))


@pytest.mark.slow
def test_seeds_are_those_of_hashlib() -> None:
    for master in (0, -5, 2**62):
        out = np.zeros(1200, np.uint64)
        seeds(prefix("hannan", master), 999_500, out)
        for k in (0, 1, 499, 500, 1199):
            text = f"hannan:{master}:{999_500 + k}".encode()
            assert int(out[k]) == int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


@pytest.mark.parametrize("game", ["goofspiel(cards=3)", "leduc_poker"])
def test_narrowed_bounds_are_kept_up_to_date(game: str) -> None:
    work = Regretting(boxed(game, groups="rules").box, seed=1, every=10**6)
    for _ in range(150):
        work.add(work.next())
    nodes = work.trunk.nodes
    least, most = nodes.view("least").copy(), nodes.view("most").copy()
    trunks.narrow(work.trunk.records(), nodes.used)
    assert np.array_equal(least, nodes.view("least"))
    assert np.array_equal(most, nodes.view("most"))
    told = nodes.view("high") - nodes.view("low")
    assert game == "leduc_poker" or (most - least < told).any()


def test_sampled_values_have_the_right_mean() -> None:
    """Regrets and uncertainty of 40,000 walks on one pseudogame, beside one full-width iteration; within 5 %."""
    work = learnt("mccfr", 300)
    trunk, sampled = work.trunk, work.minimizer
    exact = MINIMIZERS["online-cfr"](trunk)
    exact.strategy = sampled.strategy.copy()
    before = exact.strategy.copy()
    exact.iterate(trunk, 301, np.zeros(1, np.uint64), work.radius)
    walks, uncertainty = 40_000, 0.0
    total = np.zeros_like(sampled.regret)
    for k in range(walks // 400):
        for n in range(400):
            sampled.strategy[:] = before
            sampled.regret[:], sampled.uncertainty[:] = 0.0, 0.0
            sampled.iterate(trunk, 301, np.array([400 * k + n + 1], np.uint64), work.radius)
            total += sampled.regret
            uncertainty += float(sampled.uncertainty[:2].mean())
    scale = np.abs(exact.regret[:, : trunk.sets[0].sequences]).max()
    for player, sets in enumerate(trunk.sets):
        many = sets.sequences
        error = np.abs(total[player, :many] / walks - exact.regret[player, :many]).max()
        assert error <= 0.05 * scale
    assert uncertainty / walks == pytest.approx(float(exact.uncertainty[0]), rel=0.05)
