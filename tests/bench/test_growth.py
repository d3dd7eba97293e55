"""How work grows: exponents of known power laws, the picture, and real measurements of small games."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hannan.bench import growth, start
from hannan.bench.child import in_child
from hannan.forms.loader import load_expanded


@pytest.mark.parametrize(("exponent", "factor"), [(1.0, 3e-9), (0.5, 2e-6), (0.0, 7.0)])
def test_an_exact_power_law_is_found_again(exponent: float, factor: float) -> None:
    histories = np.geomspace(1e3, 1e7, 10)
    found = growth.fitted(list(histories), list(factor * histories**exponent))
    assert found == pytest.approx((exponent, factor, 1.0), rel=1e-9, abs=1e-9)


def test_a_fit_says_how_far_it_is_off() -> None:
    """Points at 1, 100 and 1 above a law with exponent 0 and factor 100^(1/3)."""
    exponent, factor, off = growth.fitted([1e3, 1e4, 1e5], [1.0, 100.0, 1.0])
    assert exponent == pytest.approx(0.0, abs=1e-12)
    assert factor == pytest.approx(100 ** (1 / 3))
    assert off == pytest.approx(100 ** (2 / 3))


def test_families_grow_over_four_orders_of_magnitude_in_ten_sizes() -> None:
    """Sizes that take no time are compiled here; `hannan bench growth` prints all of them."""
    for addresses in growth.FAMILIES.values():
        assert len(set(addresses)) == 10
    small = [load_expanded(addresses[0]).sizes.histories for addresses in growth.FAMILIES.values()]
    assert small == [127, 1985, 94, 82]


def sizes(exponent: float) -> list[dict[str, float]]:
    return [
        {"histories": h, **dict.fromkeys(growth.MEASURES, 1e-6 * h**exponent), "peak": 1e4 * h}
        for h in (1e2, 1e4, 1e5, 1e6)
    ]


def test_the_picture_has_a_panel_per_measure_and_exponents(tmp_path: Path) -> None:
    target = tmp_path / "growth.svg"
    growth.draw(target, {"one": sizes(1.0), "half": sizes(0.5)}, "svg")
    assert target.read_text("utf-8").count("<!-- one: 1.00 -->") == len(
        growth.MEASURES
    )  # peaks also grow with exponent 1
    assert target.read_text("utf-8").count("<!-- half: 0.50 -->") == len(growth.MEASURES) - 1


@pytest.mark.slow
def test_a_game_is_measured_in_a_process_of_its_own() -> None:
    found = in_child("growth:measured", address="leduc_poker", quick=True)
    assert found["histories"] == 9457
    assert set(found) == {"histories", *growth.MEASURES}
    assert all(found[name] > 0 for name in growth.MEASURES if name != "peak")
    assert found["iteration"] < found["compile"]


def test_compiling_is_the_cold_run_less_the_warm_one(monkeypatch: pytest.MonkeyPatch) -> None:
    caches = []

    def answer(function: str, *, number: int, environment: dict[str, str]) -> dict[str, float]:
        assert function == "start:job"
        caches.append(environment["NUMBA_CACHE_DIR"])
        cold = caches.count(caches[-1]) == 1
        assert not list(Path(caches[-1]).iterdir())
        return {"processor": 9.0 + number if cold else 2.0, "passed": 5.0 if cold else 1.0}

    monkeypatch.setattr(start, "in_child", answer)
    section = start.run(False, lambda _: None)
    assert [row.ours.value for row in section.rows] == [7.0, 8.0, 9.0]
    assert [row.met for row in section.rows] == [False, False, True]
    assert len(set(caches)) == 3
