"""Methods and games that another installed package brings: found by entry points, listed, refused if broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.games import catalogue
from hannan.solvers import METHODS, method_class
from tests import own

GAME = '''
"""Rock, paper, scissors in which a win with rock counts more."""
import hannan as hn

class Weighted(hn.Rules):
    """Rock, paper, scissors; a win with rock counts `rock`."""

    def __init__(self, rock: float = 2.0) -> None:
        self.rock = rock
        self.players = 2

    def start(self):
        return ()

    def turn(self, state):
        return hn.END if state else (0, 1)

    def actions(self, state, player):
        return ("r", "p", "s")

    def after(self, state, move):
        return move

    def observe(self, state, player):
        return 0

    def gains(self, state):
        if not state or state[0] == state[1]:
            return (0.0, 0.0)
        first = {"r": "s", "p": "r", "s": "p"}[state[0]] == state[1]
        won = self.rock if state[0 if first else 1] == "r" else 1.0
        return (won, -won) if first else (-won, won)

def numbers():
    return 7
'''


def entry_points(methods: Mapping[str, str], games: Mapping[str, str]) -> str:
    groups = {"hannan.methods": methods, "hannan.games": games}
    return "".join(
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in listed.items())
        for group, listed in groups.items()
    )


def wheel(folder: Path, name: str, methods: Mapping[str, str], games: Mapping[str, str]) -> Path:
    """Write a package as a wheel: the example method of docs/howto/own.md, a game, and what its entry points name."""
    info = f"{name}-1.5.dist-info"
    files = {
        f"{name}/__init__.py": "",
        f"{name}/my_cfr.py": own.examples()["my_cfr.py"],
        f"{name}/weighted.py": GAME,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": entry_points(methods, games),
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    path = folder / f"{name}-1.5-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as packed:
        for place, text in files.items():
            packed.writestr(place, text)
    return path


Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what puts a package on the path of this process, as an installed one; all is forgotten afterwards."""
    place = tmp_path / "site"
    monkeypatch.setattr("sys.path", [str(place), *sys.path])
    monkeypatch.setattr(catalogue, "_BROUGHT", {})
    known = set(sys.modules)

    def installed(name: str, methods: Mapping[str, str] | None = None, games: Mapping[str, str] | None = None) -> None:
        zipfile.ZipFile(wheel(tmp_path, name, methods or {}, games or {})).extractall(place)
        method_class.cache_clear()

    yield installed
    for module in set(sys.modules) - known:
        if str(getattr(sys.modules[module], "__file__", "")).startswith(str(place)):
            del sys.modules[module]
    method_class.cache_clear()


def test_a_package_brings_a_method_and_a_game(install: Install, hannan: Any) -> None:
    """The game's value is 0 by symmetry; in equilibrium rock, paper and scissors have 1/4, 1/2 and 1/4.

    With a win of rock counting 2, indifference of (r, p, s) needs 2s - p = r - s = p - 2r: s = r and p = 2r.
    """
    install("second", {"my-cfr": "second.my_cfr:MyCFR"}, {"weighted_rps": "second.weighted:Weighted"})
    assert "second" not in sys.modules  # nothing is imported before it is asked for
    ran = hannan("solve", "weighted_rps", "--method", "my-cfr", "--power", "3", "--gap", "1e-4", "--out", "s", "--json")
    assert ran.code == 0
    assert ran.record["game"] == "weighted_rps"
    assert ran.record["values"][0] == pytest.approx(0, abs=1e-4)
    profile: Any = hn.read("s")  # a file may choose an installed game
    assert profile.strategies[0][1:] == pytest.approx([1 / 4, 1 / 2, 1 / 4], abs=1e-2)
    assert hn.load("weighted_rps(rock=3)").address == "weighted_rps(rock=3)"
    assert hn.load("weighted_rps(rock=2.0)").address == "weighted_rps"

    listed = {one["name"]: one for one in hannan("methods", "--json").record["methods"]}
    assert listed["my-cfr"]["package"] == "second 1.5"
    assert [name for name, one in listed.items() if one["package"] is None] == sorted(METHODS)
    games = {one["name"]: one for one in hannan("games", "--json").record["games"]}
    assert games["weighted_rps"]["package"] == "second 1.5"
    assert games["weighted_rps"]["parameters"]["rock"]["default"] == 2.0
    assert "from second 1.5" in " ".join(hannan("methods").out.split())
    assert "from second 1.5" in " ".join(hannan("games").out.split())
    assert "did you mean 'my-cfr'?" in hannan("solve", "kuhn_poker", "--method", "my-cfx").err
    assert "did you mean 'weighted_rps'?" in hannan("solve", "weighted_rp").err
    assert "weighted_rps has no parameter 'rok'; did you mean 'rock'?" in hannan("solve", "weighted_rps(rok=1)").err


@pytest.mark.parametrize(
    ("name", "place", "sentence"),
    [
        ("gone", "second.nowhere:MyCFR", "importing it raised ModuleNotFoundError: No module named 'second.nowhere'"),
        ("lost", "second.my_cfr:YourCFR", "importing it raised AttributeError"),
        ("strange", "second.weighted:Weighted", "is the class Weighted, and no method"),
        ("other", "second.my_cfr:MyCFR", "the class calls its method 'my-cfr'"),
        ("cfr+", "second.my_cfr:MyCFR", "the name is that of a built-in method"),
    ],
)
def test_a_broken_method_of_a_package(name: str, place: str, sentence: str, install: Install, hannan: Any) -> None:
    install("second", {name: place})
    start = f"the package second 1.5 provides the method '{name}' as {place}, which cannot be used: "
    listed = hannan("methods", "--json")
    assert [one["name"] for one in listed.record["methods"]] == sorted(METHODS)
    assert start + sentence in " ".join(listed.err.split()) or sentence in listed.err
    ran = hannan("solve", "kuhn_poker", "--method", name, "--iterations", "2", "--json")
    if name in METHODS:
        assert ran.record["method"] == name  # built-in names mean the built-in methods
    else:
        assert ran.code == 2
        assert start in ran.err
        assert sentence in ran.err


@pytest.mark.parametrize(
    ("name", "place", "sentence"),
    [
        ("gone", "second.nowhere:Game", "importing it raised ModuleNotFoundError"),
        ("strange", "second.my_cfr:MyCFR", "MyCFR is not a subclass of hannan.Rules"),
        ("numbers", "second.weighted:numbers", "it makes an object of type int; expected hannan.Rules"),
        ("kuhn_poker", "second.weighted:Weighted", "the name is that of a built-in game"),
    ],
)
def test_a_broken_game_of_a_package(name: str, place: str, sentence: str, install: Install, hannan: Any) -> None:
    install("second", games={name: place})
    if name == "kuhn_poker":
        assert sentence in hannan("games").err
        assert hn.load(name).known_value == pytest.approx(-1 / 18)
    else:
        ran = hannan("solve", name)
        assert ran.code == 2
        assert f"the package second 1.5 provides the game '{name}' as {place}, which cannot be used: " in ran.err
        assert sentence in ran.err


def test_two_packages_with_one_name(install: Install, hannan: Any) -> None:
    for package in ("second", "third"):
        install(package, {"my-cfr": f"{package}.my_cfr:MyCFR"})
    ran = hannan("solve", "kuhn_poker", "--method", "my-cfr")
    assert ran.code == 2
    assert "second 1.5 and third 1.5 all provide a method 'my-cfr': uninstall all but one of them" in ran.err


@pytest.mark.slow
def test_an_installed_package_in_a_new_process(tmp_path: Path) -> None:
    """pip installs the package into a folder; new processes solve with its method, resume and plot."""
    made = wheel(tmp_path, "second", {"my-cfr": "second.my_cfr:MyCFR"}, {"weighted_rps": "second.weighted:Weighted"})
    words = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--target"]
    subprocess.run([*words, str(tmp_path / "site"), str(made)], check=True, capture_output=True)
    paths = os.pathsep.join([str(tmp_path / "site"), str(Path(hn.__file__).parents[1])])

    def hannan(*words: str) -> Any:
        ran = subprocess.run(
            [sys.executable, "-m", "hannan", *words, "--json"], cwd=tmp_path, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": paths}, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    first = ("solve", "kuhn_poker", "--method", "my-cfr", "--power", "3", "--log", "my.log")
    hannan(*first, "--iterations", "500", "--checkpoint", "my.checkpoint")
    resumed = hannan("solve", "--resume", "my.checkpoint", "--log", "my.log", "--iterations", "2000", "--out", "two")
    whole = hannan("solve", "kuhn_poker", "--method", "my-cfr", "--power", "3", "--iterations", "2000", "--out", "one")
    assert resumed["values"] == whole["values"]
    assert resumed["gap"] == whole["gap"]
    assert resumed["values"][0] == pytest.approx(-1 / 18, abs=2e-3)
    one, two = (hn.read(tmp_path / name) for name in ("one", "two"))
    assert isinstance(one, hn.Profile)
    assert isinstance(two, hn.Profile)
    assert all(np.array_equal(*pair) for pair in zip(one.strategies, two.strategies, strict=True))
    (run,) = hannan("plot", "my.log", "--out", "my.svg")["runs"]
    assert (run["method"], run["iterations"]) == ("my-cfr", 2000)
    assert (tmp_path / "my.svg").stat().st_size > 0
    assert hannan("solve", "weighted_rps", "--method", "my-cfr", "--gap", "1e-3")["stop"] == "gap"
