"""Lists of information sets, differences and histories against the plain tables."""

from __future__ import annotations

import numpy as np
import pytest

import hannan as hn
from hannan.measures.histories import histories
from hannan.measures.listing import SORTS, Differences, SetList, SetNames, differences
from hannan.measures.values import worth_under
from tests import loaded


@pytest.mark.parametrize("address", ["kuhn_poker(players=3)", "leduc_poker", "goofspiel(cards=3)"])
def test_numbers_are_those_of_summary(address: str) -> None:
    profile = hn.random_profile(loaded.game(address), seed=1)
    found = SetList(profile)
    rows = {(row.player, row.name): row for row in hn.summary(profile, most=10**6)}
    assert found.names.total == len(rows)
    for place in range(found.names.total):
        row = rows[found.names.player(place), found.names.names[place]]
        plays = np.array([action.probability for action in row.actions])
        regrets = [action.regret for action in row.actions if action.regret is not None]
        assert found.regret[place] == pytest.approx(max(regrets), abs=1e-12)  # the same numbers, divided later
        assert found.value[place] == pytest.approx(row.value, abs=1e-12)
        assert found.entropy[place] == pytest.approx(-(plays * np.log2(plays)).sum(), abs=1e-12)


def test_sets_that_nobody_comes_to_stand_last_either_way() -> None:
    timid = hn.profile(loaded.game("kuhn_poker"), {1: {"*": {"p": 1}}})
    found = SetList(timid)
    unreached = set(np.flatnonzero(np.isnan(found.regret)).tolist())
    assert len(unreached) == 3  # player 1 never bets, so player 0 never answers a bet
    for sort in ("regret", "value"):
        for descending in (True, False):
            page = found.page(sort=sort, descending=descending, limit=12)
            assert set(page.places[-3:]) == unreached
            numbers = getattr(found, sort)[page.places[:-3]].tolist()
            assert numbers == sorted(numbers, reverse=descending)


def test_filters_take_parts_of_names_and_patterns() -> None:
    names = SetNames(loaded.game("leduc_poker"))
    for wanted, like in (
        ("/K", lambda name: "/K" in name),
        ("Js*r", lambda name: name[:2] == "Js" and name[-1] == "r"),
    ):
        assert names.matching(wanted).tolist() == [like(name) for name in names.names]
    assert names.matching("", 1).sum() == 468
    found = SetList(hn.uniform(loaded.game("leduc_poker")), names)
    assert found.page(like="nothing is called so").total == 0
    for sort in SORTS:
        assert sorted(found.page(sort=sort, limit=10**4).places) == list(range(936))
    with pytest.raises(hn.HannanError, match="sort"):
        found.page(sort="colour")


def test_differences_are_distances_of_mixtures() -> None:
    game = loaded.game("kuhn_poker")
    one, other = hn.uniform(game), hn.random_profile(game, seed=2)
    both = differences(one, other)
    for place in range(12):
        player, name = both.names.player(place), both.names.names[place]
        a, b = one.at(player, name), other.at(player, name)
        assert both.variation[place] == pytest.approx(sum(abs(a[k] - b[k]) for k in a) / 2, abs=1e-12)
    order = both.page(limit=12).places
    assert both.variation[order].tolist() == sorted(both.variation.tolist(), reverse=True)
    assert differences(one, one).mean == 0.0
    with pytest.raises(hn.HannanError, match="two games"):
        Differences(SetList(one), SetList(hn.uniform(loaded.game("leduc_poker"))))


@pytest.mark.parametrize("address", ["kuhn_poker(players=3)", "goofspiel(cards=3)"])
def test_histories_have_reaches_that_sum_to_1_and_the_values_of_worth(address: str) -> None:
    profile = hn.random_profile(loaded.game(address), seed=3)
    found, tree = histories(profile), profile.game.tree
    assert found.reach[tree.turn == -1].sum() == pytest.approx(1.0, abs=1e-12)
    assert np.abs(found.value - worth_under(profile).value).max() < 1e-12  # another order of the same sums
    assert found.value[0].tolist() == pytest.approx(hn.values(profile), abs=1e-12)
