"""Certificates, equilibria, logs and matches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from tests.web.client import Interface, opened, until


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("proof")
    certificate = hn.certify("kuhn_poker", playthroughs=1000, seed=1, log=folder / "kuhn.log")
    certificate.save(folder / "kuhn.certificate")
    hn.equilibria([[[3, 0], [0, 2]], [[2, 0], [0, 3]]], all=True).save(folder / "sexes.equilibria")
    hn.match("kuhn_poker", "uniform", "uniform", games=32, seed=1, checkpoint=folder / "kuhn.match")
    return folder


@pytest.fixture(scope="module")
def page(place: Path) -> Iterator[Interface]:
    with opened(place, "kuhn_poker") as interface:
        yield interface


def checked(page: Interface, file: str, level: str) -> dict[str, Any]:
    job = page.send("/verifications", {"file": file, "level": level}, status=201)
    ends = ("finished", "failed", "stopped")
    done: dict[str, Any] = until(lambda: one if (one := page.ask(f"/jobs/{job['id']}"))["state"] in ends else None)
    assert done["state"] == "finished", done
    found: dict[str, Any] = done["result"]
    return found


def test_a_certificate_has_its_facts_and_the_curve_of_its_log(page: Interface, place: Path) -> None:
    told = page.ask("/certificates", file="kuhn.certificate")
    assert told["facts"]["playthroughs"] == 1000
    assert (told["curve_from"], told["curve_file"]) == ("log", "kuhn.log")
    logged = hn.read_log(place / "kuhn.log")
    assert [(one["playthroughs"], one["gap"]) for one in told["curve"]] == [(p.iteration, p.gap) for p in logged.curve]
    assert told["curve"][-1]["gap"] == told["facts"]["gap"]


def test_the_trunk_is_listed_by_how_well_it_is_known(page: Interface) -> None:
    trunk = page.ask("/certificates/trunk", file="kuhn.certificate")
    chance = [item for item in trunk["items"] if item["kind"] == "chance"]
    sets = [item for item in trunk["items"] if item["kind"] == "set"]
    radii = [item["radius"] for item in chance]
    assert radii == sorted(radii, reverse=True)
    assert max(item["count"] for item in chance) == 1000  # every playthrough draws the first card
    assert sum(item["count"] for item in chance) == 2000  # and a second one
    assert {item["name"] for item in sets} == {name for _, name, _ in hn.uniform("kuhn_poker").table()}
    assert trunk["sets"] == 12
    by_name = page.ask("/certificates/trunk", file="kuhn.certificate", sort="name", descending=False, player=1)
    assert [item["name"] for item in by_name["items"]] == ["Jb", "Jp", "Kb", "Kp", "Qb", "Qp"]


@pytest.mark.slow
def test_a_certificate_is_verified_at_each_level(page: Interface, place: Path) -> None:
    for level in ("arithmetic", "counts", "reproduced"):
        found = checked(page, "kuhn.certificate", level)
        assert (found["valid"], found["level"], found["file"]) == (True, level, "kuhn.certificate")
        assert str(place) not in found["text"]
    whole = (place / "kuhn.certificate").read_bytes()
    broken = whole.replace(b'\\"playthroughs\\": 1000', b'\\"playthroughs\\": 1001')
    assert broken != whole
    (place / "broken.certificate").write_bytes(broken)
    job = page.send("/verifications", {"file": "broken.certificate"}, status=201)["id"]
    done = until(lambda: one if (one := page.ask(f"/jobs/{job}"))["state"] in ("finished", "failed") else None)
    assert (done["state"], done["result"]) == ("failed", None)
    assert "broken.certificate" in done["error"]
    (place / "broken.certificate").unlink()


@pytest.mark.slow
def test_equilibria_are_listed_and_verified(page: Interface) -> None:
    """The battle of the sexes with payoffs 3 and 2: two pure equilibria, and a mixed one of 3/5 and 2/5 (by hand)."""
    told = page.ask("/equilibria", file="sexes.equilibria")
    assert (told["total"], told["complete"]) == (3, True)
    mixed = [one for one in told["items"] if "6/5" in one["payoffs"]]
    assert [[row["probability"] for row in one["rows"]] for one in mixed[0]["strategies"]] == [
        pytest.approx([3 / 5, 2 / 5]), pytest.approx([2 / 5, 3 / 5])
    ]  # fmt: skip
    assert checked(page, "sexes.equilibria", "arithmetic")["valid"]
    assert page.send("/verifications", {"file": "sexes.equilibria", "level": "counts"})["kind"] == "ParameterError"


def test_logs_and_matches_are_shown(page: Interface, place: Path) -> None:
    log = page.ask("/logs", file="kuhn.log")
    assert (log["game"], log["counts"], log["stop"]) == ("kuhn_poker", "playthroughs", "playthroughs")
    match = page.ask("/matches", file="kuhn.match")
    again = hn.match("kuhn_poker", "uniform", "uniform", games=32, seed=1)
    assert match["scores"] == pytest.approx(list(again.scores))
    assert match["rounds"] * 2 == 32
    kinds = page.ask("/files")["kinds"]
    assert kinds == {"certificate": 1, "log": 1, "equilibria": 1, "match": 1}
