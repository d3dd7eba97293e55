"""No command runs what a file names, unless it is given or trusted."""

from __future__ import annotations

from typing import Any

import pytest

import hannan as hn
from tests.fuzz.files import KUHN, OPEN, Files
from tests.trap import Trap, forged


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("files"))


SWEEP = {"games": "kuhn_poker", "methods": "cfr"}
"""What a sweep holds, apart from what is forged."""

COMMAND_LINES = {
    "verify": ("certificate", "game", "verify {file} --replay"),
    "certify": ("certification", "options__game", "certify --resume {file} --playthroughs 31"),
    "solve": ("bi", "method_parameters__evaluation", "solve --resume {file}"),
    "search": ("search", "method_parameters__evaluation", "search --resume {file} --iterations 60"),
    "search, rollout": ("search", "method_parameters__rollout", "search --resume {file} --iterations 60"),
    "solve, class": ("bi", "class", "solve --resume {file}"),
    "match, class": ("bi", "class", "match {game} {file} uniform"),
    "search, rule": ("search", "rule", "search --resume {file} --iterations 60"),
    "evaluate": ("bi", "method_parameters__evaluation", "evaluate {game} {file}"),
    "response": ("bi", "method_parameters__evaluation", "evaluate {game} uniform --response {file}"),
    "show": ("bi", "method_parameters__evaluation", "show {game} {file}"),
    "runouts": ("bi", "method_parameters__evaluation", "runouts {game} {file}"),
    "export": ("bi", "method_parameters__evaluation", "export {game} {file} --out table.csv"),
    "draw": ("bi", "method_parameters__evaluation", "draw {game} {file}"),
    "play": ("bi", "method_parameters__evaluation", "play {game} {file}"),
    "match": ("bi", "method_parameters__evaluation", "match {game} {file} uniform"),
    "start": ("bi", "method_parameters__evaluation", "solve {game} --method cfr --start {file}"),
    "strategy": ("bi", "method_parameters__evaluation", "certify {game} --strategy {file}"),
    "sweep": ("sweep", "games", "sweep {file}"),
    "sweep, method": ("sweep", "methods", "sweep {file}"),
    "verify, strategy": ("bi", "method_parameters__evaluation", "verify {certified} --reproduce --strategy {file}"),
}
"""Every command that uses what a file names: the kind of file, where it says it, and the words."""


@pytest.mark.parametrize("name", COMMAND_LINES)
def test_every_command(name: str, files: Files, trap: Trap, hannan: Any) -> None:
    kind, place, line = COMMAND_LINES[name]
    address = "command:touch ran" if place.endswith(("game", "games")) else "evil.py:f"
    path = trap.folder / "forged.file"
    if kind == "sweep":
        path.write_text("\n".join(f"{key} = {[said]}" for key, said in (SWEEP | {place: address}).items()))
    else:
        forged(files.good(kind), path, **{place: address})
    certified = trap.folder / "given.certificate"
    if "{certified}" in line:
        hn.certify(OPEN, strategy=hn.uniform(OPEN), playthroughs=3).save(certified)
    words = [word.format(file=path, game=OPEN, certified=certified) for word in line.split()]
    for more in ([], ["--json"]):
        ran = hannan(*words, *more)
        assert (ran.code, ran.out, trap.sprung()) == (2, "", False)
        assert f"hannan: {path} names the " in ran.err
        assert repr(address) in ran.err
        assert "or agree with --trust (in Python trust=True)" in ran.err
    assert hannan(*words, "--trust").code == 2  # it is no game and no function
    assert trap.sprung()


def test_a_game_on_the_command_line_is_given(files: Files, trap: Trap, hannan: Any) -> None:
    path = forged(files.good("certificate"), trap.folder / "forged", game="command:touch ran")
    hannan("verify", str(path), "--replay", "--game", KUHN)
    assert not trap.sprung()
    path = forged(files.good("certification"), trap.folder / "forged", options__game="command:touch ran")
    assert hannan("certify", KUHN, "--resume", str(path), "--playthroughs", "31").code == 0
    assert not trap.sprung()
