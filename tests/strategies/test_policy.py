"""Tables of visited sets: against the same done set by set, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats, Longs
from hannan.forms.loader import load_expanded
from hannan.rules.plain import Rules
from hannan.strategies.files import read_policy, save
from hannan.strategies.index import UNKNOWN
from hannan.strategies.policy import Policy
from tests.games.plain import Kuhn
from tests.plaingames import Lottery, Over

GAMES = ["kuhn_poker(players=3)", "leduc_poker", "goofspiel(cards=4)", Kuhn()]


def visited(game: Any) -> Policy:
    """Return what a short run has learnt: some sets are not known."""
    solver = hn.methods.OutcomeSampling(game, over="rules", seed=3)
    solver.run(20)
    return solver.policy()


def owners(policy: Policy) -> Longs:
    """Return the player of each set, found from set to set."""
    of_sequence = list(range(policy.game.players))
    result = []
    for parent, size in zip(policy.parent, policy.size, strict=True):
        result.append(of_sequence[parent])
        of_sequence += [result[-1]] * int(size)
    return np.array(result)


def strategy(policy: Policy, player: int) -> Floats:
    """Return what a player does on the expanded game, found from set to set."""
    plex, labels = policy.game.expanded().tree.treeplexes[player], policy.game.expanded().tree.labels
    result, known = [1.0], [player]
    for j in range(plex.sets):
        code = int(plex.observation[j])
        place = policy.find(known[plex.parent[j]], code if labels is None else labels.observations[code])
        result += policy.plays(place, int(plex.sizes[j])).tolist()
        known += [policy.after(player, place, k) for k in range(int(plex.sizes[j]))]
    return np.array(result)


@pytest.mark.parametrize("game", GAMES)
def test_everything_is_where_it_was_found(game: Any) -> None:
    """To the same bits: nothing is computed, only copied."""
    policy = visited(game)
    assert 0 < policy.sets < sum(plex.sets for plex in policy.game.expanded().tree.treeplexes)
    assert np.array_equal(policy.owner, owners(policy))
    for player, found in enumerate(policy.profile().strategies):
        assert np.array_equal(found, strategy(policy, player))


@pytest.mark.parametrize("game", GAMES)
def test_uniform_play_knows_no_set(game: Any) -> None:
    policy = Policy.uniform(load_expanded(game))
    assert policy.sets == len(policy.owner) == 0
    assert policy.find(0, 1) == UNKNOWN
    for ours, theirs in zip(policy.profile().strategies, hn.uniform(policy.game).strategies, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("game", ["leduc_poker", Kuhn()])
def test_uniform_play_can_be_saved(game: Any, tmp_path: Path) -> None:
    save(Policy.uniform(load_expanded(game)), tmp_path / "u")
    assert read_policy(tmp_path / "u", game).sets == 0


BROKEN = {
    "parent": (-1, "before its parent"),
    "observation": (-1, "no label"),
    "base": (0, "do not follow one another"),
    "size": (0, "do not follow one another"),
    "probability": (-0.5, "do not sum to 1"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_arrays_that_are_no_table_are_refused(name: str, tmp_path: Path) -> None:
    policy = visited(Kuhn())
    number, sentence = BROKEN[name]
    array = getattr(policy, name).copy()
    array[-1] = number
    with pytest.raises(hn.errors.ParameterError, match=sentence):
        replace(policy, **{name: array})
    object.__setattr__(policy, name, array)
    save(policy, tmp_path / "broken")
    with pytest.raises(hn.errors.FileError, match=sentence):
        read_policy(tmp_path / "broken", Kuhn())


def test_sets_are_found_by_what_equals_the_observation(tmp_path: Path) -> None:
    """In this process and from a file; Kuhn's observations are (card, plays before)."""
    policy = visited(Kuhn())
    save(policy, tmp_path / "policy")
    assert policy.met is not None
    for table in (policy, read_policy(tmp_path / "policy", Kuhn())):
        met: dict[Any, int] = dict(policy.met)
        for (card, plays), code in met.items():
            for place in np.flatnonzero(policy.observation == code).tolist():
                for same in (card, float(card), np.int8(card)):
                    assert table.find(int(policy.parent[place]), (same, plays)) == place
        assert table.find(0, (9, ())) == table.find(0, "(0, ())") == UNKNOWN


def test_labels_that_mean_two_things_are_refused(tmp_path: Path) -> None:
    policy = visited(Kuhn())
    assert policy.labels is not None
    labels = (policy.labels[1], *policy.labels[1:])
    with pytest.raises(hn.errors.ParameterError, match="two observations of a policy have the same label"):
        replace(policy, labels=labels, met=None)
    with pytest.raises(hn.errors.ParameterError, match="has no label"):
        replace(policy, met={"nowhere": len(labels)})
    object.__setattr__(policy, "labels", labels)
    with pytest.raises(hn.errors.ParameterError, match="two unequal observations have the same text"):
        save(policy, tmp_path / "policy")


def test_a_set_cannot_come_after_itself() -> None:
    policy = visited("leduc_poker")
    parent = policy.parent.copy()
    parent[3] = policy.base[3]
    with pytest.raises(hn.errors.ParameterError, match="before its parent"):
        replace(policy, parent=parent)


def test_arrays_of_the_wrong_shape_or_kind_are_refused() -> None:
    policy = visited("kuhn_poker")
    with pytest.raises(hn.errors.ParameterError, match="one whole number for each set"):
        replace(policy, size=policy.size[1:])
    with pytest.raises(hn.errors.ParameterError, match="one whole number for each set"):
        replace(policy, parent=policy.parent.astype(np.float64))
    with pytest.raises(hn.errors.ParameterError, match="probabilities"):
        replace(policy, probability=policy.probability[1:])


def test_other_actions_are_refused() -> None:
    """A table of another game's sets, behind the right name."""
    policy = visited("kuhn_poker")
    size = np.full(policy.sets, 3)
    base = 2 + 3 * np.arange(policy.sets)
    parent = np.where(policy.parent < 2, policy.parent, 0)
    probability = np.full(2 + 3 * policy.sets, 1 / 3)
    with pytest.raises(hn.errors.MismatchError, match="kuhn_poker has other actions"):
        replace(policy, parent=parent, size=size, base=base, probability=probability).profile()


@pytest.mark.parametrize("rules", [Over(), Lottery()])
def test_games_in_which_nobody_decides_have_policies_without_sets(rules: Rules) -> None:
    """So they can be played, measured and matched as any other game."""
    policy = Policy.of_profile(hn.uniform(rules))
    assert policy.sets == 0
    assert [strategy.tolist() for strategy in policy.profile().strategies] == [[1.0], [1.0]]
    values = hn.evaluate(rules, policy.profile()).values
    result = hn.match(rules, policy.profile(), "uniform", games=400, confidence=0.999)
    for score, width in zip(result.scores, result.half_widths, strict=True):
        assert abs(score - sum(values) / 2) <= width
    response = hn.respond(policy, 0, "learned", walks=10, plays=400, confidence=0.999)
    assert response.lower_bound == 0.0
    assert abs(response.gain) <= response.interval_half_width


def test_nothing_is_taken_from_a_policy_of_other_rules() -> None:
    compiled, plain, third = (visited(game) for game in ("kuhn_poker", Kuhn(), "kuhn_poker(players=3)"))
    for one, other in ((compiled, plain), (plain, compiled), (compiled, third)):
        with pytest.raises(
            hn.errors.MismatchError, match=r"is not a policy of kuhn_poker|is not a policy of Kuhn|of compiled rules"
        ):
            one.taking(0, other)
