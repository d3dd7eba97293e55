"""The pages on other libraries: every block runs as it stands, in one folder, from the top to the bottom."""

from __future__ import annotations

import re
import shlex
import warnings
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs" / "howto"
BLOCK = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NEEDS = {"gambit": (), "openspiel": ("pyspiel",), "pettingzoo": ("pettingzoo", "gymnasium", "pygame")}


@pytest.mark.slow
@pytest.mark.parametrize("page", NEEDS)
def test_every_block_runs(page: str, hannan: Any) -> None:
    for module in NEEDS[page]:
        pytest.importorskip(module)
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    scope: dict[str, Any] = {"__name__": page}
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == text.count("\n```") / 2
    for kind, needed, body in (block.groups() for block in blocks):
        if kind == "efg":
            named = re.findall(r"`(\w+\.efg)`", text[: text.index(body)])
            Path(named[-1]).write_text(body, encoding="utf-8")
        elif kind == "sh":
            for line in body.splitlines():
                if line.startswith("hannan "):
                    ran = hannan(*shlex.split(line)[1:])
                    assert ran.code == 0, f"{line}: {ran.err}"
                else:
                    assert line.startswith("pip install ")  # the tests run with what is installed
        else:
            assert kind == "python"
            if needed is not None and _missing(needed):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # what PettingZoo's test advises against
                exec(compile(body, f"{page}.md", "exec"), scope)


def _missing(module: str) -> bool:
    try:
        __import__(module)
    except ImportError:
        return True
    return False
