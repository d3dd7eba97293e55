"""The folder: what is listed, what may be named, and what the page may not open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import hannan as hn
from hannan.errors import FileError
from hannan.web.folder import Folder
from tests.web.client import Interface, opened


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a strategy in it, links that lead out of it, and a secret beside it."""
    outer = tmp_path_factory.mktemp("outer")
    inner = outer / "inner"
    (inner / "sub").mkdir(parents=True)
    strategy = hn.uniform("kuhn_poker")
    for path in (outer / "secret.strategy", inner / "own.strategy", inner / "sub" / "deep.strategy", inner / ".hidden"):
        strategy.save(path)
    (inner / "link.strategy").symlink_to(outer / "secret.strategy")
    (inner / "way out").symlink_to(outer)
    (inner / "loop").symlink_to(inner / "loop")
    (inner / "notes.txt").write_text("nothing for hannan")
    (inner / "rules.py").write_text("raise SystemExit('this file was run')")
    return inner


@pytest.fixture(scope="module")
def page(place: Path) -> Iterator[Interface]:
    with opened(place, "kuhn_poker") as interface:
        yield interface


def test_only_files_that_hannan_wrote_are_listed(page: Interface) -> None:
    listed = page.ask("/files")
    assert sorted(item["file"] for item in listed["items"]) == ["own.strategy", "sub/deep.strategy"]
    assert {(item["kind"], item["game"], item["method"]) for item in listed["items"]} == {
        ("strategy", "kuhn_poker", "uniform")
    }
    assert listed["kinds"] == {"strategy": 2}
    assert page.ask("/files", search="deep")["total"] == page.ask("/files", kind="strategy", limit=1)["total"] - 1


@pytest.mark.parametrize(
    ("file", "status"),
    [
        ("../secret.strategy", 403),
        ("sub/../../secret.strategy", 403),
        ("link.strategy", 403),
        ("way out/secret.strategy", 403),
        ("/etc/passwd", 403),
        ("loop", 404),
        ("own.strategy\0", 404),
        ("missing", 404),
        ("sub", 404),
        ("", 404),
        ("x" * 900, 404),
        ("notes.txt", 400),
        ("rules.py", 400),
    ],
)
def test_paths_stay_inside_the_folder(page: Interface, place: Path, file: str, status: int) -> None:
    for name in (file, str(place.parent / "secret.strategy") if status == 403 else file):
        answer = page.client.post("/api/v1/strategies", json={"file": name})
        assert answer.status_code == status, answer.text
        assert answer.json().keys() == {"error", "kind"}
    for path in ("/certificates", "/certificates/trunk", "/logs", "/equilibria", "/matches"):
        assert page.refused(path, file=file)[0] == status


@pytest.mark.parametrize("name", ["../x", "a/b", "sub", "link.strategy", ".x", "hannan-runs", "", "x\ny", "way out"])
def test_new_files_are_written_into_the_folder_alone(page: Interface, place: Path, name: str) -> None:
    answer = page.client.post("/api/v1/strategies/s1/save", json={"name": name, "replace": True})
    assert (answer.status_code, answer.json()["kind"]) == (403, "Forbidden")
    assert not (place.parent / "x").exists()


def test_a_file_is_replaced_only_if_the_page_says_so(page: Interface, place: Path) -> None:
    assert page.send("/strategies/s1/save", {"name": "new.strategy"}, status=201) == {"file": "new.strategy"}
    assert hn.read(place / "new.strategy").digest == hn.uniform("kuhn_poker").digest
    assert page.send("/strategies/s1/save", {"name": "new.strategy"}, status=409)["kind"] == "State"
    page.send("/strategies/s1/save", {"name": "new.strategy", "replace": True}, status=201)
    (place / "new.strategy").unlink()


@pytest.mark.parametrize(
    "address",
    [
        "rules.py:Game", "./rules.py:Game", "module:os:system", "command:touch x", "openspiel:kuhn_poker",
        "pettingzoo:classic/tictactoe_v3", "gymnasium:CartPole-v1", "game.efg", "/etc/passwd", "os:system",
        "holdem(file='spot.toml')", "holdem(file=../x)", "", " ", "nosuchgame",
    ],
)  # fmt: skip
def test_the_page_names_built_in_games_alone(page: Interface, place: Path, address: str) -> None:
    before = len(page.ask("/session")["games"])
    answer = page.client.post("/api/v1/games", json={"address": address})
    assert (answer.status_code, answer.json()["kind"]) == (403, "Forbidden")
    assert len(page.ask("/session")["games"]) == before
    assert not (place / "x").exists()


@pytest.mark.parametrize(
    "body", [{}, {"address": "kuhn_poker", "file": "x.efg"}, {"file": "own.strategy"}, {"address": 1}]
)
def test_a_game_is_named_in_one_way(page: Interface, body: dict[str, object]) -> None:
    assert page.client.post("/api/v1/games", json=body).status_code in (400, 403, 422)


def test_gambit_files_of_the_folder_are_games(page: Interface, place: Path) -> None:
    hn.export_game("kuhn_poker", place / "kuhn.efg")
    game = page.send("/games", {"file": "kuhn.efg"}, status=201)
    page.settled()
    assert page.ask(f"/games/{game['id']}")["histories"] == 58
    assert page.send("/games", {"file": "kuhn.efg"}, status=200)["id"] == game["id"]
    page.send(f"/games/{game['id']}", method="DELETE", status=204)
    (place / "kuhn.efg").unlink()


def test_a_built_in_game_is_open_once(page: Interface) -> None:
    assert page.send("/games", {"address": " kuhn_poker(players = 2) "}, status=200)["id"] == "g1"
    other = page.send("/games", {"address": "kuhn_poker(players=3)"}, status=201)
    page.settled()
    assert page.ask(f"/games/{other['id']}")["information_sets"] == [16, 16, 16]
    page.send(f"/games/{other['id']}", method="DELETE", status=204)
    assert page.refused(f"/games/{other['id']}")[:2] == (404, "NotFound")
    assert page.send("/games", {"address": "kuhn_poker(players=99)"}, status=201)["state"] in ("loading", "failed")
    page.settled()
    failed = [game for game in page.ask("/session")["games"] if game["state"] == "failed"]
    assert "players=99" in failed[0]["error"]


def test_a_folder_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="not a folder"):
        Folder(tmp_path / "missing")
