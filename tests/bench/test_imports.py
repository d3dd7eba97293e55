"""What the group `imports` reads is a file like any other."""

from __future__ import annotations

from pathlib import Path

from hannan.bench.imports import large, parsed
from hannan.interop.gambit.efg import parse_efg


def test_the_file_is_a_tree_of_about_the_size(tmp_path: Path) -> None:
    text = "".join(large(100_000))
    game = parse_efg(text)
    assert 50_000 < len(text) < 400_000
    assert sum(player == -1 for player in game.player) == len(game.payoffs)
    (tmp_path / "large.efg").write_text(text, encoding="utf-8")
    assert parsed(str(tmp_path / "large.efg"))["nodes"] == len(game.player)
