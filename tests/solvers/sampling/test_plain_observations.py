"""Samplers on plain-Python rules whose observations are of every kind: compared, saved, read and refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.rules.inquiry import Inquiry
from hannan.solvers.sampling.sampler import Sampling
from hannan.strategies.files import read_policy, save
from hannan.strategies.policy import Policy
from tests.averages import average_of
from tests.solvers.sampling.guesses import LASTING, PASSING, Addresses, Alike, Guess, Hidden, average


@pytest.mark.parametrize("make", [*LASTING, *PASSING])
def test_observations_are_compared_as_on_the_tree(make: type[Guess]) -> None:
    """All of them are one game, so they have one strategy: to the same bits from one stream."""
    truth = average(Guess(), "tree")
    assert not np.allclose(truth[0][1:], 0.5)
    for over in ("tree", "rules"):
        for ours, theirs in zip(average(make(), over), truth, strict=True):
            assert np.array_equal(ours, theirs)
    gathered = zip(average(make(), "rules", streams=3), average(Guess(), "tree", streams=3), strict=True)
    for ours, theirs in gathered:
        np.testing.assert_allclose(ours, theirs, atol=1e-12)  # sums over streams are added in another order


@pytest.mark.parametrize("streams", [1, 2])
@pytest.mark.parametrize("make", LASTING)
def test_a_run_resumes_to_the_same_bits(make: type[Guess], streams: int, tmp_path: Path) -> None:
    solver = hn.methods.ExternalSampling(make(), over="rules", seed=4, streams=streams)
    solver.run(10)
    solver.save(tmp_path / "state")
    again = hn.resume(tmp_path / "state", make())
    assert isinstance(again, Sampling)
    for walks in (20, 26):  # first nothing is met again, then by one stream, then by all
        for ours, theirs in zip(average_of(again).strategies, average_of(solver).strategies, strict=True):
            assert np.array_equal(ours, theirs)
        for one in (solver, again):
            one._streams[0].walk(walks)
    for one in (solver, again):
        one.run(10)
    assert again.sets == solver.sets == 4
    assert np.array_equal(again.policy().probability, solver.policy().probability)


@pytest.mark.parametrize("make", LASTING)
def test_a_policy_is_saved_and_read(make: type[Guess], tmp_path: Path) -> None:
    solver = hn.methods.ExternalSampling(make(), over="rules", seed=4)
    solver.run(30)
    for policy in (solver.policy(), Policy.of_profile(average_of(solver))):
        save(policy, tmp_path / "policy")
        back = read_policy(tmp_path / "policy", make())
        for ours, theirs in zip(back.profile().strategies, average_of(solver).strategies, strict=True):
            assert np.array_equal(ours, theirs)


@pytest.mark.parametrize(("make", "sentence"), [(Addresses, "cannot be saved"), (Alike, "have the same text in files")])
def test_what_a_text_cannot_stand_for_is_not_saved(make: type[Guess], sentence: str, tmp_path: Path) -> None:
    solver = hn.methods.ExternalSampling(make(), over="rules", seed=4)
    solver.run(10)
    policies = solver.policy(), Policy.of_profile(average_of(solver))
    writes: list[Callable[[Path], None]] = [solver.save, *(partial(save, policy) for policy in policies)]
    for write in writes:
        with pytest.raises(hn.errors.ParameterError, match=rf"{sentence}.*let observe\(\) return numbers and words"):
            write(tmp_path / "state")
    assert not (tmp_path / "state").exists()
    solver.run(20)
    for ours, theirs in zip(average_of(solver).strategies, average(Guess(), "tree"), strict=False):
        assert np.array_equal(ours, theirs)


def test_a_policy_whose_texts_mean_two_observations_is_refused(tmp_path: Path) -> None:
    """A file of a run that has met one of them only."""
    one = np.zeros(1, np.int64)
    policy = Policy(load_expanded(Alike()), one, one, one + 2, one + 2, np.array([1.0, 1.0, 0.5, 0.5]), ("hidden",), {})
    save(policy, tmp_path / "policy")
    with pytest.raises(hn.errors.MismatchError, match="two observations of Alike have the same text"):
        read_policy(tmp_path / "policy", Alike()).profile()
    inquiry = Inquiry(Alike())
    inquiry.recall(["hidden"])
    assert inquiry.code(Hidden(1)) == inquiry.code(Hidden(1)) == 0
    with pytest.raises(hn.errors.RulesError, match="node r: two unequal observations"):
        inquiry.code(Hidden(2))


def test_what_is_recalled_is_met_by_equality_or_by_text() -> None:
    inquiry = Inquiry(Guess())
    inquiry.recall(["hidden", "3", "hidden"], {Hidden(1): 0, Hidden(2): 2})
    assert [inquiry.code(seen) for seen in (Hidden(2), 3.0, Hidden(1), Hidden(3), True, 3)] == [2, 1, 0, 3, 4, 1]
    assert inquiry.texts() == ["hidden", "3", "hidden", "hidden", "1"]
    with pytest.raises(hn.errors.MismatchError, match="have the same text"):
        inquiry.recall(["hidden", "3", "hidden"])


@pytest.mark.parametrize("make", [*LASTING, *PASSING])
def test_policies_are_played_and_followed_by_equality(make: type[Guess]) -> None:
    """What rollouts earn, and where a sampling policy leads, does not depend on how an observation is written."""
    found = []
    for rules in (Guess(), make()):
        solver = hn.methods.ExternalSampling(rules, over="rules", seed=4)
        solver.run(30)
        policy = solver.policy()
        guided = hn.methods.OutcomeSampling(solver.game, over="rules", seed=5, sampling_policy=policy, epsilon=0.1)
        guided.run(40)
        found.append([hn.rollouts(policy, plays=300).values, *map(tuple, average_of(guided).strategies)])
    assert found[0] == found[1]
