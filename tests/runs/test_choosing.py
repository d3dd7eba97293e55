"""Which method `auto` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.forms.loader import load_expanded

PENNIES = "matrix_game(payoffs=[[2,-1],[-1,1]])"


def test_small_zero_sum_games_are_solved_at_once() -> None:
    """By hand: both play 2/5 and 3/5, and the value is 1/5."""
    result = hn.solve(PENNIES)
    assert (result.method, result.stop, result.updates) == ("lp", "exact", None)
    assert result.nash_conv < 1e-12
    assert result.values[0] == pytest.approx(0.2, abs=1e-12)
    assert "at most 2,000 sequences" in result.why


@pytest.mark.parametrize(
    "how",
    [
        {"iterations": 5},
        {"log": "x.log"},
        {"checkpoint": "x.checkpoint"},
        {"start": hn.uniform(PENNIES)},
        {"updates": "alternating"},
        {"alpha": 2.0},
    ],
    ids=lambda how: next(iter(how)),
)
def test_but_not_where_somebody_wants_iterations(
    how: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert hn.solve(PENNIES, gap=0.1, **how).method == "pdcfr+"


def test_a_limit_with_a_letter_less_is_named() -> None:
    with pytest.raises(
        hn.errors.UnknownNameError, match="there is no parameter 'itrations'; did you mean 'iterations'"
    ):
        hn.solve(PENNIES, itrations=5)
    with pytest.raises(hn.errors.UnknownNameError, match="dcfr has no parameter 'alhpa'; did you mean 'alpha'"):
        hn.solve(PENNIES, "dcfr", alhpa=5)


@pytest.mark.parametrize("how", [{"gap": 0.1}, {"seconds": 5}, {"perturbation": 0.3}, {"seed": 3}], ids=str)
def test_other_wishes_are_fine(how: dict[str, Any]) -> None:
    assert hn.solve(PENNIES, **how).method == "lp"


def test_larger_games_and_other_kinds_are_not() -> None:
    """Leduc poker has a few sequences too many; chicken is general-sum."""
    assert sum(plex.sequences for plex in load_expanded("leduc_poker").form.treeplexes) > 2000
    assert hn.solve("leduc_poker", gap=1.0).method == "pdcfr+"
    assert hn.solve("chicken", gap=1.0).method == "cfr"


def test_locked_games_too() -> None:
    locked = hn.solve("kuhn_poker", locks={0: {"J": {"p": 1.0}}})
    assert (locked.method, locked.stop) == ("lp", "exact")
    assert locked.nash_conv < 1e-12
