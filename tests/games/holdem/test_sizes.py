from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hannan.errors import ParameterError
from hannan.games.holdem.sizes import Size, amount, parse_sizes, rounded, size_text


def test_all_kinds_of_sizes() -> None:
    sizes = parse_sizes(" 60%, 2.5x ,150c,20c3r,e,2e,3e200%,e50%,A,.5%,", raises=True)
    assert sizes == (
        Size("%", 0.6),
        Size("x", 2.5),
        Size("c", 150),
        Size("c", 20, 3),
        Size("e", math.inf),
        Size("e", math.inf, 2),
        Size("e", 2.0, 3),
        Size("e", 0.5),
        Size("a"),
        Size("%", 0.005),
    )
    assert parse_sizes("") == parse_sizes("  ") == ()
    assert parse_sizes("50%,50%") == (Size("%", 0.5),)


@given(st.lists(st.sampled_from(["60%", "33.3%", "2.5x", "150c", "20c3r", "e", "2e", "3e200%", "e50%", "a"])))
def test_sizes_written_and_read_are_the_same(texts: list[str]) -> None:
    sizes = parse_sizes(",".join(texts), raises=True)
    assert parse_sizes(",".join(map(size_text, sizes)), raises=True) == sizes


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("60%,e,z", 7, "'z' begins no size"),
        ("60", 3, "a number needs a unit"),
        ("60%;a", 4, "';' does not continue a size"),
        ("0%", 1, "0 is out of range; expected a share of the pot above 0"),
        ("50%,0c", 5, "0 is out of range"),
        ("0e", 1, "0 is out of range"),
        ("-5%", 1, "'-' begins no size"),
        ("nan%", 1, "'n' begins no size"),
        ("a, 2.5x", 4, "'2.5x' is a multiple of the previous bet, so it is for raises only"),
        ("20c3r", 4, "a number of raises is for raises only"),
        ("99999999999c", 1, "99999999999 is out of range"),
        (",", 1, "',' begins no size"),
    ],
)
def test_a_wrong_size_is_refused_with_the_position(text: str, place: int, words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_sizes(text, "flop_bets")
    assert str(caught.value).startswith(f"flop_bets {text!r}: character {place}: {words}")


def test_a_multiple_is_more_than_the_bet() -> None:
    with pytest.raises(ParameterError, match="expected a multiple above 1"):
        parse_sizes("1x", "raises", raises=True)


def test_halves_are_rounded_up() -> None:
    assert [rounded(value) for value in (0.0, 0.49999999999999994, 0.5, 1.5, 2.5, 2.4)] == [0, 0, 1, 2, 3, 2]


@pytest.mark.parametrize("streets", [1, 2, 3])
def test_geometric_bets_that_are_called_end_all_in(streets: int) -> None:
    pot, stack = 1_000_000, 4_300_000
    size = Size("e", math.inf)
    shares = []
    for left in range(streets, 0, -1):
        bet = amount(size, pot, 0, stack, left, 0)
        shares.append(bet / pot)
        pot, stack = pot + 2 * bet, stack - bet
    assert stack == 0
    assert max(shares) - min(shares) < 1e-5  # one chip of rounding in a million


def test_raises_are_on_top_of_the_bet() -> None:
    # pot 200, bet 100: after calling the pot is 400
    assert amount(Size("%", 0.5), 400, 100, 800, 1, 1) == 300
    assert amount(Size("x", 2.5), 400, 100, 800, 1, 1) == 250
    assert amount(Size("c", 70), 400, 100, 800, 1, 1) == 170
    assert amount(Size("e", math.inf), 400, 100, 800, 1, 1) == 900
    assert amount(Size("e", 0.5), 400, 100, 800, 1, 1) == 300
