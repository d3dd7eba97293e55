"""Pictures are drawn of every curve that a run can have."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from hannan.plot import convergence
from hannan.progress import Point

pytest.importorskip("matplotlib")

CURVES = {
    "a gap of 0 from the start": [Point(1, 0.1, 0.0, 0.0), Point(2, 0.2, 0.0, 0.0)],
    "a gap of 0 in the end": [Point(1, 0.1, 0.5, 0.5), Point(2, 0.2, 0.0, 0.0)],
    "nothing done": [Point(0, 0.0, 0.5, 0.5)],
    "nothing to do": [Point(0, 0.0, 0.0, 0.0)],
    "no measurement": [],
}


@pytest.mark.parametrize("case", CURVES)
def test_any_curve(case: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        convergence(tmp_path / "x.svg", {"run": CURVES[case]}, "title", "NashConv")
    assert "NashConv" in (tmp_path / "x.svg").read_text(encoding="utf-8")


def test_all_of_them(tmp_path: Path) -> None:
    convergence(tmp_path / "x.png", CURVES, "title", "NashConv", "iterations")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
