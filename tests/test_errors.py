"""Sentences stay short, whatever they show."""

from __future__ import annotations

from typing import Any

import pytest

import hannan as hn
from hannan.errors import ALIKE, LONGEST, likeness

LONG = "x" * 50_000


@pytest.mark.parametrize("game", [LONG, f"{LONG}:json", f"json:{LONG}", f"{LONG}.efg", f"kuhn_poker(players={LONG})"])
def test_a_game_with_a_long_name_gives_a_short_error(game: str, hannan: Any) -> None:
    with pytest.raises(hn.HannanError) as told:
        hn.load(game)
    assert len(str(told.value)) <= LONGEST + 3
    assert len(hannan("solve", game).err) <= LONGEST + 20


def test_a_long_sentence_keeps_its_beginning_and_its_end() -> None:
    text = str(hn.HannanError(f"there is no {LONG}; take another one"))
    assert text.startswith("there is no xxx")
    assert text.endswith("xxx; take another one")
    assert str(hn.HannanError("short")) == "short"


def test_a_very_long_name_is_like_no_other() -> None:
    assert likeness("kuhn_poke", "kuhn_poker") > ALIKE
    assert likeness("kuhn_poker" * 100_000, "kuhn_poker" * 100_000) == 0.0
