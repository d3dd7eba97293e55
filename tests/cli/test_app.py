"""The command line: what good input prints."""

from __future__ import annotations

import csv
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hannan import __version__
from hannan.measures.appraisal import evaluate
from hannan.solvers import METHODS, method_class
from hannan.solvers.sampling.sampler import Sampling
from hannan.strategies.files import read_profile as read
from hannan.strategies.profile import uniform

SEARCHES = ("bi", "bi-ab", "do", "do-ab")

LONG = """
from hannan import END, Rules

class Long(Rules):
    def start(self): return ()
    def turn(self, state): return 0 if len(state) < 60 else END
    def actions(self, state, player): return [0, 1]
    def observe(self, state, player): return None
    def after(self, state, move): return (*state, move)
    def gains(self, state): return (0.0, 0.0)

class Stuck(Long):
    def actions(self, state, player): return [0, 1] if len(state) < 50 else []
"""


def test_version_and_help(hannan: Any) -> None:
    assert hannan("--version").out.strip() == __version__
    told = hannan("--help").out
    for command in ("games", "methods", "inspect", "solve", "evaluate", "plot", "reproduce"):
        assert command in told
        assert hannan(command, "--help").code == 0


def test_games(hannan: Any) -> None:
    assert "leduc_poker" in hannan("games").out
    names = [game["name"] for game in hannan("games", "--json").record["games"]]
    assert names == sorted(names)
    assert "ranks" in hannan("games", "leduc_poker").out
    assert hannan("games", "leduc_poker", "--json").record["parameters"]["suits"]["default"] == 2


def test_methods(hannan: Any) -> None:
    table = hannan("methods").out
    found = {method["name"]: method for method in hannan("methods", "--json").record["methods"]}
    assert set(found) == set(METHODS)
    assert all(name in table and record["guarantee"] for name, record in found.items())
    assert found["dcfr"]["class"] == "DCFR"
    assert found["dcfr"]["parameters"]["alpha"]["default"] == 1.5
    assert hannan("methods", "dcfr", "--json").record == found["dcfr"]
    assert found["dcfr"]["paper"].startswith("N. Brown, T. Sandholm (2019)")
    assert all(re.search(r"\((19|20)\d\d\)", record["paper"]) for record in found.values())
    assert "only the current joint move is hidden" in found["do-ab"]["guarantee"]
    assert "alpha" in hannan("methods", "dcfr").out


@pytest.mark.parametrize(
    ("game", "cfr", "exact", "statement"),
    [
        ("kuhn_poker", "average profile → Nash, O(1/√T)", {"lp"}, "opposed interests"),
        ("matching_pennies", "average profile → Nash, O(1/√T)", {"lp", *SEARCHES}, "opposed interests"),
        ("chicken", "correlated average → CCE, O(1/√T)", set(), "two players, general-sum: no method here is proven"),
        ("kuhn_poker(players=3)", "correlated average → CCE, O(1/√T)", set(), "3 players: no method here is proven"),
        ("single_player", "correlated average → CCE, O(1/√T)", set(), "one player"),
    ],
)
def test_inspect_says_what_is_promised(hannan: Any, game: str, cfr: str, exact: set[str], statement: str) -> None:
    found = hannan("inspect", game, "--json").record
    assert set(found["promises"]) == set(found["memory_of_methods"]) == set(METHODS)
    assert found["promises"]["cfr"] == cfr
    promised = {name for name in ("lp", *SEARCHES) if found["promises"][name] is not None}
    assert promised == exact
    assert all(found["promises"][name].startswith("the profile is a Nash") for name in exact)
    assert statement in found["statement"]
    table = hannan("inspect", game).out
    assert cfr in table
    assert table.count("does not apply") == len({"lp", *SEARCHES} - exact)


def test_solve_and_evaluate(hannan: Any) -> None:
    """The saved strategy is worth what the result says."""
    found = hannan("solve", "kuhn_poker", "--method", "cfr+", "--gap", "1e-3", "--out", "k.strategy", "--json").record
    assert found["stop"] == "gap"
    assert found["nash_conv"] <= 1e-3
    again = hannan("evaluate", "kuhn_poker", "k.strategy", "--json").record
    assert again["nash_conv"] == found["nash_conv"]
    assert "sets" not in again
    assert "NashConv" in hannan("evaluate", "kuhn_poker", "k.strategy").out
    assert "-0.0555555556" in hannan("solve", "kuhn_poker", "--iterations", "3").out


def test_parameters_of_methods(hannan: Any) -> None:
    """By address and by option is the same."""
    by_option = hannan("solve", "kuhn_poker", "--method", "dcfr", "--alpha", "2", "--iterations", "9", "--json").record
    by_address = hannan("solve", "kuhn_poker", "--method", "dcfr(alpha=2)", "--iterations", "9", "--json").record
    assert by_option["nash_conv"] == by_address["nash_conv"]
    default = hannan("solve", "kuhn_poker", "--method", "dcfr", "--iterations", "9", "--json").record
    assert default["nash_conv"] != by_option["nash_conv"]


def test_the_most_used_sets(hannan: Any) -> None:
    sets = hannan("evaluate", "kuhn_poker", "uniform", "--top", "3", "--json").record["sets"]
    assert [row["name"] for row in sets] == ["J", "Q", "K"]
    assert sets[0]["actions"][1] == {"action": "b", "probability": 0.5, "regret": pytest.approx(0.375)}
    told = hannan("evaluate", "kuhn_poker", "uniform", "--top", "3").out
    assert "b 0.5000 (+0.375)" in told


def test_export(hannan: Any) -> None:
    assert "x.csv" in hannan("evaluate", "kuhn_poker", "uniform", "--csv", "x.csv").out
    with Path("x.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 24
    assert {row["player"] for row in rows} == {"0", "1"}
    assert "sets" not in hannan("evaluate", "kuhn_poker", "uniform", "--csv", "x.csv", "--json").record


def test_plot_tells_runs_apart_by_what_differs_and_says_what_steps_are(hannan: Any) -> None:
    for radius in ("anytime", "paper"):
        hannan("certify", "kuhn_poker", "--playthroughs", "100", "--radius", radius, "--log", f"{radius}.log")
    ran = hannan("plot", "anytime.log", "paper.log", "--out", "both.svg")
    header, *lines = ran.out.splitlines()
    assert header.split() == ["log", "game", "method", "playthroughs", "time", "gap", "stop"]
    assert [line.split()[-1] for line in lines[:2]] == ["playthroughs", "playthroughs"]
    drawn = Path("both.svg").read_text(encoding="utf-8")
    assert "certify(auto), radius=anytime" in drawn
    assert "certify(auto), radius=paper" in drawn
    (run,) = hannan("plot", "paper.log", "--json").record["runs"]
    assert (run["counts"], run["iterations"], run["stop"]) == ("playthroughs", 100, "playthroughs")


def test_plot(hannan: Any) -> None:
    for method in ("cfr", "cfr+"):
        hannan("solve", "kuhn_poker", "--method", method, "--iterations", "50", "--log", f"{method}.log")
    hannan("solve", "chicken", "--iterations", "50", "--log", "chicken.log")
    found = hannan("plot", "cfr.log", "cfr+.log", "--out", "both.png", "--json").record
    assert [run["method"] for run in found["runs"]] == ["cfr", "cfr+"]
    assert all(run["iterations"] == 50 and run["stop"] == "iterations" for run in found["runs"])
    assert Path("both.png").read_bytes().startswith(b"\x89PNG")
    table = hannan("plot", "cfr.log", "chicken.log", "--out", "x.svg", "--x", "seconds").out
    assert "chicken" in table
    svg = Path("x.svg").read_text(encoding="utf-8")
    assert "seconds" in svg
    assert "iterations" not in svg
    assert hannan("plot", "cfr.log").code == 0
    assert "variance" not in hannan("plot", "cfr.log", "--json").record["runs"][0]


def test_a_log_cut_short_is_still_drawn(hannan: Any) -> None:
    hannan("solve", "kuhn_poker", "--method", "cfr", "--iterations", "50", "--log", "x.log")
    lines = Path("x.log").read_text(encoding="utf-8").splitlines()
    Path("x.log").write_text("\n".join([*lines[:5], lines[5][:10]]), encoding="utf-8")
    (run,) = hannan("plot", "x.log", "--json").record["runs"]
    assert run["iterations"] == 4
    assert run["stop"] is None


def test_a_log_cut_short_is_continued_by_the_same_run_alone(hannan: Any) -> None:
    """Killed in the middle of a line, resumed from a checkpoint: one log. Another method is refused before it runs."""
    first = ["--method", "cfr", "--iterations", "50", "--log", "x.log", "--checkpoint", "x.checkpoint"]
    hannan("solve", "kuhn_poker", *first)
    Path("x.log").write_bytes(Path("x.log").read_bytes()[:-5])
    going_on = ["--iterations", "90", "--log", "x.log", "--resume", "x.checkpoint", "--json"]
    assert hannan("solve", "kuhn_poker", *going_on).code == 0
    (run,) = hannan("plot", "x.log", "--json").record["runs"]
    assert (run["iterations"], run["stop"]) == (90, "iterations")
    hannan("solve", "kuhn_poker", "--method", "cfr+", "--iterations", "50", "--checkpoint", "plus.checkpoint")
    before = Path("x.log").read_bytes()
    other = ["--iterations", "90", "--log", "x.log", "--resume", "plus.checkpoint", "--json"]
    ran = hannan("solve", "kuhn_poker", *other)
    assert ran.code == 2
    assert ran.out == ""
    assert "x.log is the log of another run: there method is 'cfr', here 'cfr+'" in ran.err
    assert Path("x.log").read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["2", "methods"])
def test_reproduce(hannan: Any, figure: str) -> None:
    found = hannan("reproduce", "cfr-survey", figure, "--quick", "--out", "made", "--json").record
    (shown,) = found["figures"]
    assert all(Path(file).is_file() for file in shown["files"])
    assert {Path(file).suffix for file in shown["files"]} == {".png", ".csv", ".md"}
    assert shown["claims"]
    assert all(set(claim) == {"text", "paper", "ours", "held"} for claim in shown["claims"])


def test_reproduce_prints_verdicts(hannan: Any) -> None:
    ran = hannan("reproduce", "cfr-survey", "2", "--quick")
    assert "did not hold" in ran.out
    assert "Kuhn, CFR+, linear: NashConv" in ran.err


@pytest.mark.slow
def test_games_that_are_too_large(hannan: Any) -> None:
    """About 10^26 histories: refused before memory is taken."""
    ran = hannan("solve", "goofspiel(cards=13)", "--json")
    assert ran.code == 2
    assert ran.out == ""
    assert "histories (estimated)" in ran.err
    named = sorted(re.findall(r"[\w-]*mccfr[\w-]*", ran.err))
    assert named == ["mccfr-es", "mccfr-os", "mccfr-rs", "vr-mccfr"]
    assert all(issubclass(method_class(method), Sampling) for method in named)


@pytest.mark.slow
def test_inspect_tells_what_it_can_of_games_that_are_too_large(hannan: Any) -> None:
    """Cards: (13!)^2 orders, and the ways to draw the prizes; the longest play has 12 bids and 13 prizes, or so."""
    found = hannan("inspect", "goofspiel(cards=13)", "--json").record
    assert found["players"] == 2
    assert 1e28 < found["estimated_histories"] < 1e31
    assert 24 <= found["longest_random_play"] <= 26
    assert "histories (estimated)" in found["too_large"]
    assert set(found["methods"]) == {name for name in METHODS if issubclass(method_class(name), Sampling)}
    assert found["methods"]["mccfr-os"] == {"plays_it": True, "refusal": None}
    assert not found["methods"]["mccfr-es"]["plays_it"]
    ran = hannan("inspect", "goofspiel(cards=13)")
    assert ran.code == 0
    assert "e+29" in ran.out
    assert "mccfr-rs" in ran.out
    open_bids = hannan("inspect", "goofspiel(cards=13,information=open)", "--json").record
    assert all(open_bids["methods"][name]["plays_it"] for name in SEARCHES)


def test_inspect_estimates_at_once_where_asked_and_after_ctrl_c(hannan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = hannan("inspect", "leduc_poker", "--estimate", "--json").record
    assert asked["too_large"] is None
    assert 4_000 < asked["estimated_histories"] < 20_000  # 9,457
    assert "without --estimate the game is counted" in hannan("inspect", "leduc_poker", "--estimate").err

    def stopped(form: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("hannan.runs.inspection.factor", stopped)
    ran = hannan("inspect", "leduc_poker")
    assert (ran.code, "The count was stopped" in ran.err) == (0, True)


def test_inspect_tells_of_large_plain_rules_before_memory_is_full(hannan: Any) -> None:
    Path("long.py").write_text(LONG, encoding="utf-8")
    found = hannan("inspect", "long.py:Long", "--json").record
    assert found["estimated_histories"] == 2.0**61 - 1
    assert found["longest_random_play"] == 60
    assert hannan("inspect", "long.py:Stuck").code == 2


def test_large_numbers_may_be_written_short(hannan: Any) -> None:
    assert hannan("solve", "kuhn_poker", "--iterations", "1e3", "--json").record["iterations"] == 1000


def test_locks(hannan: Any) -> None:
    """What is locked is in the saved strategy."""
    Path("locks.json").write_text('{"0": {"J": {"p": 1}}}')
    hannan("solve", "kuhn_poker", "--locks", "locks.json", "--iterations", "5", "--out", "x.strategy", "--json")
    assert read("x.strategy").at(0, "J") == {"p": 1.0, "b": 0.0}


def test_evaluating_uniform_play(hannan: Any) -> None:
    found = hannan("evaluate", "leduc_poker", "uniform", "--json").record
    assert found["nash_conv"] == evaluate("leduc_poker", uniform("leduc_poker")).nash_conv


def test_a_sampling_policy_comes_from_a_file_and_is_kept_with_the_run(hannan: Any) -> None:
    """The checkpoint holds the policy: the run goes on without the file, to the same numbers."""
    assert hannan("solve", "kuhn_poker", "--gap", "0.01", "--out", "near.strategy").code == 0
    sampling = ["solve", "kuhn_poker", "--method", "mccfr-os", "--epsilon", "0.3", "--json"]
    guided = [*sampling, "--sampling-policy", "near.strategy"]
    whole = hannan(*guided, "--iterations", "400")
    assert whole.record["gap"] != hannan(*sampling, "--iterations", "400").record["gap"]
    assert hannan(*guided, "--iterations", "150", "--checkpoint", "half").code == 0
    again = hannan(*guided, "--iterations", "300", "--resume", "half", "--checkpoint", "half")
    assert again.code == 0
    Path("near.strategy").unlink()
    last = hannan(*sampling, "--iterations", "400", "--resume", "half")
    assert last.record["gap"] == whole.record["gap"]
    assert hannan("solve", "kuhn_poker", "--out", "other.strategy", "--iterations", "3").code == 0
    refused = hannan(*sampling, "--sampling-policy", "other.strategy", "--iterations", "500", "--resume", "half")
    assert refused.code == 2
    assert "was made with sampling_policy='policy:" in refused.err
    assert hannan(*sampling, "--sampling-policy", "nowhere").code == 2


def test_values_of_parameters_are_what_the_method_takes(hannan: Any) -> None:
    one = ["solve", "kuhn_poker", "--iterations", "1", "--json"]
    assert hannan(*one, "--method", "mccfr-os", "--memory-limit", "1e9", "--alpha", "1e0").code == 0
    assert hannan(*one, "--method", "vr-mccfr", "--baseline", "none").code == 0
    assert hannan(*one, "--method", "vr-mccfr(baseline=none)").code == 0
    assert hannan(*one, "--threads", "1e0").code == 0
    hannan(*one, "--method", "dcfr", "--alpha", "2e0", "--log", "x.log")
    heading = json.loads(Path("x.log").read_text(encoding="utf-8").splitlines()[0])
    assert isinstance(heading["parameters"]["alpha"], float)


@pytest.mark.slow
def test_a_run_that_filled_its_memory_goes_on_with_more(hannan: Any) -> None:
    large = ["solve", "liars_dice(dice=5)", "--iterations", "300", "--json"]
    sampling = [*large, "--method", "mccfr-os", "--table", "full", "--variance", "1"]
    whole = hannan(*sampling, "--out", "whole").record
    keeping = ["--checkpoint", "x.checkpoint", "--log", "x.log"]
    first = hannan(*sampling, "--memory-limit", "3e6", *keeping)
    assert first.record["stop"] == "memory"
    assert "a larger memory_limit goes on" in first.err
    again = hannan(*sampling, "--memory-limit", "1e9", "--threads", "2", "--resume", "x.checkpoint", *keeping)
    assert again.code == 0, again.err
    assert "estimating the values from 100,000 plays for each player" in again.err
    assert again.record["stop"] == "iterations"
    assert again.record["values"] == whole["values"]
    third = hannan(*large, "--averaging", "weighted", "--memory-limit", "1e9", "--resume", "x.checkpoint")
    assert third.code == 2
    assert "was made with averaging='lazy', not with averaging='weighted'" in third.err


def test_a_gap_that_is_not_looked_at_is_named(hannan: Any) -> None:
    ran = hannan("solve", "liars_dice(dice=5)", "--method", "mccfr-os", "--gap", "0.1", "--iterations", "5", "--json")
    assert ran.code == 0
    assert ran.err.count("too large to measure a gap: the limit gap=0.1 is ignored") == 1


def test_python_runs_the_command_line_as_a_module() -> None:
    ran = subprocess.run([sys.executable, "-m", "hannan", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == __version__


@pytest.mark.parametrize("hidden", [False, True])
def test_ctrl_c_while_something_is_imported(hidden: bool, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Python 3.11 makes a RuntimeError of it where a class is being made."""
    from hannan import cli as app

    def pressed(name: str) -> None:
        if hidden:
            raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "command", pressed)
    with pytest.raises(SystemExit) as ended:
        app.main(["games"])
    assert ended.value.code == 130
    assert capsys.readouterr().err == "hannan: interrupted\n"
    monkeypatch.setattr(app, "command", lambda name: exec("raise RuntimeError('another')"))
    with pytest.raises(RuntimeError, match="another"):
        app.main(["games"])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not limit addresses")
@pytest.mark.parametrize(("kilobytes", "code"), [(200_000, 2), (400_000, 2)])
def test_a_limit_too_low_for_the_libraries_is_said(kilobytes: int, code: int) -> None:
    """With 400,000 kB, OpenBLAS would wait for memory without end, deaf to every signal."""
    words = f"ulimit -v {kilobytes}; exec {shlex.quote(sys.executable)} -m hannan solve kuhn_poker"
    ran = subprocess.run(["bash", "-c", words], capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stdout) == (code, "")
    assert ran.stderr.startswith("hannan: `ulimit` leaves this process ")
    assert len(ran.stderr.splitlines()) == 1
