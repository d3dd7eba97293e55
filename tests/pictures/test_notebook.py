"""The line of progress that a notebook shows; tests/test_site.py runs the notebooks of the documentation."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("ipykernel")

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
