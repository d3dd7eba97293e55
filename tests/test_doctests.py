"""The public names are documented by sections, and their examples do what they say."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import hannan
from hannan.options import SECTION
from tests.reference_page import kind_of

ORDER = ["Parameters", "Returns", "Yields", "Raises", "See Also", "Notes", "References", "Examples"]
"""The sections of a documentation string, in numpydoc's order."""
WAITING = {
    "Box",
    "CFR",
    "CFRPlus",
    "Certificate",
    "CompiledRules",
    "CorrelatedPlay",
    "DCFR",
    "Evaluation",
    "Game",
    "HannanError",
    "MatchResult",
    "PCFRPlus",
    "Policy",
    "Profile",
    "Progress",
    "PublicRules",
    "Result",
    "Rulebook",
    "Ruled",
    "Rules",
    "SearchResult",
    "Searcher",
    "Sight",
    "Solver",
    "Strategy",
    "StrategyPlayer",
}
"""Names whose documentation has no sections yet."""
NAMES = [name for name in hannan.__all__ if kind_of(getattr(hannan, name)) != "value" and name not in WAITING]
FUNCTIONS = [name for name in NAMES if kind_of(getattr(hannan, name)) == "function"]


def text_of(name: str) -> str:
    """Return the documentation of a public name."""
    return inspect.getdoc(getattr(hannan, name)) or ""


def sections(text: str) -> list[str]:
    """Return the titles of the sections of a documentation string."""
    return [match.group().partition("\n")[0] for match in SECTION.finditer(text)]


def failures(name: str, text: str) -> str:
    """Run the examples in a documentation string, and return what differs from it."""
    told: list[str] = []
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    return "".join(told)


@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "plot":
        pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    assert ">>>" in text_of(name), f"hannan.{name} has no examples"
    assert failures(name, text_of(name)) == ""


@pytest.mark.parametrize("name", NAMES)
def test_sections(name: str) -> None:
    text = text_of(name)
    found = sections(text)
    assert found == [title for title in ORDER if title in found]
    assert text.partition("\n\n")[0].endswith("."), "the first line is one sentence"
    for title, underline in re.findall(r"^(\w[\w ]*)\n(-{3,})$", text, re.MULTILINE):
        assert len(title) == len(underline), title
    assert "Examples" in found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_of_a_function_is_described_once(name: str) -> None:
    function: Any = getattr(hannan, name)
    part = re.split(SECTION, text_of(name))[1 + sections(text_of(name)).index("Parameters")]
    described = [
        own.strip(" *") for line in re.findall(r"^(\S[^:\n]*) : ", part, re.MULTILINE) for own in line.split(",")
    ]
    assert described == [own for own in inspect.signature(function).parameters if own != "parameters"]


def test_an_example_that_is_wrong_is_found() -> None:
    assert "Expected" in failures("wrong", ">>> 1 + 1\n3\n")
