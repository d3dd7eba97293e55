"""Games on their way to workers: an expanded game takes its arrays along, one copy per machine."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms import game as games
from hannan.forms.game import ExpandedGame
from hannan.pieces.packing import Store, unpacked


@pytest.mark.parametrize("address", ["leduc_poker", "goofspiel(cards=3)"])
def test_workers_do_not_expand_a_game_again(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = hn.load(address)
    assert isinstance(game, ExpandedGame)
    tree, form = game.tree, game.form
    store = Store()
    packed = store.pack({"game": game})
    alone = pickle.dumps(game)

    def refuse(rules: Any) -> Any:
        raise AssertionError("the game is expanded again")

    monkeypatch.setattr(games, "fold", refuse)
    monkeypatch.setattr(games, "expand", refuse)
    there = unpacked(packed.rest, packed.buffers())["game"]
    assert there.form.hash == form.hash
    assert np.array_equal(there.tree.probability, tree.probability)
    assert not there.tree.probability.flags.writeable
    assert len(alone) < 2000, "elsewhere, files and pickles name the game alone"
    store.remove()
