"""Pictures of sweeps show the medians and bands that the tables hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hannan as hn
from hannan.pictures.sweeps import draw_bands

pytest.importorskip("matplotlib")


def test_a_picture_has_a_line_per_method_and_a_band_per_method_with_seeds(tmp_path: Path) -> None:
    plan = {"games": ["kuhn_poker", "matching_pennies"], "methods": ["cfr+", "mccfr-es"], "seeds": 3,
            "limits": {"iterations": 30}}  # fmt: skip
    result = hn.sweep(plan)
    paths = hn.records.draw_sweep(tmp_path, result)
    assert [path.name for path in paths] == ["1_kuhn_poker.png", "2_matching_pennies.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)
    bands = [band for band in result.bands() if band.game == "kuhn_poker"]
    axes = draw_bands(tmp_path / "one.svg", "kuhn_poker", bands)
    for line, band in zip(axes.lines, bands, strict=True):
        drawn = [point for point in band.points if point.median > 0]
        assert list(line.get_xdata()) == [point.iteration for point in drawn]
        assert list(line.get_ydata()) == [point.median for point in drawn]
    (shade,) = axes.collections  # cfr+ draws no random numbers
    corners = {tuple(corner) for corner in np.asarray(shade.get_paths()[0].vertices).tolist()}
    assert corners >= {(point.iteration, y) for point in bands[1].points for y in (point.low, point.high)}
    legend = axes.figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["cfr+", "mccfr-es, 3 seeds"]
    assert (axes.get_xscale(), axes.get_yscale(), axes.get_ylabel()) == ("log", "log", "NashConv")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = hn.sweep({"games": ["kuhn_poker"], "methods": ["cfr"], "limits": {"iterations": 1}})
    with pytest.raises(hn.errors.FileError, match="this folder does not exist"):
        hn.records.draw_sweep(tmp_path / "none", result)
