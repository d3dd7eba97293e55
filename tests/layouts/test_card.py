"""The door to the card: what is there and what is not, memory, failures, resuming elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.cli import main
from hannan.layouts.cuda import card as cards
from tests.layouts.fakecupy import FakeCupy
from tests.layouts.hostcard import COMPILER

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler on this machine")


def _install(monkeypatch: pytest.MonkeyPatch, fake: object) -> None:
    monkeypatch.setitem(sys.modules, "cupy", fake)


def test_without_cupy_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, None)  # an import then fails, whatever is installed
    with pytest.raises(hn.errors.DeviceError, match=r"pip install 'hannan\[cuda\]'"):
        hn.CFR("kuhn_poker", device="cuda")


def test_without_a_card_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, FakeCupy(cards=0))
    with pytest.raises(hn.errors.DeviceError, match="no CUDA card"):
        hn.CFR("kuhn_poker", device="cuda")


def test_a_card_too_small_says_how_much_is_there_and_how_much_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, FakeCupy(free=1 << 20))
    with pytest.raises(hn.errors.SizeError, match=r"1\.0 MiB of free memory, and 6\d\.\d MiB are needed"):
        hn.CFR("leduc_poker", device="cuda")


@pytest.mark.parametrize("parameters", [{"layout": "tiled"}, {"threads": 2}])
def test_what_the_card_has_no_use_for_is_refused(parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, FakeCupy())
    with pytest.raises(hn.errors.ParameterError, match="leave layout and threads out"):
        hn.solve("kuhn_poker", "cfr", iterations=1, device="cuda", **parameters)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("game", ["leduc_poker", "kuhn_poker(players=3)"])
def test_a_solve_on_the_card_is_a_solve(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeCupy()
    _install(monkeypatch, fake)
    there = hn.solve(game, "dcfr", iterations=50, device="cuda")
    here = hn.solve(game, "dcfr", iterations=50)
    assert there.gap == pytest.approx(here.gap, abs=1e-9)
    assert hn.evaluate(game, there.strategy).nash_conv == pytest.approx(there.nash_conv, abs=1e-11)
    assert {name for name, _, _ in fake.launches} == {"iterate", "measure"}


@needs_compiler
def test_blocks_are_no_more_than_run_at_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """They wait for each other, so one too many would wait for ever: 3 processors hold one each here."""
    fake = FakeCupy()
    _install(monkeypatch, fake)
    monkeypatch.setattr(cards, "FEW", 0)
    hn.CFR("leduc_poker", device="cuda").run(1)
    hn.CFR("kuhn_poker", device="cuda").run(1)
    assert [blocks for _, blocks, _ in fake.launches] == [3, 1]


@needs_compiler
def test_a_driver_that_fails_leaves_the_checkpoint_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "leduc.checkpoint"
    _install(monkeypatch, FakeCupy())
    hn.solve("leduc_poker", "cfr+", iterations=20, device="cuda", checkpoint=file)
    before = file.read_bytes()
    _install(monkeypatch, FakeCupy(fails_at=3))
    with pytest.raises(hn.errors.DeviceError, match=r"failed while .*ing \(cudaErrorLaunchFailure.*--device cpu"):
        hn.solve(iterations=400, resume=file, checkpoint=file)
    assert file.read_bytes() == before
    moved = hn.solve(iterations=40, resume=file, device="cpu")  # as if it had been here all along
    assert moved.gap == pytest.approx(hn.solve("leduc_poker", "cfr+", iterations=40).gap, abs=1e-9)


@needs_compiler
def test_locked_sets_stay_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, FakeCupy())
    locks: dict[int, Any] = {0: {"J": {"p": 1.0}}}
    there = hn.solve("kuhn_poker", "cfr", iterations=30, locks=locks, device="cuda")
    here = hn.solve("kuhn_poker", "cfr", iterations=30, locks=locks)
    assert there.gap == pytest.approx(here.gap, abs=1e-12)
    assert isinstance(there.strategy, hn.Profile)
    assert isinstance(here.strategy, hn.Profile)
    for one, two in zip(there.strategy.strategies, here.strategy.strategies, strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-9)


def test_the_command_line_has_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _install(monkeypatch, None)
    with pytest.raises(SystemExit, match="2"):
        main(["solve", "kuhn_poker", "--method", "cfr", "--device", "cuda"])
    assert "pip install 'hannan[cuda]'" in capsys.readouterr().err
