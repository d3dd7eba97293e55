"""Presets: which suits a game, and that training by it gets somewhere; and numbers for TensorBoard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.neural.deep_cfr import SDCFR, DeepCFR
from hannan.neural.presets import PRESETS


@pytest.mark.parametrize(
    ("address", "preset"),
    [
        ("kuhn_poker", "tiny"),
        ("leduc_poker", "small"),
        ("liars_dice(faces=4)", "small"),
        ("liars_dice(dice=5)", "large"),
    ],
)
def test_a_preset_suits_the_size_of_a_game(address: str, preset: str) -> None:
    solver = SDCFR(address)
    sizes = (solver.traversals, solver.steps, solver.batch, solver.layers, solver.units, solver.memory_size)
    wanted = PRESETS[preset]
    assert sizes == (wanted.traversals, wanted.steps, wanted.batch, wanted.layers, wanted.units, wanted.memory)
    assert SDCFR(address, preset="long", units=5).units == 5
    assert SDCFR(address, preset="long").traversals == PRESETS["long"].traversals


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "before", "after"), [("leduc_poker", 4.747, 3.0), ("liars_dice(faces=4)", 1.31, 0.9)]
)
def test_a_few_iterations_of_a_preset_help(address: str, before: float, after: float) -> None:
    """NashConv of uniform play, and what it is below after four iterations with a quarter of the preset's steps."""
    pytest.importorskip("torch")
    game = hn.load(address).expanded()
    assert hn.evaluate(game, hn.uniform(game)).nash_conv > before
    solver = SDCFR(game, seed=1, steps=50, traversals=500)
    solver.run(4)
    assert hn.evaluate(game, solver.average()).nash_conv < after


def test_scalars_are_written_where_somebody_wants_them(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    accumulator: Any = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    small: dict[str, Any] = {"traversals": 10, "steps": 2, "policy_steps": 2, "units": 4, "layers": 1}
    plain = hn.solve("kuhn_poker", "deep-cfr", iterations=2, **small)
    told = hn.solve(
        "kuhn_poker", "deep-cfr", iterations=2, tensorboard=str(tmp_path), checkpoint=tmp_path / "ck", **small
    )
    assert told.nash_conv == plain.nash_conv
    assert hn.resume(tmp_path / "ck").parameters["tensorboard"] is None  # a file does not say where to write
    events = accumulator.EventAccumulator(str(tmp_path))
    events.Reload()
    assert {"gap", "histories", "loss/advantage0", "loss/policy1"} <= set(events.Tags()["scalars"])
    assert events.Scalars("gap")[-1].value == pytest.approx(told.gap, rel=1e-6)


def test_memory_is_estimated_before_the_run() -> None:
    solver = DeepCFR("kuhn_poker")
    rows = 4 * solver.memory_size * (4 * solver.encoding.size + 4 * solver.encoding.heads + 16)
    assert solver.bytes == rows
    assert DeepCFR.memory(solver.game.sizes) > 0


@pytest.mark.parametrize(
    ("method", "wrong"),
    [
        ("sd-cfr", {"rate": 1e300}),
        ("sd-cfr", {"steps": 2**53}),
        ("sd-cfr", {"traversals": 2**53}),
        ("deep-cfr", {"policy_steps": 2**53}),
        ("escher", {"value_steps": 2**53}),
    ],
)
def test_what_nobody_could_wait_for_is_refused(method: str, wrong: dict[str, Any]) -> None:
    """A checkpoint says such numbers, too: it is read by the same constructor."""
    with pytest.raises(hn.errors.ParameterError, match=f"{next(iter(wrong))}=.* is out of range"):
        hn.solve("kuhn_poker", method, iterations=1, **wrong)
