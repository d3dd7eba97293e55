"""The plan of the house holds: rooms import from their left only, nothing imports in a circle, the map is true."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import hannan

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hannan"
MAP = re.compile(r"^\| `(?P<room>[a-z]+)/` \| (?P<words>.+) \|$", re.MULTILINE)
"""A line of CONTRIBUTING's map: the rooms stand there from left to right."""

FILES = {".".join(("hannan", *path.relative_to(SOURCE).with_suffix("").parts)): path for path in SOURCE.rglob("*.py")}
OUTSIDE = ("hannan.__init__", "hannan.__main__")
"""What hands on public names, and what calls the command line: no room imports them."""
FILES = {name.removesuffix(".__init__"): path for name, path in FILES.items() if name not in OUTSIDE}


def rooms() -> dict[str, str]:
    return {line["room"]: line["words"] for line in MAP.finditer((ROOT / "CONTRIBUTING.md").read_text())}


def imports(path: Path) -> Iterator[str]:
    """Yield the modules of hannan that a file imports, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("hannan."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "hannan":
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                yield inside if inside in FILES else str(node.module)


def room_of(module: str) -> str:
    """Return the room of a module; of a leaf, which everything may use, the root."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (SOURCE / parts[1]).is_dir() else ""


def test_the_map_names_every_room_and_says_what_it_holds() -> None:
    folders = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert set(rooms()) == folders
    for room, words in rooms().items():
        said = ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text()))
        assert said is not None
        assert said.partition("\n\n")[0].replace("\n", " ") == words, room


@pytest.mark.parametrize("module", FILES)
def test_a_room_imports_from_its_left_only(module: str) -> None:
    order = ["", *rooms()]
    for imported in imports(FILES[module]):
        if imported != "hannan":  # the package itself holds the version, and hands on public names
            assert order.index(room_of(imported)) <= order.index(room_of(module)), f"{module} imports {imported}"


def test_nothing_imports_in_a_circle() -> None:
    graph = {module: {name for name in imports(path) if name != module} for module, path in FILES.items()}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_folder_or_leaf_covers_a_public_name() -> None:
    names = {path.stem for path in SOURCE.glob("*.py")} | {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert not names & set(hannan.__all__)


def test_every_folder_says_what_may_be_touched_there() -> None:
    for path in SOURCE.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path
