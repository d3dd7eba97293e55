"""Profiles: frozen, checked, readable."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest

from hannan.errors import MismatchError, ParameterError, UnknownNameError
from hannan.forms.loader import load_expanded as load
from hannan.strategies.profile import Profile, profile, random_profile, uniform
from tests.plaingames import Coins

KUHN = load("kuhn_poker")


def _arrays() -> list[np.ndarray]:
    return [strategy.copy() for strategy in uniform(KUHN).strategies]


@pytest.mark.parametrize("made", [uniform(KUHN), random_profile(KUHN, 1), profile(KUHN, _arrays())])
def test_nothing_can_be_changed(made: Profile) -> None:
    for strategy in made.strategies:
        with pytest.raises(ValueError, match="read-only"):
            strategy[1] = 0.5
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.strategies = ()  # type: ignore[misc]
    facts: Any = made.facts
    with pytest.raises(TypeError, match="does not support item assignment"):
        facts["method"] = "mine"


def test_facts_are_kept_apart_from_what_was_given() -> None:
    given = {"method": "mine"}
    made = Profile(KUHN, uniform(KUHN).strategies, given)
    given["method"] = "yours"
    assert made.facts == {"method": "mine"}
    assert json.dumps(dict(made.facts)) == '{"method": "mine"}'


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
def test_copies(how: Any) -> None:
    """Of a game in plain Python: names of compiled rules are made by functions that cannot be pickled."""
    made = random_profile(Coins(), 3)
    again = how(made)
    assert again.facts == made.facts == {"method": "random", "seed": 3}
    assert all((a == b).all() for a, b in zip(again.strategies, made.strategies, strict=True))


def test_what_was_given_stays_writable_and_apart() -> None:
    arrays = _arrays()
    made = profile(KUHN, arrays)
    arrays[0][1:3] = (0.0, 1.0)
    assert made.strategies[0][1] == 0.5


def test_uniform_by_definition() -> None:
    for player, plex in enumerate(load("leduc_poker").form.treeplexes):
        strategy = uniform("leduc_poker").strategies[player]
        assert strategy[0] == 1.0
        for j in range(plex.sets):
            assert (strategy[plex.begin[j] : plex.begin[j + 1]] == 1 / plex.sizes[j]).all()


def test_random_profiles_depend_on_the_seed_alone() -> None:
    first, again, other = (random_profile(KUHN, seed) for seed in (1, 1, 2))
    for a, b, c in zip(first.strategies, again.strategies, other.strategies, strict=True):
        assert (a == b).all()
        assert (a != c).any()


def test_at_by_number_and_by_name() -> None:
    drawn = random_profile(KUHN, 4)
    plex = KUHN.form.treeplexes[0]
    for j in range(plex.sets):
        name = KUHN.tree.set_text(0, j)
        plays = drawn.at(0, name)
        assert plays == drawn.at(0, j)
        assert list(plays) == ["p", "b"]
        assert list(plays.values()) == drawn.strategies[0][plex.begin[j] : plex.begin[j + 1]].tolist()
    with pytest.raises(UnknownNameError, match="player 0 has no information set"):
        drawn.at(0, "Z")


def test_at_refuses_numbers_out_of_range() -> None:
    """Six sets and two players: anything else is an error with a sentence, not an empty answer or an IndexError."""
    for player, place in ((0, 6), (0, -1), (2, 0), (-1, 0)):
        with pytest.raises((UnknownNameError, ParameterError)):
            uniform(KUHN).at(player, place)


@pytest.mark.parametrize(
    ("player", "place", "sentence"),
    [
        ("0", "J", "player '0' is out of range; kuhn_poker has players 0 to 1"),
        (None, "J", "player None is out of range"),
        (0, None, "None is neither the name nor the number of an information set"),
        (0, 1.0, "1.0 is neither the name nor the number"),
        (0, True, "True is neither the name nor the number"),
    ],
)
def test_at_refuses_other_things(player: Any, place: Any, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        uniform(KUHN).at(player, place)


class Alike(Coins):
    """Player 0 sees 1 or "1", which print alike."""

    def observe(self, state: Any, player: int) -> Hashable:
        return (1 if state[0] == "H" else "1") if player == 0 else super().observe(state, player)


def test_at_refuses_names_of_several_sets() -> None:
    drawn = random_profile(Alike(), 1)
    with pytest.raises(UnknownNameError, match=r"has 2 information sets '1': give the number of one of them \(0, 1\)"):
        drawn.at(0, "1")
    assert drawn.at(0, 0) != drawn.at(0, 1)
    assert drawn.at(1, "h") == drawn.at(1, 0)


def test_repr_says_what_it_is() -> None:
    text = repr(uniform(KUHN))
    assert text.startswith("Profile of kuhn_poker by uniform: 2 players, 12 information sets\n")
    assert "…" not in text  # six sets a player are all shown
    assert repr(uniform("leduc_poker")).endswith("…")


def test_html_has_a_row_for_each_set_and_escapes() -> None:
    html = uniform(KUHN)._repr_html_()
    assert html.count("<tr>") == 1 + 12
    assert html.count("<table>") == html.count("</table>") == 1
    assert "p 0.5000" in html


def _changed(player: int, place: int, number: float) -> list[np.ndarray]:
    arrays = _arrays()
    arrays[player][place] = number
    return arrays


@pytest.mark.parametrize(
    ("arrays", "kind", "sentence"),
    [
        (_arrays()[:1], MismatchError, "1 strategies for the 2 players"),
        ([_arrays()[0], np.ones(5)], MismatchError, "player 1 of kuhn_poker has 13 sequences, the strategy 5"),
        (
            [_arrays()[0], np.ones((13, 2))],
            MismatchError,
            "player 1 of kuhn_poker has 13 sequences, the strategy 26",
        ),
        (_changed(0, 1, -0.5), ParameterError, "player 0 has a number that is not a probability"),
        (_changed(1, 2, 1.5), ParameterError, "player 1 has a number that is not a probability"),
        (_changed(0, 3, float("nan")), ParameterError, "player 0 has a number that is not a probability"),
        (_changed(0, 3, float("inf")), ParameterError, "player 0 has a number that is not a probability"),
        (_changed(0, 0, 0.5), ParameterError, "player 0 has a number that is not a probability"),
        (_changed(0, 1, 0.25), ParameterError, "sums to 0.75, not 1"),
    ],
)
def test_bad_strategies_are_refused(arrays: list[np.ndarray], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        profile(KUHN, arrays)


def test_rounding_is_forgiven() -> None:
    """A thousand roundings of 1e-16 are far below the tolerance of 1e-6 on the sum, a forgotten action far above."""
    assert profile(KUHN, _changed(0, 1, 0.5 + 1e-9)).strategies[0][1] == 0.5 + 1e-9
    with pytest.raises(ParameterError, match="not 1"):
        profile(KUHN, _changed(0, 1, 0.5 + 1e-5))


def test_a_sentence_does_not_list_hundreds_of_names() -> None:
    with pytest.raises(UnknownNameError, match=r"known are Jh, .*, … \(468 in all\)") as told:
        uniform("leduc_poker").at(0, "Zz")
    assert len(str(told.value)) < 300
