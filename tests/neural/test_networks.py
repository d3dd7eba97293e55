"""Networks of files that do not fit, that are too large, or that training has ruined: a sentence each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hannan as hn

pytest.importorskip("torch")

from hannan.neural.design import Design
from hannan.neural.modules import build
from hannan.neural.networks import Network, Training

PLAIN = Design(row=7, heads=3, layers=2, units=4)
RECURRENT = Design(row=16, heads=2, layers=1, units=5, features=1, steps=3, token=5, outputs=5)
BRANCHED = Design(row=7, heads=3, layers=2, units=4, groups=(4, 1, 2))
DESIGNS = [PLAIN, RECURRENT, BRANCHED]


@pytest.mark.parametrize("design", DESIGNS)
def test_a_design_is_read_beside_its_weights(design: Design) -> None:
    state = Network(design, Training(1e-3, 1, 1)).state()
    assert Design.read(design.record(), state) == design
    matrices = sum(weight.size for weight in state.values() if weight.ndim == 2)
    assert 0 <= matrices - design.weights <= design.units  # attention is left out


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", ["row", "heads", "layers", "units", "features", "steps", "token", "outputs", "groups"])
@pytest.mark.parametrize(
    "value", [1, 10**7, 2**40, -1, 2.0, "4", None, True, [7], [4, 3], [4, 1, 2, 0], [2**40], "412"]
)
def test_a_design_of_other_weights_is_refused(design: Design, name: str, value: Any) -> None:
    """What is read either has rows and numbers as its weights do, or is refused before anything is built."""
    network = Network(design, Training(1e-3, 1, 1))
    try:
        read = Design.read({**design.record(), name: value}, network.state())
    except (ValueError, KeyError):
        return
    other = Network(read, Training(1e-3, 1, 1))
    other.restore(network.state())
    assert other.values(np.zeros((2, read.row), np.float32)).shape == (2, read.outputs or read.heads)


def test_a_file_of_an_older_version_says_nothing_of_groups() -> None:
    record = {name: number for name, number in PLAIN.record().items() if name != "groups"}
    assert Design.read(record, Network(PLAIN, Training(1e-3, 1, 1)).state()) == PLAIN


def test_a_network_beyond_the_memory_is_refused_before_it_is_built() -> None:
    with pytest.raises(hn.HannanError, match=r"layers=90, units=100000 takes about .* are free"):
        build(Design(row=7, heads=3, layers=90, units=100_000), 1)


@pytest.mark.parametrize("method", ["deep-cfr", "sd-cfr", "double-neural", "dream", "escher"])
def test_training_that_ends_in_no_numbers_is_a_sentence(method: str) -> None:
    with pytest.raises(hn.HannanError, match=r"rate=(1e\+06|1000000\.0) is too high"):
        hn.solve("kuhn_poker", method, iterations=3, rate=1e6, traversals=20, steps=60, units=8, layers=8, batch=64)


def test_weights_that_are_no_numbers_and_large_ones_are_refused() -> None:
    network = Network(PLAIN, Training(1e-3, 1, 1))
    state = network.state()
    with pytest.raises(ValueError, match="not all finite numbers"):
        network.restore({**state, "head.bias": np.full(3, np.inf, np.float32)})
    network.restore({**state, "head.bias": np.full(3, 3e38, np.float32), "head.weight": np.full((3, 4), 3e38, "f4")})
    with pytest.raises(hn.HannanError, match="train at a lower rate"):
        network.values(np.ones((1, 7), np.float32))
