"""Quantal response as people use it: one λ, a branch with its limit, a fit, and refusals."""

from __future__ import annotations

from math import exp
from pathlib import Path

import numpy as np
import pytest

import hannan as hn
from hannan.errors import HannanError, ParameterError, UnsuitableError
from hannan.forms.boxes import boxed
from tests.loaded import game

PENNIES = [[[9, 0], [0, 1]], [[0, 1], [1, 0]]]
ABSENT = Path(__file__).parent.parent / "interop" / "files"


def test_one_rate() -> None:
    """The definition: log-odds are λ times differences of payoffs."""
    result = hn.qre(hn.matrix_game(PENNIES), lambda_=2.0)
    (p, _), (q, _) = (part[1:] for part in result.strategy.strategies)
    assert p == pytest.approx(1 / (1 + exp(-2 * (10 * q - 1))), abs=1e-12)
    assert q == pytest.approx(1 / (1 + exp(-2 * (1 - 2 * p))), abs=1e-12)
    assert result.payoffs[0] == pytest.approx(9 * p * q + (1 - p) * (1 - q), abs=1e-12)
    assert result.branch is None
    assert result.lambda_ == 2.0


def test_zero_is_even_at_every_set() -> None:
    result = hn.qre(game("kuhn_poker"), lambda_=0.0)
    for player, plex in enumerate(result.strategy.game.form.treeplexes):
        assert all(set(result.strategy.at(player, j).values()) == {0.5} for j in range(plex.sets))


def test_a_branch_and_its_limit() -> None:
    """The only equilibrium is (1/2, 1/2), (1/10, 9/10); a branch starts even and is kept in small steps."""
    result = hn.qre(hn.matrix_game(PENNIES))
    branch = result.branch
    assert branch is not None
    assert branch.lambdas[0] == 0
    np.testing.assert_allclose(branch.probabilities[0], 0.5)
    assert np.abs(np.diff(branch.probabilities, axis=0)).max() < 0.04
    assert branch.limit is not None
    np.testing.assert_allclose(np.concatenate(branch.limit.strategies), [1, 0.5, 0.5, 1, 0.1, 0.9], atol=1e-14)
    assert result.regret > 0
    assert "A Nash equilibrium is next to it" in branch.ending
    assert hn.qre(hn.matrix_game(PENNIES), path=True, max_lambda=1.0).branch.lambdas[-1] == 1.0  # type: ignore[union-attr]


def test_the_limit_of_a_tree() -> None:
    """Best responses over the whole game measure the limit; the value is Kuhn's -1/18 in both forms."""
    for normal in (False, True):
        result = hn.qre(game("kuhn_poker"), normal=normal)
        assert result.form == ("normal" if normal else "agent")
        assert result.branch is not None
        assert result.branch.limit is not None
        measured = hn.evaluate(result.branch.limit)
        assert max(measured.gains) < 1e-12
        assert measured.values[0] == pytest.approx(-1 / 18, abs=1e-12)


def test_a_bifurcation_is_told() -> None:
    result = hn.qre(hn.matrix_game([[[1, 0], [0, 1]], [[1, 0], [0, 1]]]), max_lambda=10.0)
    assert result.branch is not None
    assert result.branch.bifurcations == pytest.approx([2.0], abs=0.01)


def test_a_fit(tmp_path: Path) -> None:
    """Exact frequencies of λ = 1.5 in a million choices: the fit gives them back to two standard errors and better."""
    truth = hn.qre(hn.matrix_game(PENNIES), lambda_=1.5)
    lines = [
        f"{player},{k},{round(1e6 * share)}"
        for player, part in enumerate(truth.strategy.strategies)
        for k, share in enumerate(part[1:])
    ]
    file = tmp_path / "seen.csv"
    file.write_text("\n".join(["player,action,count", *lines]), encoding="utf-8")
    result = hn.qre(hn.matrix_game(PENNIES), data=file)
    assert result.lambda_ == pytest.approx(1.5, abs=1e-4)
    assert result.observations == 2_000_000
    assert result.standard_error is not None
    assert result.standard_error < 0.02
    assert result.at_end is False
    assert result.branch is None
    other = hn.qre(hn.matrix_game(PENNIES), data=file, lambda_=3.0)
    assert other.log_likelihood is not None
    assert result.log_likelihood is not None
    assert other.log_likelihood < result.log_likelihood - 100
    assert hn.qre(hn.matrix_game(PENNIES), data=file, path=True).branch is not None


def test_pygambit_agrees() -> None:
    """Its tracer stops within about 1e-9 of the branch."""
    pygambit = pytest.importorskip("pygambit")
    rows, columns = np.random.default_rng(4).uniform(-3, 3, (2, 3, 4)).round(3)
    theirs = pygambit.qre.logit_solve_lambda(pygambit.Game.from_arrays(rows, columns), 1.0, use_strategic=True)
    ours = hn.qre(hn.matrix_game([rows, columns]), lambda_=1.0).strategy.strategies
    shares = [float(share) for _, share in theirs[0].profile]
    np.testing.assert_allclose(np.concatenate([part[1:] for part in ours]), shares, atol=1e-7)


def test_refusals(tmp_path: Path) -> None:
    file = tmp_path / "seen.csv"
    file.write_text("player,set,action,count\n0,K,b,1\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="lambda_=-1 should be a number, 0 or more"):
        hn.qre("kuhn_poker", lambda_=-1)
    with pytest.raises(ParameterError, match="leave one of them out"):
        hn.qre("kuhn_poker", lambda_=1.0, path=True)
    with pytest.raises(UnsuitableError, match="choose more than once"):
        hn.qre("kuhn_poker", data=file, normal=True)
    with pytest.raises(UnsuitableError, match="its tree cannot be written out"):
        hn.qre(boxed("kuhn_poker").box)
    with pytest.raises(ParameterError, match="more than floats can follow"):
        hn.qre("kuhn_poker", lambda_=1e300)
    for name in ("absent.efg", "forgets.efg"):
        with pytest.raises(HannanError, match=r"recall|absent-minded|forget"):
            hn.qre(str(ABSENT / name))
