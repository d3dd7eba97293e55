"""The notebook of the documentation runs from its first cell to its last, and every cell shows what it should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ipykernel")
nbformat = pytest.importorskip("nbformat")
nbconvert = pytest.importorskip("nbconvert")

NOTEBOOK = Path(__file__).parent.parent.parent / "docs" / "tutorials" / "notebook.ipynb"

SHOWN = {
    "game": ["<svg", "J p Jpb", "kuhn_poker"],
    "result": ["<polyline", "nash conv", "cfr+"],
    "result.profile": ["information set", "K p Kpb"],
    "hn.evaluate": ["exploitability", "gains"],
    "hn.match": ["solved", "off by at most"],
    "hn.certify": ["certificate of kuhn_poker", "playthroughs"],
    "hn.search": ["goofspiel", "frequencies"],
}
"""The last line of a cell, as far as it tells the cell, and what its HTML holds."""

DRAWN = ("axes = result.plot", "hn.plot", "hn.draw")
"""Cells that show one picture of matplotlib."""


@pytest.fixture(scope="module")
def executed() -> Any:
    from nbconvert.preprocessors import ExecutePreprocessor

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(notebook)
    return notebook


def outputs(notebook: Any, begins: str) -> list[Any]:
    """Return the outputs of the cell whose last line begins so."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    (found,) = [
        cell for cell in cells if (last := cell.source.splitlines()[-1]) == begins or last.startswith(f"{begins}(")
    ]
    return list(found.outputs)


@pytest.mark.slow
@pytest.mark.parametrize("begins", SHOWN)
def test_cells_show_html(begins: str, executed: Any) -> None:
    (shown,) = [output for output in outputs(executed, begins) if output.output_type == "execute_result"]
    html = shown.data["text/html"]
    assert all(text in html for text in SHOWN[begins]), html


@pytest.mark.slow
@pytest.mark.parametrize("begins", DRAWN)
def test_cells_show_one_picture(begins: str, executed: Any) -> None:
    pictures = [output for output in outputs(executed, begins) if "image/png" in output.get("data", {})]
    assert len(pictures) == 1


@pytest.mark.slow
def test_nothing_else_is_shown(executed: Any) -> None:
    """No warning, no second line of progress, and none that stays once its run has ended."""
    for cell in executed.cells:
        for output in cell.get("outputs", []):
            assert output.output_type in ("execute_result", "display_data"), output
            if output.output_type == "display_data" and "image/png" not in output.data:
                assert output.data["text/plain"] == ""
        lines = [output for output in cell.get("outputs", []) if output.get("data", {}).get("text/html") == ""]
        assert len(lines) <= 1


@pytest.mark.slow
def test_it_becomes_a_page(executed: Any) -> None:
    page, _ = nbconvert.HTMLExporter().from_notebook_node(executed)
    assert page.count("<polyline") == 3  # a solve, a certificate and a search
    assert "certificate of kuhn_poker" in page


LINE = """
import time
from hannan.runs.notebook_line import _Display
from hannan.runs.status_line import clock_line, live_line
from hannan.runs.progress import Progress
with clock_line("making ready"):
    while not _Display.text.startswith("making ready"):
        time.sleep(0.05)
with live_line() as show:
    while not _Display.text.startswith("iteration 7"):
        show(Progress(7, 2.0, 0.5, 10.0, 7.0))
        time.sleep(0.05)
"""
"""Each line stays until it has been shown, however slow the machine is."""


@pytest.mark.slow
def test_progress_is_one_line_that_changes() -> None:
    """A real kernel is asked what it publishes: one display, updates of it, and an empty one at the end."""
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(kernel_name="python3")
    said: list[tuple[str, str, str]] = []
    try:

        def heard(message: Any) -> None:
            kind, content = message["header"]["msg_type"], message["content"]
            assert kind != "error", content
            if kind in ("display_data", "update_display_data"):
                said.append((kind, content["transient"]["display_id"], content["data"]["text/plain"]))

        client.execute_interactive("import hannan.runs.run", timeout=300, output_hook=heard)
        client.execute_interactive(LINE, timeout=300, output_hook=heard)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert [kind for kind, _, _ in said] == ["display_data"] + ["update_display_data"] * (len(said) - 1)
    assert len({name for _, name, _ in said}) == 1
    texts = [text for _, _, text in said]
    assert texts[0].startswith("making ready   ")
    assert any("iterations/s   about 7.0 s left" in text for text in texts)
    assert texts[-1] == ""
