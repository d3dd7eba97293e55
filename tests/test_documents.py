"""What the README and the examples show runs as it stands, and every public name is there."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import hannan as hn
from hannan.games.catalogue import entries
from hannan.solvers import METHODS

ROOT = Path(__file__).parent.parent


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[Path], str]:
    """Return what runs a script as Python does, in this process and in an empty folder, and returns what it prints."""
    monkeypatch.chdir(tmp_path)

    def ran(script: Path) -> str:
        monkeypatch.setattr(sys, "argv", [str(script)])
        runpy.run_path(str(script), run_name="__main__")
        return capsys.readouterr().out

    return ran


def test_the_python_of_the_readme(tmp_path: Path, run: Callable[[Path], str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 2
    script = tmp_path / "readme.py"
    script.write_text("\n".join(blocks) + "\nprint(result.gap <= 1e-4, hn.solve(Pennies()).values)\n", encoding="utf-8")
    assert run(script).startswith("True (0.0, ")


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        *("certificates", "equilibria", "looking", "matches", "recall", "search", "sweep", "runs", "rules"),
        *(f"../theory/{path.stem}" for path in sorted((ROOT / "docs" / "theory").glob("*.md"))),
    ],
    ids=lambda page: page.rpartition("/")[2],
)
def test_the_python_of_a_page(page: str, tmp_path: Path, run: Callable[[Path], str]) -> None:
    """Other pages, which need other libraries, are run by the rooms that they are about."""
    text = (ROOT / "docs" / "howto" / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks or page.startswith("../")
    script = tmp_path / "page.py"
    script.write_text("\n".join(["import hannan as hn", *blocks, "print('run')"]), encoding="utf-8")
    assert run(script).endswith("run\n")


@pytest.mark.slow
@pytest.mark.parametrize("example", sorted(path.name for path in (ROOT / "examples").glob("*.py")))
def test_examples_run(example: str, run: Callable[[Path], str]) -> None:
    assert run(ROOT / "examples" / example)


def test_the_readme_names_the_command_that_ci_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    command = readme.split("<!-- test command -->")[1].split("```")[1]
    assert "pip install" in command
    assert "pytest" in command


def test_every_public_name_can_be_imported() -> None:
    for name in hn.__all__:
        assert getattr(hn, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        hn.nonsense  # type: ignore[attr-defined]  # noqa: B018
    shown = {name for name in dir(hn) if not name.startswith("__")}
    assert shown == {*hn.__all__, *hn.SUBMODULES} - {"__version__"}


def test_the_class_of_every_method_is_public() -> None:
    assert {name for _, name in METHODS.values()} <= set(hn.methods.__all__)


def test_the_readme_counts_the_games() -> None:
    assert f"{len(entries())} built in" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
