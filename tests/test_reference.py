"""The public names: few at the front, each listed once, each documented, and all of them on the reference page."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import hannan
from hannan.renames import RENAMES
from tests.reference_page import PAGE, kind_of, page, rows

MODULES = ["hannan", *(f"hannan.{name}" for name in hannan.SUBMODULES)]
ROOT = Path(__file__).parent.parent
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_page_lists_every_public_name() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.reference_page writes it anew"


def test_the_front_has_few_names_and_no_name_stands_on_a_page_twice() -> None:
    assert len(hannan.__all__) <= 64
    for module in MODULES:
        listed = import_module(module).__all__
        assert len(listed) == len(set(listed))
    elsewhere = [name for module in MODULES[1:] for name in import_module(module).__all__]
    assert len(elsewhere) == len(set(elsewhere))


@pytest.mark.parametrize("module", MODULES)
def test_every_name_is_there_and_says_what_it_is(module: str) -> None:
    for name, kind, _, line in rows(module):
        assert kind == "value" or len(line) > 10, f"{module}.{name} has no documentation"
        assert kind_of(getattr(import_module(module), name)) == kind


def test_names_that_differ_by_their_case_alone_are_what_they_make() -> None:
    """`Profile` is what `profile` returns; no other two names are told apart by a capital letter."""
    lower: dict[str, list[str]] = {}
    for name in hannan.__all__:
        lower.setdefault(name.lower(), []).append(name)
    assert [names for names in lower.values() if len(names) > 1] == [["Profile", "profile"]]


@pytest.mark.parametrize("old", RENAMES)
def test_an_old_name_says_where_it_is_now(old: str) -> None:
    place, _, name = RENAMES[old].rpartition(".")
    assert hasattr(import_module(place), name), RENAMES[old]
    with pytest.raises(AttributeError, match=re.escape(f"hannan.{old} is {RENAMES[old]} now")):
        getattr(hannan, old)


def test_the_changelog_has_the_table_of_names() -> None:
    for old, new in RENAMES.items():
        assert f"| `hannan.{old}` | `{new}` |" in CHANGES


def test_no_page_and_no_example_uses_an_old_name() -> None:
    old = re.compile(rf"(?<![\w.])(?:hn|hannan)\.({'|'.join(RENAMES)})\b")
    places = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for folder in ("docs", "examples", "benchmarks", "src"):
        places += [place for ending in ("md", "py", "ipynb") for place in (ROOT / folder).rglob(f"*.{ending}")]
    assert len(places) > 100
    found = {place.name: names for place in places if (names := old.findall(place.read_text(encoding="utf-8")))}
    assert found == {}


def test_nothing_is_loaded_before_it_is_used() -> None:
    code = "import sys, hannan; print(sum(name.startswith('hannan') for name in sys.modules), 'numpy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, numpy = ran.stdout.split()
    assert int(count) <= 4
    assert numpy == "False"
