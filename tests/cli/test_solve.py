"""`hannan solve`: what it suggests, what it draws, what it goes on from."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.cli import COMMANDS, command
from hannan.solvers import METHODS, method_class
from hannan.solvers.parameters import parameters

LARGE = ["solve", "liars_dice(dice=5)", "--method", "mccfr-os", "--iterations", "20"]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_they_say(name: str) -> None:
    assert (command(name).__doc__ or "").split("\n")[0] == COMMANDS[name]


def test_the_list_of_commands_loads_none_of_them() -> None:
    """So that it comes at once: neither numba nor the code of any command."""
    script = (
        "import sys\n"
        "from hannan.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as ended:\n    assert not ended.code\n"
        "loaded = [name for name in sys.modules if name.startswith(('numba', 'numpy', 'hannan.'))]\n"
        "print(sorted(loaded), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert all(name in ran.stdout for name in COMMANDS)
    listing = ("cli", "cli.report", "errors", "fronts", "interrupts", "memory")
    assert ast.literal_eval(ran.stderr) == [f"hannan.{name}" for name in listing]


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("--second", "option --second does not exist; did you mean --seconds?"),
        ("--iteration", "option --iteration does not exist; did you mean --iterations?"),
        ("--chekpoint", "option --chekpoint does not exist; did you mean --checkpoint?"),
        ("--alhpa", "pdcfr+ has no parameter 'alhpa'; did you mean 'alpha'?"),
        ("--gama", "pdcfr+ has no parameter 'gama'; did you mean 'gamma'?"),
        ("--epsilon", "pdcfr+ has no parameter 'epsilon'"),
        ("--zzzz", "pdcfr+ has no parameter 'zzzz'; known are alpha, device, gamma"),
    ],
)
def test_unknown_options_are_compared_with_the_commands_own_first(hannan: Any, option: str, sentence: str) -> None:
    ran = hannan("solve", "kuhn_poker", option, "5")
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err


@pytest.mark.parametrize("size", ["1GB", "512MiB", "2e9", "1000000000"])
def test_sizes_of_memory(hannan: Any, size: str) -> None:
    one = ["solve", "kuhn_poker", "--iterations", "1", "--json", "--method", "mccfr-os"]
    assert hannan(*one, "--memory-limit", size).code == 0
    refused = hannan(*one, "--memory-limit", f"{size}x")
    assert refused.code == 2
    assert "should be a number of bytes, such as 1GB, 512MiB or 2e9" in refused.err


def test_where_pieces_are_made(hannan: Any) -> None:
    solved = ["solve", "kuhn_poker", "--iterations", "3", "--method"]
    for words, sentence in (
        (["mccfr-es", "--on", "tree"], "is called over now: over='tree', or --over tree"),
        (["mccfr-es", "--on", "cloud"], "it should be serial, processes, ray or ray://HOST:PORT"),
        (["cfr+", "--on", "processes"], "cfr+ is not split into pieces: leave on out; threads=N uses N cores"),
        (["mccfr-es", "--workers", "0"], "workers=0 is out of range"),
    ):
        ran = hannan(*solved, *words)
        assert ran.code == 2
        assert sentence in " ".join(ran.err.split())


@pytest.mark.slow
def test_workers_print_the_same_numbers(hannan: Any) -> None:
    solved = ["solve", "kuhn_poker", "--iterations", "20", "--method", "mccfr-os", "--streams", "2", "--json"]
    here, there = (json.loads(hannan(*solved, *words).out) for words in ([], ["--on", "processes", "--workers", "2"]))
    assert {**here, "seconds": 0} == {**there, "seconds": 0}


def test_a_larger_memory_limit_may_be_written_as_people_do(hannan: Any) -> None:
    first = hannan(*LARGE, "--json", "--memory-limit", "3MB", "--checkpoint", "x.checkpoint")
    assert first.code == 0, first.err
    again = hannan("solve", "--resume", "x.checkpoint", "--memory-limit", "1GiB", "--iterations", "25", "--json")
    assert again.code == 0, again.err
    assert again.record["iterations"] == 25


@pytest.mark.parametrize("method", METHODS)
def test_help_lists_the_parameters_of_a_method(hannan: Any, method: str) -> None:
    shown = hannan("solve", "--method", method, "--help")
    assert shown.code == 0
    listed = hannan("methods", method).out
    for parameter in parameters(method_class(method)):
        option = f"--{parameter.name.replace('_', '-')}"
        assert option in shown.out
        assert option in listed
        for word in parameter.choices or ():
            assert word in shown.out
        assert parameter.meaning.split()[0] in shown.out
    record = hannan("methods", method, "--json").record["parameters"]
    assert {name: said["default"] for name, said in record.items()} == method_class(method).parameter_defaults()
    assert all(said["help"] for said in record.values())


def test_help_with_a_method_that_is_none(hannan: Any) -> None:
    assert hannan("solve", "--help").code == 0
    assert "Limits count from the start of the work" in " ".join(hannan("solve", "--help").out.split())
    assert "hannan methods NAME" in hannan("solve", "--method=auto", "--help").out
    ran = hannan("solve", "--method=vr-mccf", "--help")
    assert ran.code == 2
    assert "did you mean 'vr-mccfr'?" in ran.err


def test_a_picture_without_anything_to_draw_is_refused_before_the_work(hannan: Any) -> None:
    pytest.importorskip("matplotlib")
    ran = hannan(*LARGE, "--plot", "x.png", "--log", "x.log", "--checkpoint", "x.checkpoint", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert "too large to measure a gap, so there is nothing to plot; --variance WALKS" in ran.err
    assert list(Path().iterdir()) == []


def test_a_picture_of_what_was_measured(hannan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(sys.modules["hannan.measures.rollouts"], "PLAYS", 200)
    ran = hannan(*LARGE, "--plot", "x.svg", "--variance", "5")
    assert "plot written to x.svg" in ran.out
    assert "variance of the estimates" in Path("x.svg").read_text(encoding="utf-8")
    full = [*LARGE, "--memory-limit", "2300000", "--variance", "5", "--plot", "y.svg"]
    ran = hannan(*full)
    assert ran.code == 0, ran.err
    assert ("y.svg is not drawn" in ran.err) == (not Path("y.svg").exists()) == ("plot written" not in ran.out)


def test_a_picture_of_a_game_that_would_be_solved_at_once(hannan: Any) -> None:
    pytest.importorskip("matplotlib")
    assert hannan("solve", "kuhn_poker", "--json").record["method"] == "lp"
    found = hannan("solve", "kuhn_poker", "--plot", "x.png", "--json").record
    assert (found["method"], found["stop"]) == ("auto", "gap")
    assert found["winner"] in ("pdcfr+", "dcfr+")


@pytest.mark.slow
def test_a_small_game_is_shown_whole_and_a_large_one_as_far_as_is_wanted(hannan: Any) -> None:
    told = hannan("solve", "matrix_game(payoffs=[[2,0],[0,1]])").out
    assert "after 1 iteration in" in told
    assert "0 0.3333" in told
    assert "1 0.6667" in told
    few = ("solve", "leduc_poker", "--method", "cfr+(averaging=quadratic)", "--iterations", "5")
    told = hannan(*few).out
    assert "cfr+(averaging=quadratic), alternating updates" in told
    assert "most used" not in told
    assert "most used" in hannan(*few, "--top", "3").out
    record = hannan(*few, "--top", "3", "--json").record
    assert len(record["sets"]) == 3
    assert record["parameters"]["averaging"] == "quadratic"
    assert "sets" not in hannan("solve", "kuhn_poker", "--json").record
    large = hannan("solve", "goofspiel(cards=13)", "--method", "mccfr-os", "--iterations", "2", "--top", "2")
    assert "estimated from 1,000 plays" in large.out


def test_a_regret_of_rounding_is_no_regret(hannan: Any) -> None:
    told = hannan("solve", "kuhn_poker").out
    table = told[told.index("most used") :]
    assert "(+0)" in table
    assert "e-1" not in table


def test_rules_without_gains_are_noticed(hannan: Any) -> None:
    Path("idle.py").write_text(
        "import hannan as hn\n\n\nclass Idle(hn.Rules):\n"
        "    start = lambda self: ()\n"
        "    turn = lambda self, state: hn.END if state else 0\n"
        "    actions = lambda self, state, player: ['a', 'b']\n"
        "    after = lambda self, state, move: (move,)\n"
        "    observe = lambda self, state, player: None\n"
        "    utility = lambda self, state: (1, -1)\n"
    )
    ran = hannan("solve", "idle.py:Idle")
    assert (ran.code, "no player gains anything in Idle" in ran.err) == (0, True)
    assert "nobody gains" not in hannan("solve", "kuhn_poker").err


def test_resuming_needs_no_game(hannan: Any) -> None:
    Path("locks.json").write_text('{"0": {"J": {"p": 1}}}')
    hannan("solve", "kuhn_poker", "--locks", "locks.json", "--method", "cfr", "--iterations", "9", "--checkpoint", "x")
    whole = hannan("solve", "kuhn_poker", "--locks", "locks.json", "--method", "cfr", "--iterations", "40", "--json")
    for words in ([], ["kuhn_poker"], ["kuhn_poker", "--locks", "locks.json"]):
        again = hannan("solve", *words, "--resume", "x", "--iterations", "40", "--json")
        assert {**again.record, "seconds": 0} == {**whole.record, "seconds": 0}
    other = hannan("solve", "leduc_poker", "--resume", "x", "--iterations", "40")
    assert other.code == 2
    assert "belongs to kuhn_poker, not to leduc_poker" in other.err
    nothing = hannan("solve", "--iterations", "40")
    assert nothing.code == 2
    assert "name the game to solve, or the checkpoint to continue from" in nothing.err


def test_the_gap_stops_where_it_would_have(hannan: Any) -> None:
    """Saved at 40, where the gap is small enough, it stops there when it is resumed, and not at 48."""
    whole = hannan("solve", "kuhn_poker", "--gap", "1e-4", "--log", "x.log", "--json").record
    hannan("solve", "kuhn_poker", "--iterations", str(whole["iterations"]), "--checkpoint", "x.checkpoint")
    again = hannan("solve", "--resume", "x.checkpoint", "--gap", "1e-4", "--json").record
    assert (again["stop"], again["iterations"], again["gap"]) == ("gap", whole["iterations"], whole["gap"])


def test_a_checkpoint_can_be_evaluated(hannan: Any) -> None:
    found = hannan("solve", "kuhn_poker", "--iterations", "30", "--checkpoint", "x.checkpoint", "--json").record
    evaluated = hannan("evaluate", "kuhn_poker", "x.checkpoint", "--json").record
    assert evaluated["nash_conv"] == pytest.approx(found["nash_conv"], abs=1e-15)  # sums in another order


def test_names_are_escaped() -> None:
    game = hn.load("matching_pennies")
    game.name = "<script>alert(1)</script>"
    game.built_in = False
    shown = hn.solve(game, "cfr", iterations=1)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_a_log_is_one_object_a_line(hannan: Any) -> None:
    hannan("solve", "kuhn_poker", "--method", "pdcfr+", "--iterations", "3", "--log", "x.log")
    lines = [json.loads(line) for line in Path("x.log").read_text(encoding="utf-8").splitlines()]
    assert [line.get("iteration") for line in lines] == [None, 1, 2, 3, None]
