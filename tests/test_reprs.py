"""What a prompt shows of an object is short: a line, or a dozen of them for a profile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn

LEDUC = hn.load("leduc_poker").expanded()
MATRIX = hn.load("chicken").expanded()


def _log(folder: Path) -> hn.records.LoggedRun:
    hn.solve(LEDUC, "cfr", iterations=20, log=folder / "x.log")
    return hn.read_log(folder / "x.log")


SHOWN: dict[str, Any] = {
    "Evaluation(NashConv ": lambda _: hn.evaluate(LEDUC, hn.uniform(LEDUC)),
    "Response(player 1 earns ": lambda _: hn.best_response(LEDUC, hn.uniform(LEDUC), 1),
    "ExactGap(fractions: NashConv ": lambda _: hn.exact_gap("kuhn_poker", hn.random_profile("kuhn_poker", seed=1)),
    "GameTree(leduc_poker, 2 players: 9,457 histories, 936 information sets)": lambda _: LEDUC.tree,
    "SequenceForm(1,093 by 1,093 sequences, 4,920 payoff entries)": lambda _: LEDUC.form,
    "Treeplex(468 information sets, 1,093 sequences, ": lambda _: LEDUC.form.treeplexes[0],
    "NormalForm(chicken: 2 by 2 plans)": lambda _: hn.normal_form(MATRIX),
    "CorrelatedEquilibrium(chicken: ce, values [": lambda _: hn.solutions.correlated_equilibrium(MATRIX),
    "MixedEquilibrium(matching_pennies: value 0 to 0)": lambda _: hn.solutions.nash_lp("matching_pennies"),
    "LoggedRun(leduc_poker by cfr: 12 points, the last after 20 iterations, stopped by iterations)": _log,
    "MatchResult(kuhn_poker: uniform ": lambda _: hn.match("kuhn_poker", "uniform", "uniform", games=40),
    "Certificate(kuhn_poker by auto: gap at most ": lambda _: hn.certify("kuhn_poker", playthroughs=100),
    "MeasuredResponse(player 0 gains ": lambda _: hn.respond(hn.uniform("kuhn_poker"), 0),
    "Searcher(biased_rps by rm, 0 iterations, ": lambda _: hn.Searcher("biased_rps", "rm"),
}


@pytest.mark.parametrize("text", SHOWN)
def test_a_prompt_shows_one_line(text: str, tmp_path: Path) -> None:
    shown = repr(SHOWN[text](tmp_path))
    assert shown.startswith(text)
    assert "\n" not in shown
    assert len(shown) <= 200
