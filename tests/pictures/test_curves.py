"""Pictures are drawn of every curve that a run can have."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from hannan.errors import FileError
from hannan.pictures.curves import Up, convergence, measured, rows_for
from hannan.runs.progress import Point

pytest.importorskip("matplotlib")

CURVES = {
    "a gap of 0 from the start": [Point(1, 0.1, 0.0, 0.0), Point(2, 0.2, 0.0, 0.0)],
    "a gap of 0 in the end": [Point(1, 0.1, 0.5, 0.5), Point(2, 0.2, 0.0, 0.0)],
    "nothing done": [Point(0, 0.0, 0.5, 0.5)],
    "nothing to do": [Point(0, 0.0, 0.0, 0.0)],
    "no measurement": [],
    "no gap": [Point(1, 0.1, None, None, 4.0, 1.0), Point(2, 0.2, None, None, 3.0, 0.0)],
    "a variance now and then": [Point(1, 0.1, 0.5, 0.5), Point(2, 0.2, 0.25, 0.25, 3.0, 1.0)],
}


@pytest.mark.parametrize("case", [case for case, curve in CURVES.items() if measured(curve, "gap")])
def test_any_curve(case: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        convergence(tmp_path / "x.svg", {"run": CURVES[case]}, "title", "NashConv")
    assert "NashConv" in (tmp_path / "x.svg").read_text(encoding="utf-8")


def test_all_of_them(tmp_path: Path) -> None:
    convergence(tmp_path / "x.png", CURVES, "title", "NashConv", "iterations")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("case", ["no measurement", "no gap"])
def test_an_empty_picture_is_not_written(case: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"x\.svg is not drawn: nothing was measured"):
        convergence(tmp_path / "x.svg", {"run": CURVES[case]}, "title", "NashConv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("case", [case for case, curve in CURVES.items() if curve])
def test_a_row_for_each_measure(case: str, tmp_path: Path) -> None:
    rows: tuple[Up, ...] = ("gap", "variance", "given-visit")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        convergence(tmp_path / "x.svg", {"run": CURVES[case]}, "title", "NashConv", rows=rows)
    drawn = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert drawn.count('<g id="axes_') == 6  # each by iterations and by seconds
    assert [name in drawn for name in ("NashConv", "variance of the estimates", "variance given the visit")] == [
        True
    ] * 3


@pytest.mark.parametrize(
    ("case", "rows", "variances"),
    [
        ("a gap of 0 in the end", ("gap",), []),
        ("no measurement", (), []),
        ("no gap", ("variance",), [4.0, 3.0]),
        ("a variance now and then", ("gap", "variance"), [3.0]),
    ],
)
def test_what_was_measured_is_shown(case: str, rows: tuple[str, ...], variances: list[float]) -> None:
    assert rows_for(CURVES[case]) == rows
    assert [number for _, number in measured(CURVES[case], "variance")] == variances


@pytest.mark.parametrize("name", ["$x", "$a_b$", "${x}$", r"$\nothing{$", "{0}", "_hidden", "%s", "a\\b", ""])
def test_names_are_shown_as_they_are(name: str, tmp_path: Path) -> None:
    curve = [Point(1, 0.1, 0.5, 0.5)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        convergence(tmp_path / "x.svg", {name: curve, f"{name} 2": curve}, f"title {name}", "NashConv")
    drawn = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert drawn.count(f"<!-- {name} 2 -->") == 1 or "--" in name  # a comment says what its glyphs are
    assert f"<!-- title {name} -->" in drawn


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_names_of_files_that_are_not_utf8(kind: str, tmp_path: Path) -> None:
    curve = [Point(1, 0.1, 0.5, 0.5), Point(2, 0.2, 0.25, 0.25)]
    convergence(tmp_path / f"x.{kind}", {"a\udcff": curve, "b\x1b\n": curve}, "c\udc80\x00", "NashConv")
    assert (tmp_path / f"x.{kind}").stat().st_size > 0


def test_the_legend_says_which_curves_end_at_0(tmp_path: Path) -> None:
    """A log scale has no place for 0: without a word such a run would be missing from the picture."""
    curves = {
        "exact": CURVES["a gap of 0 from the start"],
        "late": CURVES["a gap of 0 in the end"],
        "other": CURVES["nothing done"],
    }
    convergence(tmp_path / "x.svg", curves, "title", "NashConv")
    text = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert [f"<!-- {name} -->" in text for name in ("exact (ends at 0)", "late (ends at 0)", "other")] == [True] * 3
    assert "other (ends at 0)" not in text
