"""From addresses to games: what is loaded, what is refused, and where rules of one's own are looked for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hannan.errors import FileError, ParameterError
from hannan.forms.loader import load_expanded as load

RULES = """
from hannan import END, Rules
from {sibling} import GAIN

class Const(Rules):
    def start(self): return 0
    def turn(self, state): return END
    def actions(self, state, player): return []
    def observe(self, state, player): return None
    def after(self, state, move): return state
    def gains(self, state): return (GAIN, -GAIN)
"""


def written(folder: Path, sibling: str, gain: float) -> Path:
    folder.mkdir()
    (folder / f"{sibling}.py").write_text(f"GAIN = {gain}\n")
    (folder / "g.py").write_text(RULES.format(sibling=sibling))
    return folder / "g.py"


@pytest.mark.parametrize("folder", ["games", "my (games)", "a:b", "my (games): new"])
def test_rules_beside_what_they_import(folder: str, tmp_path: Path) -> None:
    """Parentheses and colons in the path; the folder is not left behind where modules are looked for."""
    before = list(sys.path)
    file = written(tmp_path / folder, f"sibling{len(folder)}", float(len(folder)))
    game = load(f"{file}:Const")
    assert game.tree.lowest.tolist() == [len(folder), -len(folder)]
    assert not game.built_in
    assert sys.path == before


def test_a_failed_import_leaves_no_trace(tmp_path: Path) -> None:
    before = list(sys.path)
    (tmp_path / "half_a_game.py").write_text("import no_such_module_anywhere")
    with pytest.raises(FileError, match="could not be imported: ModuleNotFoundError"):
        load(f"{tmp_path / 'half_a_game.py'}:Const")
    assert sys.path == before
    assert "half_a_game" not in sys.modules


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("kuhn_poker(players=2,players=3)", "players is given twice"),
        ("kuhn_poker(players={[]:1})", "the value of players is not a number, a word or a list"),
        ("kuhn_poker(players=" + "-" * 5000 + "1)", "kuhn_poker"),
        ("kuhn_poker(players=" + "(" * 5000 + ")", "not of the form"),
        ("kuhn_poker\0", "not of the form"),
    ],
    ids=["twice", "unhashable", "minus signs", "parentheses", "null"],
)
def test_addresses_that_are_refused(address: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        load(address)


def test_what_is_built_in() -> None:
    """Made by `load` from the catalogue, and by nothing else."""
    assert load("matching_pennies").built_in
    assert load("kuhn_poker(players=3)").built_in
    assert not load(load("matching_pennies").rules).built_in
    assert load(load("matching_pennies").rules).known_value is None
