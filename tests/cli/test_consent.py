"""Consent at the terminal: who is asked, what they see, and what each answer does."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import hannan as hn
from hannan.cli import main
from hannan.cli.options import consent
from hannan.files import read_arrays, write_arrays
from hannan.forms.trust import LONGEST, Named
from hannan.runs import status_line

BOX = 'from hannan.forms.boxes import boxed\n\nopen("ran", "a").close()\nbox = boxed("kuhn_poker").box\n'
ADDRESS = "module:sim.py:box"


class Terminal(io.StringIO):
    """A terminal at which somebody has typed something; an error comes where that is what happens."""

    def __init__(self, typed: str | BaseException = "") -> None:
        super().__init__(typed if isinstance(typed, str) else "")
        self.error = typed if isinstance(typed, BaseException) else None

    def isatty(self) -> bool:
        return True

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # as StringIO has it
        if self.error is not None:
            raise self.error
        return super().readline(size)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the checkpoint and the certificate of a box of somebody's own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sim.py").write_text(BOX)
    sys.modules.pop("sim", None)
    hn.certify(ADDRESS, playthroughs=20, solve_every=10, checkpoint="box.checkpoint").save("box.certificate")
    (tmp_path / "ran").unlink()
    sys.modules.pop("sim", None)  # so that the file is run again, as in another process
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, terminal: Terminal, *words: str) -> tuple[int, str, str]:
    """Run a command at a terminal; return its exit code, and what it wrote."""
    out, err = io.StringIO(), Terminal()
    with monkeypatch.context() as patched:
        for name, stream in (("stdin", terminal), ("stdout", out), ("stderr", err)):
            patched.setattr(sys, name, stream)
        with pytest.raises(SystemExit) as ended:
            main([*words])
    return int(ended.value.code or 0), out.getvalue(), err.getvalue()


VERIFY = ("verify", "box.certificate", "--replay")
RESUME = ("certify", "--resume", "box.checkpoint", "--playthroughs", "21")


@pytest.mark.parametrize("words", [VERIFY, RESUME], ids=["verify", "certify"])
def test_yes_runs_exactly_this(words: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, asked = run(monkeypatch, Terminal("yes\n"), *words)
    assert code == 0
    assert f"{words[-3] if words is RESUME else words[1]} names the game\n    '{ADDRESS}'\n" in asked
    assert "which imports and runs Python code. Type yes to allow exactly this" in asked
    assert (folder / "ran").exists()


@pytest.mark.parametrize("typed", ["", "\n", "no\n", "y\n", "Yes, why not\n", "n\nyes\n"], ids=repr)
def test_anything_else_does_not(typed: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the end of the input. The checkpoint stays as it was."""
    before = (folder / "box.checkpoint").read_bytes()
    code, out, err = run(monkeypatch, Terminal(typed), *RESUME)
    assert (code, out) == (2, "")
    assert f"hannan: box.checkpoint names the game '{ADDRESS}'" in err
    assert not (folder / "ran").exists()
    assert (folder / "box.checkpoint").read_bytes() == before


def test_ctrl_c_at_the_question(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (folder / "box.checkpoint").read_bytes()
    code, out, err = run(monkeypatch, Terminal(KeyboardInterrupt()), *RESUME)
    assert (code, out) == (130, "")
    assert err.endswith("hannan: interrupted\n")
    assert not (folder / "ran").exists()
    assert (folder / "box.checkpoint").read_bytes() == before


def test_what_is_typed_is_no_text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
    assert run(monkeypatch, Terminal(wrong), *VERIFY)[0] == 2
    assert not (folder / "ran").exists()


def test_with_json_nobody_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (VERIFY, RESUME):
        terminal = Terminal("yes\n")
        code, out, err = run(monkeypatch, terminal, *words, "--json")
        assert (code, out, terminal.tell()) == (2, "", 0)
        assert "Type yes" not in err
    assert not (folder / "ran").exists()
    assert run(monkeypatch, Terminal(), *VERIFY, "--json", "--trust")[0] == 0


@pytest.mark.parametrize("name", ["stdin", "stderr"])
def test_without_a_terminal_nobody_is_asked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(sys, stream, io.StringIO("yes\n") if stream == name else Terminal("yes\n"))
    assert consent(False, False) is False
    assert consent(True, False) is True
    assert consent(True, True) is True


def test_no_letter_of_an_address_deceives(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is shown in ASCII, on one line: nothing moves the cursor, and no letter looks like another one."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal("no\n"))
    monkeypatch.setattr(sys, "stderr", screen)
    ask: Any = consent(False, False)
    address = "command:rm\n\x1b[2Kopenspiel:kuhn_p\u043eker\u202e"
    assert ask(Named("x\x1b[1A", "game", address, "starts a program")) is False
    told = screen.getvalue()
    assert told.isascii()
    assert "\x1b" not in told
    assert r"'command:rm\n\x1b[2Kopenspiel:kuhn_p\u043eker\u202e'" in told


def test_nobody_is_asked_about_an_address_that_fills_the_screen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrays, facts = read_arrays("box.certificate", "certificate")
    write_arrays("box.certificate", "certificate", arrays, {**facts, "game": ADDRESS + " " * LONGEST})
    code, _, err = run(monkeypatch, Terminal("yes\n"), *VERIFY)
    assert code == 2
    assert "Type yes" not in err
    assert len(err) < 1000


def test_a_live_line_makes_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """While somebody is asked, no line is drawn over the question."""
    terminal = Console(file=io.StringIO(), force_terminal=True)
    monkeypatch.setattr(status_line, "stderr", lambda: terminal)
    with status_line.clock_line("working"):
        (line,) = status_line._shown
        with status_line.without_line():
            assert not line.is_started
        assert line.is_started
    assert not line.is_started
    assert status_line._shown == []
