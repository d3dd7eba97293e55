"""What is printed is what was given: no name is read as markup."""

from __future__ import annotations

import pytest

from hannan.cli import report

NAMES = ["my[bold]file[/bold].log", "[red]", "[/]", "a:smile:b", "[link=x]y[/link]"]


@pytest.mark.parametrize("name", NAMES)
def test_names_come_out_as_they_are(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    report.facts(f"title {name}", {f"key {name}": f"value {name}"})
    report.grid(f"title {name}", [f"head {name}"], [[f"cell {name}" + " wide" * 9]])  # titles are as wide as tables
    report.console().print(f"written to {name}")
    told = capsys.readouterr().out
    for what in ("title", "key", "value", "head", "cell", "written to"):
        assert f"{what} {name}" in told
    assert told.count(f"title {name}") == 2
