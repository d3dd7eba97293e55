"""Time is measured by clocks that nobody sets: the one on the wall may jump, and nothing changes."""

from __future__ import annotations

import ast
import itertools
import time
from pathlib import Path

import pytest

import hannan as hn

SOURCE = Path(hn.__file__).parent
SET = {("time", "time"), ("time", "time_ns"), ("time", "localtime"), ("time", "gmtime"), ("time", "ctime"),
       ("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}  # fmt: skip
"""What reads the clock on the wall."""


def wall(tree: ast.AST) -> list[str]:
    """Return what in a module reads the clock on the wall."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
            found += [f"{owner}.{node.attr}"] if (owner, node.attr) in SET else []
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            found += [f"time.{alias.name}" for alias in node.names if ("time", alias.name) in SET]
    return found


def test_no_module_reads_the_clock_on_the_wall() -> None:
    assert wall(ast.parse("import time\nfrom time import time_ns\nprint(time.time())")) == ["time.time_ns", "time.time"]
    modules = sorted(SOURCE.rglob("*.py"))
    assert len(modules) > 100
    assert {str(module): found for module in modules if (found := wall(ast.parse(module.read_bytes())))} == {}


def test_a_clock_that_jumps_changes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It goes back and forth by years; limits in seconds, checkpoints, timeouts and logs do not notice."""
    calm = hn.solve("kuhn_poker", "cfr", iterations=40, log=tmp_path / "calm")
    certified = hn.certify("kuhn_poker", playthroughs=60, solve_every=20)
    jumps = itertools.cycle((0.0, 4e9, -1e9, 1e12))
    monkeypatch.setattr(time, "time", lambda: next(jumps))
    monkeypatch.setattr(time, "time_ns", lambda: int(next(jumps) * 1e9))
    moved = hn.solve("kuhn_poker", "cfr", iterations=40, seconds=1e6, checkpoint=tmp_path / "x", log=tmp_path / "moved")
    again = hn.certify("kuhn_poker", playthroughs=60, solve_every=20, seconds=1e6, checkpoint=tmp_path / "y")
    assert (moved.stop, moved.iterations, moved.nash_conv) == (calm.stop, calm.iterations, calm.nash_conv)
    assert (again.stop, again.playthroughs, again.gap) == ("playthroughs", certified.playthroughs, certified.gap)
    assert 0 <= moved.seconds < 1e6
    assert 0 <= again.seconds < 1e6
    for name in ("iteration", "gap"):
        logs = [[getattr(point, name) for point in hn.read_log(tmp_path / log).curve] for log in ("calm", "moved")]
        assert logs[0] == logs[1] != []
