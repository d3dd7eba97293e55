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

FRONTS = [f"hannan.{name}" for name in hannan.SUBMODULES if name not in ("errors", "interop")]
FILES = {".".join(("hannan", *path.relative_to(SOURCE).with_suffix("").parts)): path for path in SOURCE.rglob("*.py")}
OUTSIDE = ("hannan.__init__", "hannan.__main__", "hannan.interop.__init__", *FRONTS)
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


STATUSES = SOURCE / "kernels" / "statuses.py"
VISIT = SOURCE / "kernels" / "visit.py"
QUESTIONS = {"turn", "actions", "chance", "observe", "gains"}
AGAIN = {
    "replay": "plays moves again whose answers were checked when the node was met",
    "_recall": "asks for codes again that were checked when the history was met",
    "_write": "asks what players see who are not about to act, of whom nothing is promised",
}
"""Kernels that ask rules without a check, and why they may."""


def kernels() -> Iterator[tuple[Path, ast.Module]]:
    yield from ((path, ast.parse(path.read_text())) for path in (SOURCE / "kernels").rglob("*.py"))


def test_there_is_one_table_of_statuses() -> None:
    table = {name for node in ast.parse(STATUSES.read_text()).body for name in _assigned(node)}
    for path, tree in kernels():
        if path != STATUSES:
            assert not table & {name for node in tree.body for name in _assigned(node)}, path


def _assigned(node: ast.stmt) -> Iterator[str]:
    for target in node.targets if isinstance(node, ast.Assign) else ():
        yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


def test_rules_are_asked_in_one_place() -> None:
    for path, tree in kernels():
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        for function in functions if path != VISIT else ():
            asked = {
                part.func.attr
                for part in ast.walk(function)
                if isinstance(part, ast.Call)
                and isinstance(part.func, ast.Attribute)
                and isinstance(part.func.value, ast.Name)
                and part.func.value.id in ("book", "rules")
            }
            assert function.name in AGAIN or not asked & QUESTIONS, f"{path}: {function.name}"


DOORS = {"CompiledRules", "CompiledSource", "PlainSource"}
DRIVER = SOURCE / "rules" / "source.py"


def outside_rules() -> Iterator[tuple[Path, ast.Module]]:
    """Yield the files that may not know which door rules came through."""
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] != "rules":
            yield path, ast.parse(path.read_text())


def test_nobody_outside_the_rules_asks_which_door_they_came_through() -> None:
    for path, tree in outside_rules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
                asked = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
                assert not asked & DOORS, f"{path}:{node.lineno}"


def test_kernels_are_called_until_they_are_done_in_one_place() -> None:
    """A loop in Python that compares a status which asks for room is a driver; there is one."""
    asking = {name for node in ast.parse(STATUSES.read_text()).body for name in _assigned(node)}
    asking = {name for name in asking if name.startswith("MORE_") or name == "TOO_WIDE"}
    for path, tree in outside_rules():
        if SOURCE / "kernels" in path.parents:
            continue
        for loop in ast.walk(tree):
            if isinstance(loop, ast.While):
                for part in ast.walk(loop):
                    if isinstance(part, ast.Compare):
                        names = {_last(side) for side in ast.walk(part)}
                        assert not names & asking, f"{path}:{part.lineno}: a driver beside {DRIVER.name}"


def _last(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
