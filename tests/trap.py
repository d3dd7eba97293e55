"""Files that name what they should not, sealed again, and a folder that shows whether anything of it was run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hannan.files import kind_of, read_arrays, write_arrays
from hannan.forms import loader
from hannan.forms.trust import LONGEST

EVIL = """
from pathlib import Path
import hannan as hn

Path("ran").touch()

G = box = env = f = None
"""

CODE = [
    "evil.py:G", "./evil.py:G", "{folder}/evil.py:G", "evil:G", "kuhn_poker.py:G", "kuhn_poker:G", "module:evil.py:box",
    "module:evil:box", "command:touch ran", "pettingzoo:evil:env",
]  # fmt: skip
"""Addresses that run something where they are trusted."""

OTHERS = [
    "gymnasium:evil", "gymnasium:evil:env", "trap.efg", "{folder}/trap.efg", "trap.EFG (recall=split)", "trap.nfg",
    "openspiel:trap.efg", "openspiel:efg_game(filename=trap.efg)", "openspiel:colored_trails(boards_file=trap.efg)",
    "openspiel:turn_based_simultaneous_game(game=nfg_game(filename = trap.nfg))", " command:touch ran",
    "command:touch ran\n", "\ncommand:touch ran", "COMMAND:touch ran", "Command:touch ran", "\u202ecommand:touch ran",
    "\uff43ommand:touch ran", "file:evil.py:G", "evil%2epy:G", "evil.py:G(x=1)", "kuhn_poker\n:G",
    "OpenSpiel:kuhn_poker",
    "openspiel :kuhn_poker", "//host/share/trap.efg",
]  # fmt: skip
"""Addresses that need consent, and do not get far with it here."""

NAMELESS = ["evil", "evil.py", "", "Split", "None", "\uff4buhn_poker", "KUHN_POKER", "kuhn-poker", "../evil"]
"""What is no address of anything."""

LONG = ["command:" + "x " * LONGEST, "openspiel:" + "x" * 2 * LONGEST, ".efg(" * LONGEST]
"""Addresses that nobody reads to their end."""

BROKEN = [
    "matrix_game(payoffs='evil.py:G')", "matrix_game(payoffs='trap.efg(x=1')", "kuhn_poker(players='evil.py:G')",
    "kuhn_poker(", "kuhn_poker(players=2):G", "kuhn_poker(players=99)", "kuhn_poker(module='evil')",
]  # fmt: skip
"""Addresses that begin with the name of a built-in game; folders and files of these names lie in the folder."""


class Trap:
    """A folder in which everything that an address may name is there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("evil.py", "kuhn_poker.py", "matrix_game(payoffs='evil.py", "kuhn_poker(players='evil.py"):
            (folder / name).write_text(EVIL)
        for name in ("trap.efg", "trap.EFG", "trap.nfg", "openspiel:trap.efg", "matrix_game(payoffs='trap.efg"):
            (folder / name).write_text('NFG 1 R "it was read" { "a" "b" } { 1 1 }\n\n0 0\n')

    def told(self, address: str) -> str:
        return address.replace("{folder}", str(self.folder))

    def sprung(self) -> bool:
        """Return whether anything was run since the last time, and set the trap again."""
        ran = (self.folder / "ran").exists() or bool({"evil", "kuhn_poker"} & set(sys.modules))
        (self.folder / "ran").unlink(missing_ok=True)
        for name in ("evil", "kuhn_poker"):
            sys.modules.pop(name, None)
        loader._RAN.clear()  # so that files are run again
        return ran


def forged(good: Path, path: Path, **changes: Any) -> Path:
    """Write a file with other facts, sealed; a name such as `options.game` leads into nested ones."""
    kind = kind_of(good)
    assert kind is not None
    arrays, facts = read_arrays(good, kind)
    for name, value in changes.items():
        *way, last = name.split("__")
        place = facts
        for key in way:
            place = place[key]
        place[last] = value
    write_arrays(path, kind, arrays, facts)
    return path
