"""States of 16 bits on public trees: close to floats, resumed to the same bits, refused where they make no sense."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hannan as hn
from hannan.forms.loader import load
from hannan.games.holdem.examples import SPOTS
from hannan.games.holdem.rules import HoldemRules
from hannan.games.holdem.spot import make_spot
from tests.public_games import Leduc

RIVER = HoldemRules(make_spot(**SPOTS["river_range"]))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cfr", "cfr+", "lcfr", "dcfr", "dcfr+"])
def test_gaps_are_close_to_those_of_floats(method: str) -> None:
    # 15 bits resolve the largest regret of a node to 3e-5 of it; what is promised is 0.1 % of the pot (200) on top
    small, floats = (hn.solve(RIVER, method, iterations=400, precision=kind) for kind in ("int16", "float64"))
    assert small.exploitability < 1.5 * floats.exploitability + 0.2
    assert small.values[0] == pytest.approx(floats.values[0], abs=small.nash_conv + floats.nash_conv)


@pytest.mark.slow
def test_a_value_bracket_holds_the_value() -> None:
    result = hn.solve(RIVER, "dcfr+", iterations=600, precision="int16")
    low, high = result.findings["value_bounds"]
    assert low <= 92.77361884370 - 100 <= high  # an independent linear program's value
    assert high - low < 0.5


def test_a_resumed_run_has_the_same_bits(tmp_path: Path) -> None:
    kept = tmp_path / "kept.checkpoint"
    game = load(Leduc())
    hn.solve(game, "dcfr", iterations=7, precision="int16", checkpoint=kept)
    resumed = hn.solve(game, resume=kept, iterations=20)
    whole = hn.solve(game, "dcfr", iterations=20, precision="int16")
    assert np.array_equal(resumed.strategy.probability, whole.strategy.probability)  # type: ignore[attr-defined]


@pytest.mark.parametrize("method", ["pcfr+", "pdcfr+", "cfr-hedge"])
def test_methods_that_need_the_size_of_regrets_are_refused(method: str) -> None:
    with pytest.raises(hn.HannanError, match=r"precision=int16 is for methods that match regrets"):
        hn.solve(Leduc(), method, iterations=1, precision="int16")


def test_a_warm_start_is_refused() -> None:
    strategy = hn.solve(Leduc(), "dcfr", iterations=3).strategy
    with pytest.raises(hn.HannanError, match="takes no warm start"):
        hn.solve(strategy.game, "dcfr", iterations=1, precision="int16", start=strategy)
