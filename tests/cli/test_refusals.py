"""The command line with bad input: a sentence that says what is wrong, exit code 2, and nothing else."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hannan.runs.log import FORMAT, VERSION
from hannan.strategies.files import save
from hannan.strategies.profile import random_profile

COMMAND = [sys.executable, "-c", "from hannan.cli import main; main()"]

BROKEN = """
from hannan import CHANCE, END, Box, Rules

class Unfair(Rules):
    def start(self): return ()
    def turn(self, state): return CHANCE if not state else END
    def chance(self, state): return [("heads", 0.5), ("tails", 0.4)]
    def actions(self, state, player): return []
    def observe(self, state, player): return None
    def after(self, state, move): return (*state, move)
    def gains(self, state): return (0.0, 0.0)

class Fair(Unfair):
    def chance(self, state): return [("heads", 0.5), ("tails", 0.5)]

class Sealed(Box):
    players = 1
    reset = step = lambda self, *given: None

number = 7
"""


@pytest.fixture
def files(tmp_path: Path) -> None:
    """Files with something wrong, in the folder where commands run."""
    save(random_profile("kuhn_poker", 1), tmp_path / "kuhn.strategy")
    whole = (tmp_path / "kuhn.strategy").read_bytes()
    (tmp_path / "short.strategy").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "broken.py").write_text(BROKEN, encoding="utf-8")
    (tmp_path / "syntax.py").write_text("def (", encoding="utf-8")
    (tmp_path / "later.log").write_text(json.dumps({"format": FORMAT, "version": VERSION + 1}) + "\n")
    (tmp_path / "empty.log").write_text(json.dumps({"format": FORMAT, "version": VERSION}) + "\n")
    heading = {"format": FORMAT, "version": VERSION}
    gap = {"iteration": 1, "seconds": 0.1, "gap": 0.5, "nash_conv": 0.5}
    (tmp_path / "gap.log").write_text(f"{json.dumps(heading)}\n{json.dumps(gap)}\n")
    spread = {"iteration": 1, "seconds": 0.1, "variance": 4.0, "given_visit": 1.0}
    (tmp_path / "variance.log").write_text(f"{json.dumps(heading)}\n{json.dumps(spread)}\n")
    (tmp_path / "foreign.log").write_text("iteration,gap\n1,2\n")
    (tmp_path / "locks.json").write_text('{"0": {"Z": {"p": 1}}}')
    (tmp_path / "nolocks.json").write_text("[1, 2]")
    for name, text in LOCKS.items():
        (tmp_path / name).write_text(text)


LOCKS = {
    "word.json": '{"0": {"J": "pp"}}',
    "number.json": '{"0": {"J": 5}}',
    "null.json": "null",
    "name.json": '{"p": "x"}',
    "ragged.json": '{"0": {"J": [[1], [1, 2]]}}',
}

BAD = {
    **{
        f"locks in {file}": (f"solve kuhn_poker --locks {file}", "should be 2 probabilities that sum to 1")
        for file in ("word.json", "number.json", "ragged.json")
    },
    **{
        f"locks in {file}": (f"solve kuhn_poker --locks {file}", f"{file} is not a file of locks")
        for file in ("null.json", "name.json")
    },
    "parameter given twice": ("inspect kuhn_poker(players=2,players=3)", "players is given twice"),
    "truth that is none": ("solve kuhn_poker --method cfr-hedge --decreasing no", "should be true or false"),
    "unknown game": ("inspect leduc_pokr", "did you mean 'leduc_poker'?"),
    "unknown game to solve": ("solve kuhn", "did you mean 'kuhn_poker'?"),
    "unknown game to describe": ("games liar_dice", "did you mean 'liars_dice'?"),
    "unknown parameter": ("inspect kuhn_poker(playrs=3)", "did you mean 'players'?"),
    "parameter out of range": ("solve kuhn_poker(players=99)", "kuhn_poker: players=99"),
    "no address": ("inspect kuhn_poker(", "is not of the form name(parameter=value"),
    "unknown method": ("solve kuhn_poker --method cfrr", "did you mean 'cfr'?"),
    "unknown method to list": ("methods pcfr", "did you mean 'pcfr+'?"),
    "unknown parameter of a method": ("solve kuhn_poker --method dcfr --alhpa 2", "did you mean 'alpha'?"),
    "parameter of a method out of range": ("solve kuhn_poker --method cfr-hedge --rate -1", "rate=-1"),
    "wrong word": ("solve kuhn_poker --method cfr+(averaging=qubic)", "averaging='qubic' is not known"),
    "no horizon": ("solve kuhn_poker --method hs-dcfr", "hs-dcfr needs its horizon"),
    "lp on general-sum": ("solve chicken --method lp", "two-player zero-sum"),
    "negative gap": ("solve kuhn_poker --gap -1", "gap=-1.0 should be a number, 0 or more"),
    "gap that is no number": ("solve kuhn_poker --gap small", "--gap"),
    "half an iteration": ("solve kuhn_poker --iterations 1.5", "whole number"),
    "negative iterations": ("solve kuhn_poker --iterations -3", "iterations=-3"),
    "negative seconds": ("solve kuhn_poker --seconds -3", "seconds=-3"),
    "negative every": ("solve kuhn_poker --checkpoint x --every -1", "every=-1"),
    "unknown updates": ("solve kuhn_poker --updates sometimes", "--updates"),
    "strategy of another game": ("evaluate leduc_poker kuhn.strategy", "belongs to kuhn_poker, not to leduc_poker"),
    "start from another game": ("solve leduc_poker --start kuhn.strategy", "belongs to kuhn_poker"),
    "truncated strategy": ("evaluate kuhn_poker short.strategy", "short.strategy is not a hannan file, or is cut"),
    "missing strategy": ("evaluate kuhn_poker none.strategy", "there is no file none.strategy"),
    "strategy as checkpoint": ("solve kuhn_poker --resume kuhn.strategy", "holds a strategy, not a checkpoint"),
    "start and resume": ("solve kuhn_poker --start kuhn.strategy --resume kuhn.strategy", "exclude each other"),
    "negative top": ("evaluate kuhn_poker uniform --top -1", "most=-1"),
    "broken promise": ("solve broken.py:Unfair", "node r: probabilities sum to 0.9, not 1"),
    "broken promise to inspect": ("inspect broken.py:Unfair", "0.9, not 1"),
    "no such class": ("solve broken.py:Unfare", "did you mean 'Unfair'?"),
    "not rules": ("solve broken.py:number", "not hannan.Rules"),
    "parameters of rules in a file": ("solve broken.py:Unfair(n=3)", "broken.py:Unfair has no parameter 'n'"),
    "a box by the address of rules": ("certify broken.py:Sealed", "its address is module:broken.py:Sealed"),
    "no class": ("solve broken.py", "broken.py"),
    "no such file": ("solve nothing.py:Game", "there is no file nothing.py"),
    "no Python": ("solve syntax.py:Game", "syntax.py could not be imported: SyntaxError"),
    "locks that name nothing": (
        "solve kuhn_poker --locks locks.json",
        "player 0 has no information set 'Z'",
    ),
    "no locks": ("solve kuhn_poker --locks nolocks.json", "is not a file of locks"),
    "log of another version": ("plot later.log", f"is a log of version {VERSION + 1}"),
    "log without measurements": ("plot empty.log", "empty.log holds no measurement"),
    "foreign log": ("plot foreign.log", "foreign.log, line 1: this is not a line of a hannan log"),
    "strategy as log": ("plot kuhn.strategy", "kuhn.strategy"),
    "missing log": ("plot none.log", "none.log"),
    "no log": ("plot", "there is nothing to plot"),
    "kind of picture": ("plot empty.log --out x.gif", "x.gif: a picture is written as .png, .svg, .pdf"),
    "kind of picture of a run": ("solve kuhn_poker --plot x.gif", "x.gif: a picture is written as"),
    "unknown axis": ("plot empty.log --x hours", "--x"),
    "unknown measure": ("plot gap.log --y variants", "--y"),
    "log without variance": ("plot variance.log gap.log --y variance --out x.png", "gap.log holds no variance"),
    "log without variance given the visit": ("plot gap.log --y given-visit", "gap.log holds no variance"),
    "log without gap": ("plot gap.log variance.log --out x.png", "variance.log holds no gap"),
    "variance without sampling": ("solve kuhn_poker --method cfr --variance 9 --log x", "cfr does not sample"),
    "variance of no walk": (
        "solve kuhn_poker --method mccfr-os --variance 0",
        "variance=0 is out of range; it may be 1 to",
    ),
    "variance of half a walk": ("solve kuhn_poker --method mccfr-os --variance 1.5", "'1.5' is not a whole number"),
    "unknown paper": ("reproduce cfr-servey", "did you mean 'cfr-survey'?"),
    "unknown figure": ("reproduce einr 99", "einr has no figure '99' here"),
    "unknown command": ("solv kuhn_poker", "solv"),
    "unknown option": ("inspect kuhn_poker --fast", "hannan inspect --help lists what there is"),
    "unknown flag to solve": ("solve kuhn_poker --quiet", "--quiet is not an option of this command"),
    "missing paper": ("reproduce", "hannan reproduce --help lists what there is"),
    "seed out of range": ("solve kuhn_poker --method mccfr-os --seed 1e30", "number from -2**63 to 2**63 - 1"),
    "half a byte": ("solve kuhn_poker --method mccfr-os --memory-limit 1.5", "memory_limit=1.5 should be a whole"),
    **{
        f"{digits} digits for {option}": (
            f"solve kuhn_poker --method {method} --{option} 1{'0' * (digits - 1)}",
            option[-5:],
        )
        for digits in (400, 5000)
        for method, option in (
            ("cfr", "iterations"),
            ("cfr", "gap"),
            ("cfr", "seconds"),
            ("mccfr-os", "seed"),
            ("dcfr", "alpha"),
            ("lp", "perturbation"),
            ("lp", "time-limit"),
            ("mccfr-os", "memory-limit"),
            ("mccfr-os", "explore"),
        )
    },
    "a word for a perturbation": ("solve kuhn_poker --method lp --perturbation small", "perturbation='small'"),
    "a word for a time limit": ("solve kuhn_poker --method lp --time-limit soon", "time_limit='soon'"),
    "missing argument": ("evaluate kuhn_poker", "STRATEGY"),
}


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("json_too", [False, True], ids=["text", "json"])
@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_a_sentence(hannan: Any, case: str, json_too: bool) -> None:
    line, sentence = BAD[case]
    before = sorted(path for path in Path().rglob("*") if "__pycache__" not in path.parts)
    ran = hannan(*line.split(), *(["--json"] if json_too else []))
    assert ran.code == 2, ran
    assert ran.out == ""
    assert "Traceback" not in ran.err
    told = [text for text in ran.err.splitlines() if text.startswith("hannan: ") and "compiling" not in text]
    told = [text for text in told if "without a digest" not in text]  # of logs made by hand
    assert len(told) == 1, ran.err
    assert sentence in ran.err
    assert sorted(path for path in Path().rglob("*") if "__pycache__" not in path.parts) == before


@pytest.mark.parametrize(
    "line",
    [
        "solve kuhn_poker --out no/x.strategy --log x.log --checkpoint x.checkpoint",
        "solve kuhn_poker --log no/x.log --out x.strategy",
        "solve kuhn_poker --checkpoint no/x.checkpoint --out x.strategy",
        "solve kuhn_poker --plot no/x.png --out x.strategy",
        "evaluate kuhn_poker uniform --csv no/x.csv",
        "plot x.log --out no/x.png",
        "reproduce cfr-survey 2 --quick --out no/where",
    ],
)
def test_a_missing_folder_leaves_nothing(hannan: Any, line: str) -> None:
    ran = hannan(*line.split(), "--json")
    assert ran.code == 2
    assert ran.out == ""
    assert "no" in ran.err
    assert list(Path().iterdir()) == []


def test_rules_of_ones_own(hannan: Any, files: None) -> None:
    found = hannan("inspect", "broken.py:Fair", "--json").record
    assert found["histories"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8:strict"])
def test_letters_that_standard_output_lacks_come_out_as_escapes(encoding: str) -> None:
    words = [*COMMAND, "games", "kuhn_poker"]
    done = subprocess.run(words, env={**os.environ, "PYTHONIOENCODING": encoding}, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"kuhn_poker" in done.stdout
    assert b"Traceback" not in done.stderr


def test_a_parameter_that_is_given_twice(hannan: Any) -> None:
    words = ["solve", "kuhn_poker", "--method", "dcfr(alpha=1.5)", "--iterations", "3"]
    ran = hannan(*words, "--alpha", "2")
    assert ran.code == 2
    assert "alpha is given twice: 1.5 in dcfr(alpha=1.5), and 2 as an option" in ran.err
    assert hannan(*words, "--alpha", "1.5").code == 0


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_standard_output_that_is_full_is_named(tmp_path: Path) -> None:
    out = tmp_path / "x.strategy"
    words = ["solve", "kuhn_poker", "--method", "cfr", "--iterations", "3", "--out", str(out)]
    for more in ([], ["--json"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [*COMMAND, *words, *more], stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        assert done.returncode == 2
        assert done.stderr.endswith("hannan: standard output: No space left on device\n")
        assert "Traceback" not in done.stderr
        out.unlink()  # the strategy is saved all the same


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
@pytest.mark.parametrize("closed", [False, True])
def test_standard_error_that_takes_nothing_ends_no_command(closed: bool, tmp_path: Path) -> None:
    target = "2>&-" if closed else "2>/dev/full"
    for words, code, told in (
        (f"solve kuhn_poker --iterations 3 --json --out {tmp_path / 'x.strategy'}", 0, '"stop": "iterations"'),
        ("solve nogame", 2, ""),
    ):
        line = f"{shlex.join(COMMAND)} {words} {target}"
        done = subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE, text=True, check=False)
        assert done.returncode == code
        assert told in done.stdout
    assert (tmp_path / "x.strategy").is_file()


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (("certify", "kuhn_poker"), ("--out", "--profile")),
        (("certify", "kuhn_poker"), ("--log", "--checkpoint")),
        (("evaluate", "kuhn_poker", "uniform"), ("--csv", "--out")),
        (("match", "kuhn_poker", "uniform", "uniform"), ("--record", "--checkpoint")),
        (("search", "goofspiel(cards=3,information=open)"), ("--out", "--log")),
    ],
)
def test_two_options_do_not_write_into_one_file(hannan: Any, words: tuple[str, ...], options: tuple[str, str]) -> None:
    """The second would have overwritten the first; the same file may have two names."""
    one, other = options
    ran = hannan(*words, one, "same", other, "../" + Path.cwd().name + "/same")
    assert (ran.code, ran.out) == (2, "")
    assert f"{one} and {other} name the same file" in ran.err
    assert list(Path().iterdir()) == []


PENNIES = "def pennies(): return matrix_game([[1, -1], [-1, 1]])\n"


@pytest.mark.parametrize("columns", ["0", "1", "9" * 30])
def test_no_width_of_a_terminal_is_too_narrow_or_too_wide(columns: str) -> None:
    done = subprocess.run(
        [*COMMAND, "games", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "COLUMNS": columns},
    )
    assert done.returncode == 0, done.stderr
    assert "--json" in done.stdout


@pytest.mark.slow
def test_rules_that_leave_the_folder_or_lower_limits(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    for name, first in (
        ("leaves", "import os\nos.chdir('away')\n"),
        ("lowers", "import sys\nsys.setrecursionlimit(50)\n"),
    ):
        (tmp_path / f"{name}.py").write_text(f"{first}from hannan.games.matrix import matrix_game\n{PENNIES}")
    words = ["solve", "leaves.py:pennies", "--iterations", "2", "--out", "there.strategy", "--json"]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "there.strategy").is_file()
    words[1] = "lowers.py:pennies"
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "limit of 50 calls" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        "solve own.py:pennies --iterations 2 --out own.py",
        "solve kuhn_poker --iterations 2 --locks locks.json --log locks.json",
        "evaluate kuhn_poker kuhn.strategy --csv kuhn.strategy",
        "match kuhn_poker kuhn.strategy uniform --games 2 --record ./kuhn.strategy",
        "certify own.py:pennies --playthroughs 2 --log link.py",
        "export 'own.efg(chance=scaled)' --out own.efg",
    ],
)
def test_what_is_read_is_not_written_over(words: str, tmp_path: Path, hannan: Any) -> None:
    files = {
        "own.py": f"from hannan.games.matrix import matrix_game\n{PENNIES}",
        "own.efg": "EFG 2",
        "locks.json": "{}",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link.py").symlink_to("own.py")
    save(random_profile("kuhn_poker"), tmp_path / "kuhn.strategy")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    done = hannan(*shlex.split(words))
    assert done.code == 2
    assert "which is read, and would be lost" in done.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
