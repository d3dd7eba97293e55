"""Hidden chance: certified through answers, with the truth within the bounds, and a wrong number of answers noticed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.certificates.algorithm61 import Resolving
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.strategies import strategy_of
from hannan.forms.boxes import boxed
from hannan.measures.appraisal import evaluate
from hannan.rules.box import Box, View
from hannan.rules.hidden import HiddenChance
from hannan.strategies.profile import Profile


class Silent(Box):
    """A box that goes on by itself wherever chance moves, and shows nothing of it."""

    def __init__(self, box: Box) -> None:
        self.box, self.players, self.name = box, box.players, box.name

    def reset(self, seed: int) -> View:
        return self._on(self.box.reset(seed))

    def step(self, moves: tuple[Any, ...]) -> View:
        return self._on(self.box.step(moves))

    def _on(self, view: View) -> View:
        gains = [*view.gains]
        while view.draw is not None:
            view = self.box.step(())
            gains = [one + other for one, other in zip(gains, view.gains, strict=True)]
        return view._replace(gains=gains, bounds=None)


def silent_kuhn() -> Silent:
    return Silent(boxed("kuhn_poker").box)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Resolving, Regretting])
def test_the_truth_is_within_the_bounds(kind: type[Resolving] | type[Regretting]) -> None:
    """15 runs at δ = 0.1 on Kuhn poker whose deals are never shown: 1.5 may fail; 7 would in 1 of 1,000 tests."""
    game, failures = hn.load("kuhn_poker"), 0
    for seed in range(15):
        box = HiddenChance(silent_kuhn(), 6)
        work = kind(box, bounds=(-2.0, 2.0), every=200, confidence=Confidence("anytime", 0.9), seed=seed)
        work.advance(400)
        bound = work.bound()
        profile = strategy_of(game, work.trunk, work.kept, {})
        assert isinstance(profile, Profile)
        known = evaluate("kuhn_poker", profile)
        least, most = known.values[0] - known.gains[1], known.values[0] + known.gains[0]
        failures += not (bound.lower - 1e-9 <= least and most <= bound.upper + 1e-9)
    assert failures <= 6


def test_information_sets_are_those_of_the_game() -> None:
    work = Resolving(HiddenChance(silent_kuhn(), 6), bounds=(-2.0, 2.0), every=300)
    work.advance(900)
    assert [sets.rows.used for sets in work.trunk.sets] == [6, 6]


def test_more_answers_than_promised_are_noticed() -> None:
    certificate = hn.certify(silent_kuhn(), hidden=1, bounds=(-2, 2), playthroughs=200)
    assert certificate.stop == "failed"
    assert "the box named only those" in certificate.failure


def test_bounds_must_be_given() -> None:
    with pytest.raises(hn.errors.ParameterError, match="give bounds"):
        hn.certify(silent_kuhn(), hidden=6)


def test_a_certificate_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "hidden.certificate"
    hn.certify(silent_kuhn(), hidden=6, bounds=(-2, 2), playthroughs=200, method="mccfr").save(path)
    verdict = hn.verify(path, HiddenChance(silent_kuhn(), 6))
    assert verdict.valid, verdict.reason
    assert verdict.level == "counts"
