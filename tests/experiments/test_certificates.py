"""The quick figures of the certificates paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from hannan.bench.certify import run
from hannan.experiments import reproduce
from hannan.experiments.certificates1 import QUICK, certified
from hannan.experiments.certificates4 import indistinguishable, mistaken


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["4", "7", "theory", "soundness"])
def test_every_claim_holds(figure: str, tmp_path: Path) -> None:
    ((report, paths),) = reproduce("certificates", figure, tmp_path, quick=True)
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    if figure == "7":  # with our constants ε̃ is soon nontrivial, and the page says so
        assert [claim.text for claim in report.claims if not claim.held] == [
            "after Corollary 7.6: in practice ε̃ is trivial until T = Ω(N²)"
        ], report.table()
    elif figure != "soundness":  # 20 runs say nothing of 1 %
        assert report.held, report.table()


@pytest.mark.slow
def test_figure_1_is_sound_and_soon_nontrivial(tmp_path: Path) -> None:
    ((report, _),) = reproduce("certificates", "1", tmp_path, quick=True)
    sound = [claim for claim in report.claims if "above the true gap" in claim.text]
    assert len(sound) == 3
    assert all(claim.held for claim in sound)
    lines = report.panels[0].lines
    assert {"MCCFR, true", "Cert-MCCFR, provable", "Cert-MCCFR, true of the average"} <= set(lines)
    assert report.claims[0].held  # merged chance: nontrivial before there are as many playthroughs as nodes
    (programs,) = [claim for claim in report.claims if "pseudogames" in claim.text]
    assert programs.held, programs.ours  # our solves are within their tolerance of linear programs


@pytest.mark.slow
def test_merged_chance_proves_more_than_independent_chance() -> None:
    (setting,) = QUICK
    merged, independent = certified(setting, setting.groups), certified(setting, "none")
    assert merged.proven[-1].gap < independent.proven[-1].gap


def test_how_often_the_best_rule_takes_the_worse_arm() -> None:
    """One sample: whenever the better arm loses. Two: when both lose, and half of the time when one does, the same."""
    for e in (0.1, 0.3):
        assert mistaken(1, e) == pytest.approx(0.5 - e)
        assert mistaken(2, e) == pytest.approx(0.5 - e)
        p = 0.5 + e
        assert mistaken(3, e) == pytest.approx((1 - p) ** 3 + 3 * p * (1 - p) ** 2)
    assert mistaken(50, 0.0) == pytest.approx(0.5)
    assert mistaken(1000, indistinguishable(1000)) == pytest.approx(2 / 1000**2)


@pytest.mark.slow
def test_the_bench_runs() -> None:
    section = run(quick=True, say=lambda _: None)
    assert [row.met for row in section.rows] == [*[None] * 4, True, *[None] * 8]
    assert all(row.ours.value > 0 for row in section.rows)
