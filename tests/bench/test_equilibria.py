"""The benchmark of equilibria: its games, what it counts, and what a row says of a peer that finds others."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from hannan.bench import equilibria, peers
from hannan.bench.equilibria import GAMES, Draws
from hannan.bench.more_players import KUHN


def test_games_are_the_same_for_everyone() -> None:
    draws = Draws(3, -1, 1)
    assert (draws.game(5) == draws.game(5)).all()
    assert draws.game(5).shape == (2, 3, 3)
    assert {draw.most for draw in GAMES.values()} == {0.02, 0.3, 5.0, 40.0, None}


def test_rows_say_what_a_peer_misses() -> None:
    row = equilibria._beside("all", (1.0, 2.0, 3.0), (5, 7, 9), "lrsnash", {"seconds": [10.0, 20.0], "found": 11})
    assert row.note == "the first 2 games, NOT THE SAME: 12 here, 11 there"
    assert row.ratio == pytest.approx(10)
    late = equilibria._beside("all", (1.0, 2.0), (5, 7), "lrsnash", None)
    assert late.peer is not None
    assert late.peer.bound
    assert late.ratio == equilibria.LIMIT


def test_it_runs_without_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(peers, "find", lambda peer: None)
    said: list[str] = []
    section = equilibria.run(True, said.append)
    assert [row.measure for row in section.rows] == [
        "all equilibria, random 12 by 12", "von Stengel's 6 by 6", "isolated equilibria, 3 by 3 by 3", f"one, {KUHN}",
    ]  # fmt: skip
    assert section.rows[1].note == "75 of 75 equilibria"
    assert sum("is not installed" in note for note in section.notes) == 5
    assert said


@pytest.mark.parametrize("peer", equilibria.PEERS)
def test_peers_count_alike(peer: str) -> None:
    """Battle of the sexes has three equilibria."""
    if (shutil.which(peer) is None) if peer == "lrsnash" else (peers.find(peer) is None):
        pytest.skip(f"{peer} is not installed")
    assert equilibria.SOLVERS[peer](np.array([[[2, 0], [0, 1]], [[1, 0], [0, 2]]])) == 3
