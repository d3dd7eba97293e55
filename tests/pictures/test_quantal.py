"""The picture of a quantal response branch: every choice has its panel, and a fit is marked."""

from __future__ import annotations

from pathlib import Path

import pytest

import hannan as hn
from hannan.errors import ParameterError

pytest.importorskip("matplotlib")

GAME = [[[9, 0], [0, 1]], [[0, 1], [1, 0]]]


def test_panels_and_the_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.axes import Axes

    seen = tmp_path / "seen.csv"
    seen.write_text("player,action,count\n0,0,86\n0,1,14\n1,0,20\n1,1,80\n", encoding="utf-8")
    marks: list[float] = []
    drawn: list[int] = []
    plot, axvline = Axes.plot, Axes.axvline

    def counted(self: Axes, x: object, y: object, **more: object) -> object:
        drawn.append(len(x))  # type: ignore[arg-type]
        return plot(self, x, y, **more)  # type: ignore[arg-type]

    def marked(self: Axes, x: float, **more: object) -> object:
        marks.append(x)
        return axvline(self, x, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Axes, "plot", counted)
    monkeypatch.setattr(Axes, "axvline", marked)
    result = hn.qre(hn.matrix_game(GAME), data=seen, path=True)
    hn.solutions.draw_branch(tmp_path / "branch.svg", result)
    assert result.branch is not None
    assert drawn == [len(result.branch.lambdas) - 1] * 4  # two actions of two players; λ = 0 has no place
    assert marks == [result.lambda_] * 2
    assert "<svg" in (tmp_path / "branch.svg").read_text(encoding="utf-8")


def test_a_result_without_a_branch_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no branch to draw"):
        hn.solutions.draw_branch(tmp_path / "one.png", hn.qre(hn.matrix_game(GAME), lambda_=1.0))
