"""A command takes no detours: it enters few files, and loads its game once."""

from __future__ import annotations

from tests.entered import calls

MOST = 42
"""Files of Python that solving Leduc poker may enter once it is warm."""


def test_a_solve_enters_few_files_and_loads_its_game_once() -> None:
    seen = calls()
    files = {file for file, _ in seen if not file.startswith("kernels/")}
    assert len(files) <= MOST, sorted(files)
    assert seen["forms/loader.py", "load"] == 1
    assert seen["solvers/fullwidth/cfr_plus.py", "step"] > 0  # it is the command that was meant
