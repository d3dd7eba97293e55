"""The quick figures of EINR, through the door that `hannan reproduce` uses."""

from __future__ import annotations

from pathlib import Path

import pytest

import hannan as hn
from hannan.experiments import figures, reproduce
from hannan.experiments.claims import Claim, Panel, Report, write


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["4", "5", "7"])
def test_every_claim_holds(figure: str, tmp_path: Path) -> None:
    ((report, paths),) = reproduce("einr", figure, tmp_path)
    assert report.held, report.table()
    assert [path.name for path in paths] == [f"einr{figure}.{suffix}" for suffix in ("png", "csv", "md")]
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert paths[1].read_text().startswith("panel,line,x,y\n")
    assert all(claim.text in paths[2].read_text() for claim in report.claims)


@pytest.mark.slow
def test_figure_8_ends_where_the_paper_says_and_not_in_one_leaf(tmp_path: Path) -> None:
    ((report, _),) = reproduce("einr", "8", tmp_path)
    ends, leaf = report.claims[:-1], report.claims[-1]
    assert [claim.held for claim in ends] == [True, True, True]
    # two leaves pay the same there, and the player who chooses between them is indifferent
    assert "8c 0.5 and 1" in leaf.ours
    assert not leaf.held


def test_unknown_names_are_named(tmp_path: Path) -> None:
    with pytest.raises(hn.errors.UnknownNameError, match="did you mean 'einr'"):
        figures("enir")
    with pytest.raises(hn.errors.UnknownNameError, match="known are 4, 5, 7, 8"):
        figures("einr", "6")
    with pytest.raises(hn.errors.FileError, match="cannot be made"):
        next(reproduce("einr", "4", tmp_path / "no" / "where"))
    (tmp_path / "file").touch()
    with pytest.raises(hn.errors.FileError, match="cannot be made"):
        next(reproduce("einr", "4", tmp_path / "file"))


def test_a_claim_that_fails_is_said(tmp_path: Path) -> None:
    panel = Panel("p", "x", "y", {"line": [(0, 1.5), (1, 2.5)]})
    report = Report("r", "A title", (panel,), (Claim("it holds", "1", "2", False),), ("a note",))
    written = {path.suffix: path for path in write(report, tmp_path)}
    assert not report.held
    assert "| it holds | 1 | 2 | no |" in written[".md"].read_text()
    assert written[".csv"].read_text() == "panel,line,x,y\np,line,0,1.5\np,line,1,2.5\n"


def test_a_claim_that_is_not_judged_does_not_fail() -> None:
    told, untold = Claim("it holds", "1", "1", True), Claim("another", "2", "its games are not given", None)
    report = Report("r", "A title", (), (told, untold))
    assert report.held
    assert "| another | 2 | its games are not given | not judged |" in report.table()
