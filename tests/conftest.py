"""For the whole suite: examples are drawn alike in every run, none fails for being slow; a file runs in one process.

Fixtures: games that tests share, a command line, and a trap.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from hannan.cli import main
from hannan.forms.game import ExpandedGame
from tests import loaded
from tests.trap import Trap

settings.register_profile("hannan", derandomize=True, deadline=None, max_examples=25, print_blob=True)
settings.load_profile("hannan")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each process of `-n` whole files, in their order: with single tests, both would compile the same kernels."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in a line why no browser was used, if the tests of the explorer's page were skipped."""
    reasons = {str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []) if report.longrepr}
    for reason in sorted(reasons):
        if "no browser test" in reason:
            terminalreporter.write_line(reason.removeprefix("Skipped: "))


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def record(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        found: dict[str, Any] = json.loads(self.out)
        assert self.out.count("\n") == 1
        return found


@pytest.fixture(scope="session")
def game() -> Callable[[str], ExpandedGame]:
    """Return what loads a built-in game once in each process; see `tests.loaded`."""
    return loaded.game


@pytest.fixture
def hannan(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a command line in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Ran:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        told = capsys.readouterr()
        return Ran(int(ended.value.code or 0), told.out, told.err)

    return run


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trap]:
    """Stand in a folder in which everything is there that a forged file may name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    made = Trap(tmp_path)
    assert not made.sprung()
    yield made
    made.sprung()
