"""The questions of the how-to part: each answer is at most a screen, and all of its code runs as it stands."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent.parent / "docs" / "howto"
PAGES = sorted((FOLDER / "questions").glob("*.md"))
BLOCK = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SCREEN = 55
"""Lines."""


def test_thirty_questions_are_listed() -> None:
    assert len(PAGES) >= 30
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    for page in PAGES:
        title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# How do I ")
        assert f"- [{title}](questions/{page.name})" in index


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_an_answer_is_a_screen(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= SCREEN
    assert "```" in text


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_an_answer_runs(page: Path, hannan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks run from the top to the bottom in one folder; those marked `console` need what a test has not."""
    monkeypatch.syspath_prepend(".")
    scope: dict[str, Any] = {"__name__": page.stem}
    text = page.read_text(encoding="utf-8")
    for kind, needed, body in (block.groups() for block in BLOCK.finditer(text)):
        if needed is not None and importlib.util.find_spec(needed) is None:
            continue
        if kind == "sh":
            for line in body.splitlines():
                _run(line, hannan)
        elif kind in ("toml", "csv"):
            named = re.findall(rf"`(\w+\.{kind})`", text[: text.index(body)])
            Path(named[-1]).write_text(body, encoding="utf-8")
        elif kind == "python" and (own := re.match(r"# (\w+)\.py\n", body)):
            Path(f"{own[1]}.py").write_text(body, encoding="utf-8")
            monkeypatch.setitem(sys.modules, own[1], None)  # so that it is forgotten after the test,
            del sys.modules[own[1]]  # and imported anew now
        elif kind == "python":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                exec(compile(body, page.name, "exec"), scope)
        else:
            assert kind == "console", kind


def _run(line: str, hannan: Any) -> None:
    words = shlex.split(line)
    if words[0] == "echo":
        Path(words[-1]).write_text(words[1], encoding="utf-8")
        return
    assert words[0] == "hannan", line
    ran = hannan(*words[1:])
    assert ran.code == 0, f"{line}: {ran.err}"
