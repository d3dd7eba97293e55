"""The command `hannan sweep`: files that are wrong, what it prints and writes, and its exit codes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hannan.runs.sweep_plan import read_plan

ROOT = Path(__file__).parents[2]

BAD = {
    "": "there are no games: write games = [...]",
    "games = 3": "games=3 should be a list",
    "games = []": "games is empty: name one at least",
    "games = [1]\nmethods = ['cfr']": "games, entry 1: 1 is not a game: write its address as text",
    "games = ['kuhn']\nmethods = ['cfr']": "games, entry 1: game 'kuhn' does not exist; did you mean 'kuhn_poker'?",
    "games = ['kuhn_poker(cards=3)']\nmethods = ['cfr']": "games, entry 1",
    "games = ['kuhn_poker', 'kuhn_poker(players=2)']\nmethods = ['cfr']": "games: kuhn_poker stands there twice",
    "games = [{ ranks = 3 }]\nmethods = ['cfr']": "games, entry 1: the table has no name",
    "games = [{ name = 'leduc_poker', ranks = [] }]\nmethods = ['cfr']": "games, entry 1: ranks is an empty list",
    "games = ['kuhn_poker']": "there are no methods: write methods = [...]",
    "games = ['kuhn_poker']\nmethods = ['cfr', 'dcf']": "methods, entry 2: method 'dcf' does not exist",
    "games = ['kuhn_poker']\n[[methods]]\nname = 'dcfr'\nalhpa = 1": "dcfr has no parameter 'alhpa'; did",
    "games = ['kuhn_poker']\n[[methods]]\nname = 'dcfr'\nalpha = ['x']": "methods, dcfr(alpha=x): alpha='x' should be",
    "games = ['kuhn_poker']\nmethods = ['dcfr', 'dcfr(alpha=1.5)']": "dcfr(alpha=1.5) and dcfr are the same",
    "games = ['kuhn_poker']\nmethods = [{name = 'dcfr(alpha=1)', alpha = 2}]": "alpha is given twice",
    "games = ['kuhn_poker']\nmethods = [{name = 'mccfr-es', seed = 2}]": "seed is not a parameter here: write seeds",
    "games = ['kuhn_poker']\nmethods = ['cfr']\nseeds = [1, 1]": "seeds: 1 stands there twice",
    "games = ['kuhn_poker']\nmethods = ['cfr']\nseeds = []": "seeds: the list is empty",
    "games = ['kuhn_poker']\nmethods = ['cfr']\nseed = 1": "a sweep has no key 'seed'; did you mean 'seeds'?",
    "games = ['kuhn_poker']\nmethods = ['cfr']\n[limits]\ngaps = 1": "limits has no key 'gaps'; did you mean 'gap'?",
    "games = ['kuhn_poker']\nmethods = ['cfr']\n[limits]\ngap = -1": "limits: gap=-1 should be a number, 0 or more",
    "games = ['kuhn_poker']\nmethods = [{name = 'cfr', limits = {iterations = 1.5}}]": "iterations=1.5 should be",
    "games = [": "this is not TOML",
}
"""What stands in a file, and what the sentence about it says."""


@pytest.mark.parametrize("text", BAD)
def test_a_wrong_file_is_named_before_anything_runs(text: str, hannan: Any) -> None:
    Path("wrong.toml").write_text(text)
    ran = hannan("sweep", "wrong.toml", "--out", "out", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("hannan: wrong.toml: ")
    assert BAD[text] in ran.err
    assert not Path("out").exists()


def test_what_is_no_text_is_named(hannan: Any) -> None:
    Path("wrong.toml").write_bytes(b"games = ['\xff']")
    assert "wrong.toml: byte 11 is not UTF-8 text" in hannan("sweep", "wrong.toml").err
    assert "there is no file none.toml" in hannan("sweep", "none.toml").err


def test_what_is_printed_and_written(hannan: Any) -> None:
    Path("study.toml").write_text(
        "games = ['kuhn_poker', 'matching_pennies']\nmethods = ['cfr+', 'mccfr-os']\nseeds = 2\n"
        "limits = { iterations = 20 }"
    )
    planned = hannan("sweep", "study.toml", "--out", "out", "--dry-run", "--json").record
    assert (planned["missing"], planned["stop"], Path("out").exists()) == (6, "planned", False)
    ran = hannan("sweep", "study.toml", "--out", "out", "--json")
    assert ran.code == 0
    record = ran.record
    assert (record["finished"], record["failed"], record["stop"]) == (6, 0, "finished")
    assert [run["seed"] for run in record["runs"]] == [None, 0, 1] * 2
    assert record["pictures"] == ["out/1_kuhn_poker.png", "out/2_matching_pennies.png"]
    written = {"curves.csv", "medians.csv", "runs.csv", "runs", "1_kuhn_poker.png", "2_matching_pennies.png"}
    assert {path.name for path in Path("out").iterdir()} == written
    assert "6/6 matching_pennies: mccfr-os, seed 1: gap" in ran.err
    again = hannan("sweep", "study.toml", "--out", "out", "--no-pictures")
    assert "6/6" not in again.err
    assert "study.toml: 6 runs" in again.out


def test_a_run_that_fails_makes_the_exit_code_one(hannan: Any) -> None:
    Path("study.toml").write_text(
        "games = ['kuhn_poker(players=3)']\nmethods = ['lp', 'cfr']\nlimits = {iterations = 5}"
    )
    ran = hannan("sweep", "study.toml")
    assert ran.code == 1
    assert "2/2 kuhn_poker(players=3): cfr: gap" in ran.err
    assert "failed: " in ran.out


def test_the_example_is_a_sweep(hannan: Any) -> None:
    """Three games, of which each has three runs that draw nothing and five seeds of one method."""
    planned = hannan("sweep", str(ROOT / "examples" / "sweep.toml"), "--dry-run", "--json").record
    assert planned["missing"] == 3 * (3 + 5)


def test_the_files_of_the_page_are_sweeps() -> None:
    whole, games = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "howto" / "sweep.md").read_text(), re.DOTALL)
    assert len(read_plan(tomllib.loads(whole), False).runs) == 3 * (2 + 5)
    assert len(read_plan({**tomllib.loads(games), "methods": ["dcfr"]}, False).runs) == 2


def test_the_example_of_a_cluster_is_one_for_ray() -> None:
    utilities = pytest.importorskip("ray.autoscaler._private.util")
    given = pytest.importorskip("yaml").safe_load((ROOT / "examples" / "cluster.yaml").read_text())
    prepared = utilities.prepare_config(given)
    utilities.validate_config(prepared)
    assert prepared["max_workers"] == len(given["provider"]["worker_ips"])
