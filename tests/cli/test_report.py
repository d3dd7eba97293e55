"""What is printed is what was given: no name is read as markup."""

from __future__ import annotations

import pytest
from rich.console import Console

from hannan.cli import report
from hannan.cli.sets import show_sets
from hannan.measures.tables import ActionRow, SetRow

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


def test_numbers_are_not_broken_where_a_terminal_is_narrow(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = Console(highlight=False, markup=False, emoji=False, width=40)
    monkeypatch.setattr(report, "console", lambda: narrow)
    report.grid("", ["words", "time", "number"], [["a word or two " * 5, "3.25 s", "-0.0123456789"], ["b", None, 7]])
    told = capsys.readouterr().out
    assert "3.25 s" in told
    assert "-0.0123456789" in told
    assert all(len(line.rstrip()) <= 40 for line in told.splitlines())


def test_actions_of_a_set_are_not_broken_and_no_set_is_no_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = Console(highlight=False, markup=False, emoji=False, width=72)
    monkeypatch.setattr(report, "console", lambda: narrow)
    actions = tuple(ActionRow(f"action{k}", 0.25, 0.5) for k in range(4))
    show_sets((SetRow(0, "a set", 1.0, 1.0, 2.0, actions),))
    told = capsys.readouterr().out
    assert all(f"action{k} 0.2500 (+0.5)" in told for k in range(4))
    show_sets(())
    assert "information set" in capsys.readouterr().out
