"""Which method `auto` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn

PENNIES = "matrix_game(payoffs=[[2,-1],[-1,1]])"


def test_small_zero_sum_games_are_solved_at_once() -> None:
    """By hand: both play 2/5 and 3/5, and the value is 1/5."""
    result = hn.solve(PENNIES)
    assert (result.method, result.stop, result.updates) == ("lp", "exact", None)
    assert result.nash_conv < 1e-12
    assert result.values[0] == pytest.approx(0.2, abs=1e-12)
    assert "the linear program gives an equilibrium at once" in result.why


@pytest.mark.parametrize(
    ("how", "method"),
    [
        ({"iterations": 5}, "auto"),
        ({"log": "x.log"}, "auto"),
        ({"checkpoint": "x.checkpoint"}, "auto"),
        ({"start": hn.uniform(PENNIES)}, "auto"),
        ({"updates": "alternating"}, "auto"),
        ({"gap": 0.1}, "auto"),
        ({"alpha": 2.0}, "pdcfr+"),
    ],
    ids=str,
)
def test_but_not_for_a_coarse_gap_or_where_iterations_are_wanted(
    how: dict[str, Any], method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = hn.solve(PENNIES, **{"gap": 1e-4, **how})
    assert (result.method, result.updates) == (method, "alternating")
    assert result.stop in ("gap", "iterations")


def test_a_limit_with_a_letter_less_is_named() -> None:
    with pytest.raises(hn.errors.UnknownNameError, match="unknown parameter 'itrations'; did you mean 'iterations'"):
        hn.solve(PENNIES, itrations=5)
    with pytest.raises(hn.errors.UnknownNameError, match="dcfr has no parameter 'alhpa'; did you mean 'alpha'"):
        hn.solve(PENNIES, "dcfr", alhpa=5)


@pytest.mark.parametrize("how", [{"gap": 1e-6}, {"seconds": 5}, {"perturbation": 0.3}, {"seed": 3}], ids=str)
def test_other_wishes_are_fine(how: dict[str, Any]) -> None:
    assert hn.solve(PENNIES, **how).method == "lp"


def test_three_players_and_general_sums_keep_cfr() -> None:
    chicken = hn.solve("chicken", gap=1.0)
    assert (chicken.method, chicken.updates) == ("cfr", "simultaneous")


def test_locked_games_too() -> None:
    locked = hn.solve("kuhn_poker", locks={0: {"J": {"p": 1.0}}})
    assert (locked.method, locked.stop) == ("lp", "exact")
    assert locked.nash_conv < 1e-12
