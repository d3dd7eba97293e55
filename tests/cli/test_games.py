"""`hannan games` and `hannan inspect` count histories in the same way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hannan.games import catalogue


@pytest.mark.parametrize("name", ["oshi_zumo", "goofspiel", "kuhn_poker", "chicken"])
def test_one_definition_of_a_history(hannan: Any, name: str) -> None:
    listed = hannan("games", name, "--json").record["known"][name]
    inspected = hannan("inspect", name, "--json").record
    assert listed["histories"] == inspected["histories"]
    assert (listed["one_by_one"] or listed["histories"]) == inspected["serialised"]


def test_the_documentation_names_every_place_of_a_new_game() -> None:
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()
    assert all(f"`{name}`" in text for name in ("SINGLE", "MATRICES", "PUBLIC", "LookedRules"))
    assert set(catalogue.MODULES) == {*catalogue.SINGLE, *catalogue.MATRICES, *catalogue.PUBLIC}
