"""Phase portraits: paths against what is known of them, equilibria by hand, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.pictures.portraits import DYNAMICS, equal_support_equilibria, portrait, trajectory
from hannan.solvers.general.replicator import replicator


def start(*shares: float) -> Any:
    return tuple(np.array([share, 1 - share]) for share in shares)


def test_replicator_keeps_what_it_should() -> None:
    """In matching pennies x(1 − x)y(1 − y) never changes; and the start may not be far off after a whole turn."""
    payoffs = hn.normal_form("matching_pennies").payoffs
    x, y = replicator(payoffs, start(0.7, 0.4), 20.0, 2000)
    kept = x.prod(axis=1) * y.prod(axis=1)
    assert kept == pytest.approx(np.full(len(kept), kept[0]), rel=1e-6)
    assert x[:, 0].max() > 0.65
    assert x[:, 0].min() < 0.35


def test_replicator_is_logistic_against_dominance() -> None:
    """One action earns 1 more whatever the other does: its share is the logistic function of time."""
    payoffs = np.array([[[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]])
    x, y = replicator(payoffs, start(0.2, 0.5), 5.0, 500)
    times = np.linspace(0, 5, 501)
    assert x[:, 0] == pytest.approx(1 / (1 + 4 * np.exp(-times)), abs=1e-9)
    assert y[:, 0] == pytest.approx(np.full(501, 0.5))


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        ("chicken", [((0, 1), (1, 0)), ((1, 0), (0, 1)), ((2 / 3, 1 / 3), (2 / 3, 1 / 3))]),
        ("matching_pennies", [((0.5, 0.5), (0.5, 0.5))]),
        ("prisoners_dilemma", 1),
        ("rock_paper_scissors", [((1 / 3,) * 3, (1 / 3,) * 3)]),
    ],
)
def test_equilibria(game: str, expected: Any) -> None:
    """By hand; in chicken 6p + 2(1 − p) = 7p gives p = 2/3."""
    found = equal_support_equilibria(hn.normal_form(game))
    if isinstance(expected, int):
        assert len(found) == expected
        return
    assert sorted(tuple(map(tuple, pair)) for pair in found) == [
        tuple(pytest.approx(part) for part in pair) for pair in sorted(expected)
    ]


@pytest.mark.parametrize("name", DYNAMICS)
def test_paths_lead_to_the_pure_equilibrium(name: str) -> None:
    """From a start where player 0 dares more, chicken is learnt as (dare, yield) by every one of them."""
    form = hn.normal_form("chicken")
    x, y = trajectory(form, DYNAMICS[name], start(0.3, 0.8))
    assert (x[0, 0], y[0, 0]) == (0.3, 0.8)
    assert x[-1, 0] < 0.1
    assert y[-1, 0] > 0.9


@pytest.mark.slow
def test_picture_is_written(tmp_path: Path, hannan: Any) -> None:
    """A square with three equilibria; two triangles for a game that is not symmetric; the command writes a file."""
    axes = portrait("chicken", tmp_path / "a.svg", ("replicator", "rm"), grid=1)
    assert [len(panels) for panels in axes] == [1, 1]
    marks = [line for line in axes[0][0].lines if line.get_gid() == "equilibrium"]
    assert len(marks) == 3
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")
    bent = hn.matrix_game([[[0, 1, 2], [2, 0, 1], [1, 2, 0]], [[0, 1, 3], [2, 0, 1], [1, 2, 0]]])
    given = [([1, 0, 0], [0, 1, 0])]
    panels = portrait(bent, tmp_path / "b.png", ("replicator",), grid=1, equilibria=given)
    assert [len(one) for one in panels] == [2]
    record = hannan("draw", "chicken", "--dynamics", "replicator", "--out", "c.png", "--json").record
    assert record["dynamics"] == ["replicator"]
    assert Path("c.png").stat().st_size > 1000


def test_refusals(hannan: Any) -> None:
    with pytest.raises(hn.errors.UnsuitableError, match="27 by 64 plans"):
        portrait("kuhn_poker")
    with pytest.raises(hn.errors.ParameterError, match="dynamics 'cfr' do not exist"):
        portrait("chicken", dynamics=("cfr",))
    with pytest.raises(hn.errors.ParameterError, match="should be a list of names"):
        portrait("chicken", dynamics="rm")
    with pytest.raises(hn.errors.ParameterError, match="two mixed strategies"):
        portrait("chicken", equilibria=[([1, 0], [1, 1])])
    assert "give --out" in hannan("draw", "chicken", "--dynamics", "rm").err
