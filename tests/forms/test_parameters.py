"""Rules and black boxes from a file, with parameters in their address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.addresses import placed
from hannan.forms.trust import RUNS, Named, named_game

SOURCE = """
import hannan as hn
from hannan.rules.rulesbox import rules_box

class Sides(hn.Rules):
    def __init__(self, top=2, names=("a", "b"), *, prize=1.0):
        self.top, self.prize = top, prize
    def start(self): return ()
    def turn(self, state): return hn.END if state else (0, 1)
    def actions(self, state, player): return list(range(self.top))
    def after(self, state, move): return move
    def observe(self, state, player): return None
    def gains(self, state):
        if not state: return (0, 0)
        return (self.prize, -self.prize) if state[0] == state[1] else (-self.prize, self.prize)

one = Sides()
def made(top): return Sides(top)
def loose(**given): return Sides(**given)
def boxed(top=2): return rules_box(Sides(top), bounds=None)
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "own.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("address", "name", "sides"),
    [
        ("own.py:Sides", "Sides", 2),
        ("own.py:Sides()", "Sides", 2),
        ("own.py:Sides(top=4)", "Sides(top=4)", 4),
        ("own.py:Sides( prize = 2.5 , top=3)", "Sides(top=3,prize=2.5)", 3),
        ("own.py:Sides(top=2,names=['a','b'])", "Sides", 2),  # the defaults, a list for a tuple
        ("own.py:Sides(names=['x.py:y(1)','a:b'])", "Sides(names=['x.py:y(1)','a:b'])", 2),
        ("own.py:made(top=3)", "Sides(top=3)", 3),
        ("own.py:loose(top=3)", "Sides(top=3)", 3),
    ],
)
def test_rules_take_parameters(own: Path, address: str, name: str, sides: int) -> None:
    """One joint move of `sides` by `sides`, counted by hand."""
    game = hn.load(address)
    assert game.address == name
    assert isinstance(game, hn.views.ExpandedGame)
    assert game.tree.nodes == 1 + sides * sides


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("own.py:Sides(tip=4)", "own.py:Sides has no parameter 'tip'; did you mean 'top'"),
        ("own.py:made", "own.py:made needs the parameter top, as in own.py:made(top=…)"),
        ("own.py:one(top=4)", "own.py:one is an object and takes no parameters"),
        ("own.py:Sides(4)", "parameters are given by name, as in Sides(parameter=value)"),
        ("own.py:Sides(top=4", "is not of the form"),
        ("own.py:Sides(names={1,2})", "the value of names is not a number, a word or a list"),
        ("own.py:Sides(top=1e999)", "the value of top is not a number, a word or a list"),
        ("own.py:Sids(top=4)", "own.py defines no 'Sids'; did you mean 'Sides'"),
        ("own.py:loose(tip=4)", "own.py:loose: making it raised TypeError"),
        ("own.py:boxed(top=3)", "is a black box: its address is module:own.py:boxed(top=3)"),
        ("module:own.py:boxed(tip=3)", "own.py:boxed has no parameter 'tip'; did you mean 'top'"),
    ],
)
def test_wrong_parameters_are_named(own: Path, address: str, sentence: str) -> None:
    with pytest.raises(hn.HannanError) as refused:
        hn.load(address)
    assert sentence in str(refused.value)


def test_a_solve_keeps_the_address(own: Path, hannan: Any) -> None:
    """Who guesses one of n sides wins with probability 1/n: the value is 2/n - 1 times the prize."""
    words = ["--out", "own.strategy", "--checkpoint", "own.checkpoint", "--method", "cfr+", "--iterations", "3"]
    assert hannan("solve", "own.py:Sides(top=4,prize=2)", *words, "--json").record["game"] == "Sides(top=4,prize=2)"
    assert hn.solve("own.py:Sides(top=4,prize=2)").values[0] == pytest.approx(-1.0, abs=1e-9)
    assert hn.read("own.strategy", "own.py:Sides(prize=2,top=4)").game.address == "Sides(top=4,prize=2)"
    with pytest.raises(
        hn.errors.FileError, match=r"belongs to Sides\(prize=2,top=4\), which is not built in: give the game"
    ):
        hn.read("own.strategy")
    with pytest.raises(hn.HannanError, match=r"belongs to Sides\(prize=2,top=4\), not to Sides\(top=3\)"):
        hn.read("own.strategy", "own.py:Sides(top=3)")
    again = hn.solve("own.py:Sides(top=4,prize=2)", resume="own.checkpoint", iterations=6)
    assert again.iterations == 6
    assert again.values == hn.solve("own.py:Sides(top=4,prize=2)", "cfr+", iterations=6).values


def test_a_played_game_is_compared_by_its_parameters(own: Path) -> None:
    """A policy has no hash of the payoffs: name and parameters alone tell whose it is; a file has no tuples."""
    policy = hn.Policy.uniform(hn.load("own.py:Sides(top=3,names=('x','y'))"))
    hn.save(policy, "own.policy")
    assert hn.read("own.policy", "own.py:Sides(top=3,names=('x','y'))").game.address == policy.game.address
    with pytest.raises(hn.HannanError, match="belongs to Sides"):
        hn.read("own.policy", "own.py:Sides(top=4,names=('x','y'))")


def test_other_commands_take_parameters(own: Path, hannan: Any) -> None:
    assert hannan("inspect", "own.py:Sides(top=3)", "--json").record["terminal"] == 9
    assert (
        hannan("match", "own.py:Sides(top=3)", "uniform", "uniform", "--games", "4", "--json").record["game"]
        == "Sides(top=3)"
    )
    assert (
        hannan(
            "certify", "module:own.py:boxed(top=3)", "--bounds=-1,1", "--playthroughs", "20", "--out", "c", "--json"
        ).record["game"]
        == "module:own.py:boxed(top=3)"
    )
    assert hannan("certify", "own.py:Sides(top=3)", "--playthroughs", "20", "--json").record["game"] == "Sides(top=3)"
    asked: list[Named] = []

    def refuse(named: Named) -> bool:
        asked.append(named)
        return False

    with pytest.raises(hn.errors.TrustError):
        named_game("c", "module:own.py:boxed(top=3)", refuse)
    assert [(named.address, named.effect) for named in asked] == [("module:own.py:boxed(top=3)", RUNS)]


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("a.py:B", ("a.py", "B", "")),
        ("a.py:B(c=1)", ("a.py", "B", "(c=1)")),
        ("d(1)/a.py:B(c='x:y')", ("d(1)/a.py", "B", "(c='x:y')")),
        ("package.module:B(c='a.py:x',d=(1))", ("package.module", "B", "(c='a.py:x',d=(1))")),
        ("C:\\a.py:B", ("C:\\a.py", "B", "")),
        ("Sides(names=['x.py:y(1)','a:b'])", None),
        ("kuhn_poker", None),
        ("a.py:B(c=1)d", None),
    ],
)
def test_places_are_told_from_names(address: str, parts: tuple[str, str, str] | None) -> None:
    assert placed(address) == parts
