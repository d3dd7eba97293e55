"""Methods and players of a user's, from files of their own: the examples of docs/howto/own.md, and broken ones."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.runs.log import read_log
from tests import own

KUHN = "kuhn_poker"
METHOD = "my_cfr.py:MyCFR"
WRONG: list[Any] = [object(), int]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in a folder with the example files; forget their modules afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])
    own.write(tmp_path)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def same(one: hn.Profile, other: hn.Profile) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.strategies, other.strategies, strict=True))


@pytest.mark.slow
def test_the_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every example finds a value that is known: by theory, or by the hand calculation beside it."""
    script = folder / "page.py"
    script.write_text(own.calls(), encoding="utf-8")
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.splitlines() == ["-0.0556", "True", "True", "True", "[True, True]"]


def test_the_algorithm_of_the_contributing_page(tmp_path: Path) -> None:
    """The value of Kuhn poker is -1/18; a gap of 1e-3 bounds the error."""
    (block,) = own.BLOCK.findall((own.PAGE.parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8"))[:1]
    (tmp_path / "my.py").write_text(block, encoding="utf-8")
    result = hn.solve(KUHN, f"{tmp_path}/my.py:MyCFR", gap=1e-3)
    assert result.values[0] == pytest.approx(-1 / 18, abs=1e-3)


def test_a_class_an_address_and_a_solver_are_the_same_method(folder: Path) -> None:
    """With power=2 the example is CFR+ that weighs iteration t by t²: the same bits."""
    from my_cfr import MyCFR  # type: ignore[import-not-found]

    ours = hn.solve(KUHN, "cfr+", averaging="quadratic", iterations=200)
    game = hn.load(KUHN)
    for given, more in (
        (MyCFR, {}),
        (MyCFR, {"power": 2}),
        (METHOD, {"power": 2.0}),
        (f"{METHOD}(power=2)", {}),
        ("my_cfr:MyCFR", {}),
        (MyCFR(game, power=2), {}),
    ):
        result = hn.solve(game, given, iterations=200, **more)
        assert same(result.profile, ours.profile)
        assert result.method == "my-cfr"
    assert not same(hn.solve(KUHN, MyCFR, power=0, iterations=200).profile, ours.profile)


def test_a_solver_that_was_made_goes_on(folder: Path) -> None:
    from my_cfr import MyCFR

    solver = MyCFR(KUHN)
    solver.run(50)
    assert hn.solve(None, solver, iterations=200).iterations == 200
    assert same(solver.average(), hn.solve(KUHN, MyCFR, iterations=200).profile)
    with pytest.raises(
        hn.errors.ParameterError, match=r"power comes too late: MyCFR\(kuhn_poker, 200 iterations\) was made"
    ):
        hn.solve(KUHN, solver, power=3)
    with pytest.raises(hn.errors.MismatchError, match="works on another game than leduc_poker"):
        hn.solve("leduc_poker", solver)
    with pytest.raises(hn.errors.ParameterError, match="resume makes a solver: give its class"):
        hn.solve(None, solver, resume="x")


def test_a_run_that_was_stopped_goes_on_to_the_same_bits(folder: Path, hannan: Any) -> None:
    from my_cfr import MyCFR

    whole = hn.solve(KUHN, MyCFR, power=3, iterations=300).profile
    words = ("solve", KUHN, "--method", METHOD, "--power", "3", "--iterations", "100")
    assert hannan(*words, "--checkpoint", "my.checkpoint", "--log", "my.log").code == 0
    again = ("solve", "--resume", "my.checkpoint", "--iterations", "300", "--out", "my.strategy")
    refused = hannan(*again)
    assert refused.code == 2
    assert f"my.checkpoint names the method {METHOD!r}, which imports and runs Python code" in refused.err
    for consent in (("--method", METHOD), ("--method", f"{METHOD}(power=3)"), ("--trust",)):
        assert hannan(*again, *consent).code == 0
        assert same(hn.read("my.strategy"), whole)  # type: ignore[arg-type]
    assert "my-cfr, not of cfr" in hannan(*again, "--method", "cfr").err
    assert "was made with power=3, not with power=2" in hannan(*again, "--method", METHOD, "--power", "2").err
    assert read_log("my.log").label == "my-cfr(power=3)"
    assert "my-cfr(power=3)" in hannan("plot", "my.log").out

    file = folder / "my_cfr.py"
    file.write_text(file.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    edited = hannan(*again, "--method", METHOD)
    assert edited.code == 0
    assert "the file of my_cfr.py:MyCFR has changed since my.checkpoint was written" in edited.err
    own.write(folder)
    assert "has changed" not in hannan(*again, "--method", METHOD).err

    with pytest.raises(hn.errors.TrustError, match="names the method"):
        hn.resume("my.checkpoint")
    with pytest.raises(hn.errors.TrustError, match="names the method"):
        hn.read("my.checkpoint")
    saved = hn.resume("my.checkpoint", method=MyCFR)
    assert same(hn.read("my.checkpoint", trust=True), saved.average())  # type: ignore[arg-type]
    saved.run(200)
    assert same(saved.average(), whole)  # type: ignore[arg-type]
    assert same(hn.solve(resume="my.checkpoint", method=MyCFR, iterations=300).profile, whole)


def test_a_class_of_a_prompt_is_given_again(folder: Path) -> None:
    from my_cfr import MyCFR

    prompt: Any = type("Typed", (MyCFR,), {"method": "typed", "__module__": "__main__"})
    solver = prompt(KUHN)
    solver.save("typed.checkpoint")
    with pytest.raises(hn.errors.MismatchError, match=r"a class Typed that was written into a script .*method=MyCFR"):
        hn.resume("typed.checkpoint", trust=True)
    assert type(hn.resume("typed.checkpoint", method=prompt)) is prompt


def test_help_and_lists_show_its_parameters(folder: Path, hannan: Any) -> None:
    for words in (("methods", METHOD), ("solve", "--method", METHOD, "--help")):
        shown = hannan(*words).out
        assert "--power" in shown
        assert "iteration t weighs t**power in the average" in shown
    record = hannan("methods", METHOD, "--json").record
    assert record["name"] == "my-cfr"
    assert record["paper"].startswith("A. Author (2027)")
    assert record["parameters"]["power"]["default"] == 2.0


def test_it_takes_a_seat(folder: Path) -> None:
    """Against itself every strategy scores 0 over both seats, to rounding: all of these play the same."""
    from my_cfr import MyCFR

    solver = MyCFR(KUHN)
    solver.run(50)
    players = (MyCFR, f"{METHOD}(iterations=50)", solver, hn.solve(KUHN, MyCFR, iterations=50))
    match = hn.match(KUHN, *players[1:], games=600, seed=1)
    assert match.players == ("my_cfr.py:MyCFR(iterations=50)", "my-cfr", "my-cfr #2")
    for one in players:
        hn.match(KUHN, one, "uniform", games=2)


BROKEN = """
from hannan.methods import FullWidth, Sampling, Step, Walks, ALL
from hannan import CFRPlus

class NoStep(FullWidth):
    method = "no-step"

class NoName(FullWidth):
    def step(self, t):
        return Step()

class Taken(CFRPlus):
    pass

class Placed(FullWidth):
    method = "placed"
    def __init__(self, game, power=3):
        super().__init__(game)
    def step(self, t):
        return Step()

class Bare(FullWidth):
    method = "bare"
    def __init__(self, game, *, power):
        super().__init__(game)
    def step(self, t):
        return Step()

class Forgetful(FullWidth):
    method = "forgetful"
    def __init__(self, game, *, power=1, **engine):
        super().__init__(game, **engine)
    def step(self, t):
        return Step()

class Raising(Forgetful):
    method = "raising"
    def __init__(self, game, *, power=1, **engine):
        raise ValueError("not today")

class Late(FullWidth):
    method = "late"
    def step(self, t):
        return 1 / 0

def function(game):
    return None

class Other:
    pass
"""


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("NoStep", "broken.py:NoStep is not complete: it lacks step()"),
        ("NoName", "broken.py:NoName has no name that results and files can call it by: write method = "),
        ("Taken", "broken.py:Taken calls itself 'cfr+', which is a built-in method"),
        ("Placed", "its constructor takes power by place; write a * before it"),
        ("Bare", "its parameter power needs a default"),
        ("Forgetful", "broken.py:Forgetful does not keep its parameter power"),
        ("Raising", "broken.py:Raising: making it raised ValueError: not today (line "),
        ("Late", "broken.py:Late: run() raised ZeroDivisionError: division by zero (line "),
        ("function", "broken.py:function is of type function, and no method"),
        ("Other", "broken.py:Other is the class Other, and no method"),
        ("Lat", "broken.py defines no 'Lat'; did you mean 'Late'?"),
    ],
)
def test_broken_classes_are_refused(name: str, sentence: str, hannan: Any) -> None:
    Path("broken.py").write_text(BROKEN)
    ran = hannan("solve", KUHN, "--method", f"broken.py:{name}", "--iterations", "5")
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--method", METHOD, "--powr", "3"), "my-cfr has no parameter 'powr'; did you mean 'power'?"),
        (("--method", "my_cfr.py"), "my_cfr.py: say which class in the file is the method"),
        (("--method", "no.py:MyCFR"), "no.py"),
        (("--method", "my_cfr.py:MyCFR(power=3)", "--power", "2"), "power is given twice"),
        (("--method", METHOD, "--out", "my_cfr.py"), "--out names my_cfr.py, which is read, and would be lost"),
    ],
)
def test_wrong_words_about_a_method(words: tuple[str, ...], sentence: str, folder: Path, hannan: Any) -> None:
    ran = hannan("solve", KUHN, *words)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda kind: kind(KUHN, alpha=2), "has no parameter 'alpha'"),
        (lambda kind: kind(KUHN, thread=2), "did you mean 'threads'?"),
        (lambda kind: kind(KUHN, 2), "CFR takes one game, and parameters by name, as in CFR(game, updates=…)"),
        (lambda kind: kind(), "CFR takes one game"),
        (lambda kind: hn.solve(KUHN, WRONG[0]), "should be the name of a method, a class of hannan.methods.Solver"),
        (lambda kind: hn.solve(KUHN, WRONG[1]), "should be the name of a method"),
    ],
)
def test_wrong_arguments_of_a_class_are_a_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(hn.HannanError) as raised:
        call(hn.CFR)
    assert sentence in str(raised.value)


def test_a_file_that_changed_is_run_again(folder: Path) -> None:
    before = hn.solve(KUHN, METHOD, iterations=50).profile
    path = folder / "my_cfr.py"
    path.write_text(
        path.read_text(encoding="utf-8").replace("power: float = 2.0", "power: float = 0"), encoding="utf-8"
    )
    after = hn.solve(KUHN, METHOD, iterations=50).profile
    assert not same(after, before)
    assert same(after, hn.solve(KUHN, METHOD, power=0, iterations=50).profile)


def test_every_name_of_the_public_module() -> None:
    import hannan.methods as methods

    assert "FullWidth" in dir(methods)
    for name in methods.__all__:
        assert getattr(methods, name) is not None
    with pytest.raises(AttributeError, match=r"module 'hannan\.methods' has no attribute 'nonsense'"):
        methods.nonsense  # type: ignore[attr-defined]  # noqa: B018


PLAYERS = '''
from hannan.methods import Answer, Player
import numpy as np

class Second(Player):
    """Plays its last action, and counts its choices."""
    name = "second"
    def __init__(self, *, weight=1.0):
        self.weight = weight
    def sit(self, seat, luck):
        return Sitting(self.weight)

class Sitting:
    def __init__(self, weight):
        self.weight = weight
    def choose(self, observation, actions):
        weights = np.full(len(actions), (1 - self.weight) / (len(actions) - 1))
        weights[-1] = self.weight
        return Answer(weights, True)
    def took(self, k):
        pass

def bet(sight):
    return "b"
'''


def test_players_of_a_class_with_parameters(folder: Path) -> None:
    """Always betting is the last action in Kuhn poker, so both of these play the same and score 0 with equal chance."""
    Path("players.py").write_text(PLAYERS)
    import players  # type: ignore[import-not-found]

    given = ("players.py:Second", players.Second, players.Second(weight=1.0), "players.py:bet")
    for one in given:
        assert hn.match(KUHN, one, "players.py:bet", games=20).scores == (0.0, 0.0)
    half = hn.match(KUHN, "players.py:Second(weight=0.5)", "uniform", games=2000, seed=2)
    assert abs(half.scores[0]) < 0.15  # both are uniform: 0 ± 1.5 / sqrt(2000) · 4
    for address, sentence in (
        ("players.py:Second(weigth=1)", "players.py:Second has no parameter 'weigth'; did you mean 'weight'?"),
        ("players.py:bet(x=1)", "players.py:bet is of type function, and no class: it takes no parameters"),
        ("players.py:Third", "players.py defines no 'Third'"),
    ):
        with pytest.raises(hn.HannanError) as raised:
            hn.match(KUHN, address, "uniform", games=2)
        assert sentence in str(raised.value)


@pytest.mark.parametrize(
    ("returned", "sentence"),
    [
        (3, r"my-cfr: step\(\) returned 3; expected a hannan\.methods\.Step"),
        (hn.methods.Step(positive=np.ones(1)), r"returned positive with shape \(1,\) for 2 iterations"),
        (hn.methods.Step(decay=np.ones(2)), r"returned decay with shape \(2,\) for \d iterations"),
        (hn.methods.Step(positive=float("nan")), r"my-cfr: step\(\) returned .*, which contains nan"),
    ],
    ids=["no step", "one number for three iterations", "two numbers", "no number"],
)
def test_steps_that_are_none_are_refused(returned: Any, sentence: str) -> None:
    class Wrong(hn.methods.FullWidth):
        method = "my-cfr"

        def step(self, t: Any) -> Any:
            return returned

    with pytest.raises(hn.HannanError, match=sentence):
        hn.solve("kuhn_poker", Wrong, iterations=3, measure_every=3)
