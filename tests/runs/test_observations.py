"""Reading observed choices: counts in their places, and a sentence with line and column for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from hannan.errors import FileError
from hannan.runs.observations import read_observations
from tests.loaded import game


def test_counts_stand_at_their_actions_and_add_up(tmp_path: Path) -> None:
    file = tmp_path / "seen.csv"
    file.write_text("count,player,set,action\n3,0,K,b\n2,0,K,p\n4,0,K,b\n5,1,Qb,p\n", encoding="utf-8")
    tree = game("kuhn_poker")
    counts = read_observations(tree, file)
    places = {}
    for player, first in ((0, 0), (1, tree.form.treeplexes[0].sequences - 1)):
        plex = tree.form.treeplexes[player]
        for s in range(1, plex.sequences):
            places[player, tree.set_text(player, int(plex.set_of[s])), tree.action_text(player, s)] = first + s - 1
    assert counts[places[0, "K", "b"]] == 7
    assert counts[places[0, "K", "p"]] == 2
    assert counts[places[1, "Qb", "p"]] == 5
    assert counts.sum() == 14


def test_a_player_with_one_set_needs_no_name(tmp_path: Path) -> None:
    file = tmp_path / "seen.csv"
    file.write_text("player,action,count\n1,tails,8\n", encoding="utf-8")
    one = game("matching_pennies")
    actions = one.actions_at(1, 0)
    file.write_text(f"player,action,count\n1,{actions[1]},8\n", encoding="utf-8")
    assert read_observations(one, file).tolist() == [0, 0, 0, 8]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("player,set,action\n0,K,b\n", "line 1: there is no column 'count'"),
        ("player,set,action,count,count\n", "line 1: there is 2 columns 'count'"),
        ("player,set,action,count\n2,K,b,1\n", "line 2, column player: '2' should be a whole number from 0 to 1"),
        ("player,set,action,count\n0,K,b,1\n0,X,b,1\n", "line 3, column set: player 0 has no information set 'X'"),
        ("player,set,action,count\n0,,b,1\n", "line 2, column set: it is empty, and player 0 has 6"),
        ("player,set,action,count\n0,K,x,1\n", "line 2, column action: player 0 has no single action 'x' at 'K'"),
        ("player,set,action,count\n0,K,b,-1\n", "line 2, column count: '-1' should be a whole number"),
        ("player,set,action,count\n0,K,b,1.5\n", "line 2, column count: '1.5' should be"),
        ("player,set,action,count\n0,K,b\n", "line 2: it should have 4 cells"),
        ("player,set,action,count\n0,K,b,1,9\n", "line 2: it should have 4 cells"),
        ("player,set,action,count\n0,K,b,0\n", "no choice with a count above 0"),
        ("", "line 1: there is no column 'player'"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "seen.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=r"seen\.csv") as caught:
        read_observations(game("kuhn_poker"), file)
    assert sentence in str(caught.value)


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "seen.csv"
    file.write_bytes(b"\xff\xfe\x00player")
    with pytest.raises(FileError, match="not a CSV file of observed choices"):
        read_observations(game("kuhn_poker"), file)
