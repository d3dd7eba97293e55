"""What docs/howto/neural.md shows runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "neural.md"


def test_the_python_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(block, str(PAGE), "exec"), {})
    assert 0 < float(capsys.readouterr().out) < 11 / 12
