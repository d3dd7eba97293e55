"""Table 1: which algorithm for which box, by what was measured, on a clock that the test moves itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.certificates import algorithm61, playthrough
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.choice import judged
from hannan.certificates.first_order import FullWidth
from hannan.forms.boxes import boxed
from tests.certificates.test_resuming import same
from tests.clock import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(algorithm61, "time", clock)
    monkeypatch.setattr(playthrough, "time", clock)
    return clock


def slow(monkeypatch: pytest.MonkeyPatch, clock: Clock, play: float, solve: float) -> None:
    """Let every answer of a box and every solve take so long."""
    solved, asked = FullWidth.solve, playthrough._answered

    def solving(*arguments: Any) -> Any:
        clock.sleep(solve)
        return solved(*arguments)

    def asking(*arguments: Any) -> Any:
        clock.sleep(play)
        return asked(*arguments)

    monkeypatch.setattr(FullWidth, "solve", solving)
    monkeypatch.setattr(playthrough, "_answered", asking)


def verdict(playthroughs: int | None) -> tuple[bool, str]:
    work = algorithm61.Resolving(boxed("leduc_poker").box, method="cfr", every=20, seed=1)
    work.advance(60)
    before = work.trunk.nodes.used
    work.advance(20)
    return judged(work, before, playthroughs, None)


def test_a_quick_simulator_with_slow_solves_is_compute_limited(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    slow(monkeypatch, clock, 1e-4, 0.5)
    limited, why = verdict(100_000)
    assert limited
    assert why.startswith("compute-limited")
    assert "Algorithm 7.2" in why
    assert "a solve 0.5 s" in why
    assert not verdict(200)[0]  # few playthroughs: solving takes seconds


def test_a_slow_simulator_is_sampling_limited(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    slow(monkeypatch, clock, 10.0, 0.5)
    limited, why = verdict(10_000)
    assert not limited
    assert "Algorithm 6.1" in why


def test_auto_changes_the_algorithm_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trunk, the counts and what is proven go on; a checkpoint remembers the change."""

    def limited(*_: Any) -> tuple[bool, str]:
        return True, "compute-limited, for this test"

    monkeypatch.setattr("hannan.runs.certification.judged", limited)
    path = tmp_path / "some.checkpoint"
    whole = hn.certify("kuhn_poker", playthroughs=700, solve_every=50, check=True)
    assert whole.method == "mccfr"
    assert whole.why == "compute-limited, for this test"
    assert isinstance(whole.work, Regretting)
    assert whole.true_gap is not None
    assert whole.true_gap <= whole.gap < 4.0
    hn.certify("kuhn_poker", playthroughs=300, solve_every=50, checkpoint=path)
    monkeypatch.undo()
    again = hn.certify(resume=path, playthroughs=700)
    assert again.why == whole.why
    same(whole, again)
    whole.save(tmp_path / "some.certificate")
    assert hn.verify(tmp_path / "some.certificate", boxed("kuhn_poker").box).level == "counts"


def test_auto_stays_with_exact_solves_on_small_games() -> None:
    certificate = hn.certify("kuhn_poker", playthroughs=500, solve_every=50)
    assert certificate.method == "auto"
    assert "Algorithm 6.1" in certificate.why
