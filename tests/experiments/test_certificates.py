"""The quick figures of the certificates paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from hannan.bench.certify import run
from hannan.experiments import reproduce
from hannan.experiments.certificates1 import QUICK, certified


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["4", "soundness"])
def test_every_claim_holds(figure: str, tmp_path: Path) -> None:
    ((report, paths),) = reproduce("certificates", figure, tmp_path, quick=True)
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    if figure == "4":
        assert report.held, report.table()


@pytest.mark.slow
def test_figure_1_is_sound_and_soon_nontrivial(tmp_path: Path) -> None:
    ((report, _),) = reproduce("certificates", "1", tmp_path, quick=True)
    sound = [claim for claim in report.claims if "true gap" in claim.text]
    assert len(sound) == 3
    assert all(claim.held for claim in sound)
    assert {"MCCFR, true", "Cert-MCCFR, provable"} <= set(report.panels[0].lines)
    assert report.claims[0].held  # merged chance: nontrivial before there are as many playthroughs as nodes


@pytest.mark.slow
def test_merged_chance_proves_more_than_independent_chance() -> None:
    (setting,) = QUICK
    merged, independent = certified(setting, setting.groups), certified(setting, "none")
    assert merged.proven[-1].gap < independent.proven[-1].gap


@pytest.mark.slow
def test_the_bench_runs() -> None:
    section = run(quick=True, say=lambda _: None)
    assert [row.met for row in section.rows] == [None, None, True, *[None] * 8]
    assert all(row.ours.value > 0 for row in section.rows)
