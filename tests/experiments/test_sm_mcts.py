"""The figures of the SM-MCTS paper: the games that there are, quick figures, and work that goes on where it stopped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hannan.errors import FileError, HannanError, UnsuitableError
from hannan.experiments import reproduce, sm_mcts2, sm_mcts3, sm_mcts3_schemes
from hannan.experiments.pieces import Piece, gathered
from hannan.experiments.stacked import SWAPS, canonical, distinct, matrices, stacked, text_of
from hannan.forms.loader import load_expanded
from hannan.pieces import workers_of


def test_there_are_133407_games() -> None:
    """By Burnside's lemma: (81 + 3·9)/4 = 27 leaf matrices up to swaps, (27⁴ + 3·27²)/4 games of four of them."""
    games = distinct()
    assert len(matrices()) == (81 + 3 * 9) // 4
    assert len(games) == (27**4 + 3 * 27**2) // 4 == 133_407
    assert len(np.unique(games @ 3 ** np.arange(16))) == len(games)


def test_swaps_lead_to_the_same_game() -> None:
    draw = np.random.default_rng(1)
    known = {tuple(row) for row in distinct().tolist()}
    for _ in range(200):
        leaves = draw.integers(0, 3, (4, 4))
        first = canonical(tuple(leaves.ravel().tolist()))
        swapped = np.array([leaf[list(SWAPS[draw.integers(4)])] for leaf in leaves[list(SWAPS[draw.integers(4)])]])
        assert canonical(tuple(swapped.ravel().tolist())) == first
        assert first in known


def test_the_games_are_what_their_digits_say() -> None:
    digits = sm_mcts3.AUTHORS["WC_RM"]
    assert text_of(digits) == "[0 0; .5 .5] [0 1; 1 0] [0 0; .5 .5] [1 0; 1 0]"
    tree = load_expanded(stacked(digits)).tree
    assert tree.nodes == 21
    gains = np.zeros(tree.nodes)
    gains[tree.gain_node] = tree.gain[:, 0]
    assert gains[5:].tolist() == [0.5 * digit for digit in digits]


@pytest.mark.slow
def test_figure_3_quick_and_again_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quicker than quick: one game in 1,600 is searched, 10 times."""
    monkeypatch.setattr(sm_mcts3, "QUICK", sm_mcts3.Size(1600, 10, 64, 3, 30, 4, 5000))
    ((report, paths),) = reproduce("sm-mcts", "3", tmp_path, quick=True)
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    held = {claim.text: claim.held for claim in report.claims}
    assert held["the games that are most difficult for one method are difficult also for the other"]
    assert held["the variants that return means always converge a little slower"]
    kept = (tmp_path / "sm_mcts3_quick.runs").stat().st_mtime_ns
    ((again, _),) = reproduce("sm-mcts", "3", tmp_path, quick=True)
    assert again.numbers() == report.numbers()
    assert (tmp_path / "sm_mcts3_quick.runs").stat().st_mtime_ns == kept


@pytest.mark.slow
def test_figure_3_by_first_visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The screen gives every game that it keeps the numbers of the whole figure, and ranks by new searches."""
    monkeypatch.setattr(sm_mcts3_schemes, "QUICK", sm_mcts3_schemes.Size(4000, 16, 2, 0.3, 6, 2, 20))
    ((report, _),) = reproduce("sm-mcts", "3-first-visits", tmp_path, quick=True)
    assert len(report.claims) == 6
    games, size = distinct(), sm_mcts3.FULL._replace(searches=6, chunk=3)
    for scheme in ("printed", "selected"):
        whole = sm_mcts3.searched(games[500:503], 500, "rm-mean", size, scheme)[0]
        numbers, wanted = np.array([500, 502]), sm_mcts3_schemes.FULL._replace(searches=6)
        parts = [
            sm_mcts3_schemes.searched(games[numbers], numbers, "rm-mean", scheme, wanted, *stage)
            for stage in ((0, 2), (2, 6))
        ]
        assert (parts[0] + parts[1]) / 6 == pytest.approx(whole[[0, 2]], abs=1e-12)


@pytest.mark.slow
def test_figure_2_quick(tmp_path: Path) -> None:
    ((report, _),) = reproduce("sm-mcts", "2", tmp_path, quick=True)
    assert len(report.panels) == 6
    for panel in report.panels:
        for line in panel.lines.values():
            assert line[-1][1] <= line[0][1] + 1e-12  # a shortfall falls, a floor stays


def test_figure_2_stopped_after_its_first_round_reports_that_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = sm_mcts2.Size(2, 4, 100, 2, 2)
    monkeypatch.setattr(sm_mcts2, "QUICK", size)
    whole = gathered(sm_mcts2.pieces(size, range(2)), tmp_path / "whole", str(tuple(size)))
    real = sm_mcts2.searched

    def second_round_stops(*given: object) -> np.ndarray:
        if given[3] == 1:
            raise KeyboardInterrupt
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(sm_mcts2, "searched", second_round_stops)
    stopped = sm_mcts2.report(quick=True, folder=tmp_path)
    assert "2 searches of each (of 4: the run was stopped" in stopped.notes[0]
    assert stopped.panels == sm_mcts2.panels(sm_mcts2.curves(whole, size, 1))
    monkeypatch.setattr(sm_mcts2, "searched", real)
    ended = sm_mcts2.report(quick=True, folder=tmp_path)
    assert "stopped" not in ended.notes[0]
    assert ended.panels == sm_mcts2.panels(sm_mcts2.curves(whole, size, 2))


@pytest.mark.slow
def test_the_theory_holds_quickly(tmp_path: Path) -> None:
    ((report, _),) = reproduce("sm-mcts", "theory", tmp_path, quick=True)
    assert report.held, report.table()


def stopping() -> np.ndarray:
    raise KeyboardInterrupt


def failing() -> np.ndarray:
    raise ValueError("no numbers")


@pytest.mark.slow
def test_one_process_or_two_and_a_run_that_was_stopped(tmp_path: Path) -> None:
    size = sm_mcts2.Size(2, 2, 100, 1, 1)
    pieces = [piece for piece in sm_mcts2.pieces(size, range(2)) if "depth 2, branching 2" in piece.name]
    one = gathered(pieces, tmp_path / "one", "s")
    with workers_of("processes", 2) as workers:
        two = gathered(pieces, tmp_path / "two", "s", workers=workers)
        with pytest.raises(HannanError, match=r"^four, bad: ValueError: no numbers$"):
            gathered([*pieces[:2], Piece("bad", 1.0, failing)], tmp_path / "four", "s", workers=workers)
    half: list[Piece] = pieces[:3]
    stopped = [*half, Piece("stop", 1.0, stopping)]
    with pytest.raises(KeyboardInterrupt):
        gathered(stopped, tmp_path / "three", "s")
    assert set(gathered(stopped, tmp_path / "three", "s", partial=True)) == {piece.name for piece in half}
    told: list[str] = []
    three = gathered(pieces, tmp_path / "three", "s", told.append)
    for name, numbers in one.items():
        assert np.array_equal(numbers, two[name])
        assert np.array_equal(numbers, three[name])
    with pytest.raises(FileError, match="made with other settings, s and not t"):
        gathered(pieces, tmp_path / "one", "t")


def test_figures_that_are_not_cut_into_pieces_refuse_workers(tmp_path: Path) -> None:
    for options in ({"on": "processes"}, {"workers": 2}):
        with pytest.raises(UnsuitableError, match="einr 4 is not cut into pieces: leave on and workers out"):
            next(reproduce("einr", "4", tmp_path, **options))
    assert list(tmp_path.iterdir()) == []
