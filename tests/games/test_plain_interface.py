"""A compiled rulebook called as plain Python gives the very same tree as when it is compiled."""

from __future__ import annotations

import pytest

from hannan.forms.expansion import expand
from tests.delegating import Delegating
from tests.games.checks import assert_same_tree, load

SMALL = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker(ranks=2)",
    "leduc_poker(ranks=2,suits=3,merge_suits=true)",
    "leduc_poker(ranks=2,suits=2,players=3,merge_suits=true)",
    "liars_dice(faces=3)",
    "liars_dice(faces=2,dice=2)",
    "goofspiel(cards=3)",
    "goofspiel(cards=3,order=ascending,information=open,returns=win_loss,ties=discard,lowest=0)",
    "goofspiel(cards=3,order=descending,returns=half_difference,forced=skip)",
    "goofspiel(cards=2,players=3)",
    "matrix_game(payoffs=[[0.1,-2],[3,4.5]])",
    "matrix_game(payoffs=[[[[1,2],[3,4]]],[[[5,6],[7,8]]],[[[9,10],[11,12]]]])",
    "shapley",
    "random_game",
    "random_game(depth=3,branching=3,utilities=ternary)",
    "random_game(depth=3,utilities=edges,chance=2,seed=9223372036854775807)",
    "random_game(chance=3,hidden=true,payoffs=general_sum)",
    "random_game(moves=turns,utilities=edges,chance=2,hidden=true)",
    "random_game(players=3,payoffs=identical,seed=5)",
    "random_game(players=4,depth=1,chance=2,moves=turns)",
]


@pytest.mark.parametrize("address", SMALL)
def test_plain_and_compiled_agree(address: str) -> None:
    rules = load(address)
    assert_same_tree(expand(rules), expand(Delegating(rules)))
