"""The options of a certification: a checkpoint keeps them, a resumed run takes them from there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.certificates.files import options_in
from hannan.runs.certify_options import DEFAULTS

GAME = "kuhn_poker"
GIVEN: dict[str, Any] = {
    "method": "lp", "equilibrium": "nash", "radius": "anytime", "confidence": 0.99, "bounds": "rules",
    "groups": "history", "children": True, "solve_every": 20, "expansion": "first", "explore": "uniform", "seed": 7,
}  # fmt: skip
OTHER: dict[str, Any] = {
    "method": "cfr", "equilibrium": "cce", "radius": "paper", "confidence": 0.9, "bounds": (-4, 4), "groups": "none",
    "children": False, "solve_every": 10, "expansion": "path", "explore": "optimistic", "seed": 8, "iterates": 5,
    "hidden": 3, "averaging": "uniform", "baselines": False, "epsilon": 0.3, "sampling": "balanced", "batch": 2,
    "failures": "independent", "similar": True, "tolerance": 0.1,
}  # fmt: skip
"""Another value for each option that a checkpoint keeps."""


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("options") / "kuhn.checkpoint"
    hn.certify(GAME, playthroughs=40, checkpoint=path, **GIVEN)
    return path


def test_every_option_that_is_kept_is_tried() -> None:
    assert set(OTHER) == set(DEFAULTS)


def test_a_checkpoint_keeps_the_options(checkpoint: Path) -> None:
    kept = options_in(checkpoint)
    assert {name: kept[name] for name in DEFAULTS} == {**DEFAULTS, **GIVEN}


def test_two_numbers_are_kept(tmp_path: Path) -> None:
    hn.certify(GAME, playthroughs=20, bounds=(-3, 3), checkpoint=tmp_path / "x")
    assert options_in(tmp_path / "x")["bounds"] == [-3.0, 3.0]
    again = hn.certify(resume=tmp_path / "x", playthroughs=40, bounds=(-3.0, 3.0))
    assert again.gap == hn.certify(GAME, playthroughs=40, bounds=(-3, 3)).gap


def test_a_resumed_run_takes_them_from_there(checkpoint: Path, tmp_path: Path) -> None:
    resumed = hn.certify(resume=checkpoint, checkpoint=tmp_path / "x", playthroughs=80)
    whole = hn.certify(GAME, playthroughs=80, **GIVEN)
    assert (resumed.gap, resumed.value_bounds, resumed.confidence) == (whole.gap, whole.value_bounds, whole.confidence)
    same = hn.certify(resume=checkpoint, checkpoint=tmp_path / "y", playthroughs=80, **GIVEN)
    assert same.gap == whole.gap
    assert {**options_in(tmp_path / "x"), "why": ""} == {**options_in(checkpoint), "why": ""}


@pytest.mark.parametrize("name", OTHER)
def test_another_value_is_refused(checkpoint: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(hn.errors.MismatchError, match=f"is of a certification with {name}="):
        hn.certify(resume=checkpoint, checkpoint=tmp_path / "x", playthroughs=80, **{name: OTHER[name]})
