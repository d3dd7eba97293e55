"""Every public function with arguments that make no sense: a sentence, or an answer where the value is a right one.

Each row of `CALLS` is a call that works; each of its arguments is replaced by each of `VALUES`, one at a time. What is
raised must be a `HannanError`, and what is accepted must be among what the row says that it takes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan import verifier
from hannan.arguments import numbers, shown
from hannan.errors import nearest
from hannan.forms.boxes import boxed
from hannan.rules.observations import hashed

OPEN = "goofspiel(cards=3,information=open)"


class Mute:
    """Something that cannot even be written down."""

    def __repr__(self) -> str:
        raise ValueError("no words for it")


def _nested(depth: int) -> list[Any]:
    nest: list[Any] = []
    for _ in range(depth):
        nest = [nest]
    return nest


VALUES: dict[str, Any] = {
    "None": None, "True": True, "nan": math.nan, "inf": math.inf, "-1": -1, "0": 0, "2": 2, "0.5": 0.5, "1.5": 1.5,
    "2**70": 2**70, "10**400": 10**400, "10**5000": 10**5000, "''": "", "'x'": "x", "'1'": "1", "bytes": b"x",
    "[]": [], "{}": {}, "[1, 2]": [1, 2], "(1, 0)": (1, 0), "ragged": [[1, 2], [3]], "{'a': 1}": {"a": 1},
    "{0: None}": {0: None}, "{7: {}}": {7: {}}, "object": object(), "mute": Mute(), "function": lambda *_: None,
    "numpy nan": np.float64("nan"), "numpy 1": np.int8(1), "empty array": np.array([]), "matrix": np.zeros((2, 2)),
    "array of words": np.array(["x", "y"]), "array of things": np.array([None, object()], dtype=object), "1j": 1j,
    "fraction": Fraction(1, 3), "decimal": Decimal("NaN"), "set": set(), "module": math,
    "null": "a\0b", "surrogate": "\ud800", "nested": _nested(2000), "long": "x" * 5000,
}  # fmt: skip


class Things:
    """What right calls are made with, made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.game: Any = hn.load("kuhn_poker")
        self.profile = hn.uniform(self.game)
        self.policy = hn.Policy.of_profile(self.profile)
        self.form = hn.normal_form(self.game)
        self.matrix = hn.load(hn.matrix_game([[1, -1], [-1, 1]]))
        self.search = hn.Searcher(OPEN)
        self.search.run(20)
        self.exact = hn.methods.BackwardInduction(OPEN)
        self.exact.run(1)
        self.locked = hn.lock(self.game, {0: {"J": {"p": 1}}})
        self.result = hn.solve(self.game, "cfr", iterations=3)
        self.file, self.checkpoint = str(folder / "kuhn.strategy"), str(folder / "kuhn.checkpoint")
        hn.save(self.profile, self.file)
        self.solver = hn.CFR(self.game)
        self.solver.run(3)
        self.solver.save(self.checkpoint)


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Things:
    return Things(tmp_path_factory.mktemp("wrong"))


Call = tuple[Callable[..., Any], dict[str, Any], dict[str, str]]
"""What is called, right arguments, and which of `VALUES` each argument takes as well."""

WHOLE, SETS, SEATS, SEED = "2, numpy 1", "0, 2, numpy 1", "0, numpy 1", "-1, 0, 2, numpy 1"
TEXTS = "'', 'x', '1', null, surrogate, long"
FILES = "'x', '1'"
"""Names of files that can be written, in the folder of the test."""
GAMES = "matrix"
TRUST = "True, function"

CALLS: dict[str, Callable[[Things], Call]] = {
    "load": lambda t: (hn.load, {"game": t.game}, {"game": GAMES}),
    "solve": lambda t: (
        hn.solve,
        {"game": t.game, "method": "cfr", "iterations": 2, "gap": None, "seconds": None, "updates": None, "start": None,
         "seed": None, "locks": None, "variance": None, "every": 60.0, "resume": None, "progress": None, "trust": False,
         "threads": 1},
        {"game": GAMES, "iterations": "None, 0, 2, numpy 1", "gap": "None, 0, 2, 0.5, 1.5, 2**70, numpy 1",
         "seconds": "None, 0, 2, 0.5, 1.5, 2**70, numpy 1", "updates": "None", "start": "None",
         "seed": f"None, {SEED}", "locks": "None, {}", "variance": "None", "every": "0, 2, 0.5, 1.5, 2**70, numpy 1",
         "resume": "None", "progress": "None, True, function", "trust": TRUST, "threads": WHOLE},
    ),
    "evaluate": lambda t: (
        hn.evaluate, {"game": t.game, "strategy": t.profile, "value": 0.0},
        {"value": "None, -1, 0, 2, 0.5, 1.5, 2**70, numpy 1"},
    ),
    "draw_branch": lambda t: (
        hn.solutions.draw_branch, {"path": str(t.folder / "branch.svg"), "result": hn.qre(t.matrix)}, {},
    ),
    "qre": lambda t: (
        hn.qre,
        {"game": t.game, "lambda_": 0.5, "path": False, "max_lambda": None, "data": None, "normal": False},
        {"game": GAMES, "lambda_": "None, 0, 2, 0.5, 1.5, numpy 1", "path": "", "max_lambda": "None", "data": "None",
         "normal": "True"},
    ),
    "sweep": lambda t: (
        hn.sweep,
        {"file": {"games": [t.game], "methods": ["cfr"], "limits": {"iterations": 1}}, "out": None, "seconds": None,
         "every": 1.0, "parquet": False, "dry_run": False, "tell": None, "on": "serial", "workers": None,
         "trust": False},
        {"out": f"None, {FILES}", "seconds": "None, 0, 2, 0.5, 1.5, 2**70, numpy 1",
         "every": "0, 2, 0.5, 1.5, 2**70, numpy 1",
         "dry_run": "True", "tell": "None, function", "workers": "None, 2, numpy 1", "trust": TRUST},
    ),
    "values": lambda t: (hn.values, {"game": t.game, "strategy": t.profile}, {}),
    "best_response": lambda t: (
        hn.best_response, {"game": t.game, "strategy": t.profile, "player": 0}, {"player": SEATS},
    ),
    "respond": lambda t: (
        hn.respond,
        {"strategy": t.profile, "player": 0, "seconds": 1.0, "walks": 10, "seed": 0, "plays": 100, "confidence": 0.95,
         "bounds": None, "before": None, "field": None, "stop": None},
        {"player": SEATS, "seconds": "None, 2, 0.5, 1.5, 2**70, numpy 1", "walks": f"None, {WHOLE}",
         "seed": SEED, "plays": "None", "confidence": "0.5", "bounds": "None, [1, 2]", "before": "None",
         "field": "None", "stop": "None, function"},
    ),
    "match": lambda t: (
        lambda game, player, **more: hn.match(game, player, t.profile, **more),
        {"game": t.game, "player": "uniform", "games": 2, "seed": 0, "confidence": 0.95, "duplicate": True, "aivat": 0,
         "decide": False, "bounds": None, "seconds": None, "record": None, "names": None, "resume": None,
         "trust": False},
        {"games": WHOLE, "seed": SEED, "confidence": "0.5", "duplicate": "True", "aivat": "0, 2, numpy 1",
         "decide": "True", "bounds": "None", "seconds": "None, 2, 0.5, 1.5, 2**70, numpy 1",
         "record": f"None, {FILES}", "names": "None", "resume": "None", "trust": TRUST, "player": ""},
    ),
    "profile": lambda t: (
        hn.profile, {"game": t.game, "strategies": {0: {}}, "rest": t.profile}, {"strategies": "{}", "rest": "None"},
    ),
    "arrays": lambda t: (lambda given: hn.profile(t.game, given), {"given": list(t.profile.strategies)},
            {"given": "{}"}),
    "Profile": lambda t: (hn.Profile, {"game": t.game, "strategies": t.profile.strategies, "facts": {}},
                          {"facts": "{}, {'a': 1}, {0: None}, {7: {}}"}),
    "uniform": lambda t: (hn.uniform, {"game": t.game}, {"game": GAMES}),
    "random_profile": lambda t: (hn.random_profile, {"game": t.game, "seed": 0}, {"game": GAMES, "seed": SEED}),
    "save": lambda t: (hn.save, {"strategy": t.profile, "path": t.file}, {"path": FILES}),
    "read": lambda t: (hn.read, {"path": t.file, "game": t.game, "trust": False}, {"game": "None", "trust": TRUST}),
    "resume": lambda t: (
        hn.resume, {"path": t.checkpoint, "game": t.game, "trust": False}, {"game": "None", "trust": TRUST},
    ),
    "read_log": lambda t: (hn.read_log, {"path": t.folder / "no.log"}, {}),
    "verify": lambda t: (hn.verify, {"path": t.folder / "no.certificate"}, {}),
    "normal_form": lambda t: (
        hn.normal_form, {"game": t.game, "reduced": True, "limit": 10_000},
        {"game": GAMES, "reduced": "True", "limit": ""},
    ),
    "plan_text": lambda t: (t.form.plan_text, {"player": 0, "number": 0}, {"player": SEATS, "number": SETS}),
    "pure": lambda t: (t.form.pure, {"numbers": [0, 0]}, {"numbers": "[1, 2], (1, 0)"}),
    "mixed": lambda t: (t.form.profile, {"mixed": t.form.mixed(t.profile)}, {}),
    "correlated_equilibrium": lambda t: (
        hn.solutions.correlated_equilibrium, {"game": t.matrix, "objective": "welfare", "kind": "ce"},
        {"game": GAMES, "objective": "0"},
    ),
    "check_game": lambda t: (
        hn.check_game, {"game": t.game, "most": 100, "plays": 2, "seed": 0},
        {"game": GAMES, "most": SETS, "plays": SETS, "seed": SEED},
    ),
    "solve_matrix": lambda t: (hn.solve_matrix, {"payoffs": [[1, 2], [2, 1]]}, {"payoffs": "matrix"}),
    "repeat_matrix": lambda t: (
        hn.solutions.repeat_matrix,
        {"payoffs": [[1, 0], [0, 1]], "rule": "rm", "points": [5], "strategy": None, "seed": 0},
        {"payoffs": "matrix", "points": "[1, 2]", "strategy": "None, (1, 0)", "seed": SEED},
    ),
    "rollouts": lambda t: (
        hn.rollouts, {"strategy": t.policy, "plays": 10, "seed": 0, "confidence": 0.95, "bounds": None, "stop": None},
        {"plays": f"None, {WHOLE}", "seed": SEED, "confidence": "0.5", "bounds": "None", "stop": "None, function"},
    ),
    "visits": lambda t: (
        hn.summary, {"game": t.policy, "most": 5, "plays": 5, "seed": 0},
        {"most": SETS, "plays": WHOLE, "seed": SEED},
    ),
    "summary": lambda t: (hn.summary, {"game": t.game, "strategy": t.profile, "most": 5}, {"most": SETS}),
    "export_csv": lambda t: (hn.export_csv, {"strategy": t.profile, "path": t.folder / "o.csv"}, {"path": FILES}),
    "export_game": lambda t: (hn.export_game, {"game": t.game, "path": t.folder / "o.efg"}, {"game": GAMES}),
    "exact_gap": lambda t: (hn.exact_gap, {"game": t.game, "strategy": t.profile, "limit": 1000}, {"limit": ""}),
    "lock": lambda t: (hn.lock, {"game": t.game, "locks": {0: t.profile}}, {"game": "", "locks": "{}"}),
    "LockedGame": lambda t: (hn.views.LockedGame, {"base": t.game, "locks": {0: t.profile}}, {"locks": "{}"}),
    "locked names": lambda t: (t.locked.set_text, {"player": 0, "number": 0}, {"player": SEATS,
            "number": SETS}),
    "cce_gap": lambda t: (hn.methods.cce_gap, {"solver": t.solver, "evaluation": None}, {"evaluation": "None"}),
    "StrategyPlayer": lambda t: (hn.StrategyPlayer, {"strategy": t.profile, "player": 0, "seed": 0},
                                 {"player": SEATS, "seed": SEED}),
    "act": lambda t: (lambda observation, actions: hn.StrategyPlayer(t.profile, 0).act(observation, actions),
                      {"observation": 0, "actions": ["p", "b"]},
                      {"observation": ", ".join(name for name, value in VALUES.items() if _hashable(hashed(value))),
                       "actions": "[1, 2], (1, 0), ragged"}),
    "Search": lambda t: (hn.responses.LookAhead, {"ahead": 2, "simulations": 10, "particles": 5, "c": 0.5},
                         {"ahead": WHOLE, "simulations": WHOLE, "particles": WHOLE,
                         "c": "0, 2, 0.5, 1.5, 2**70, numpy 1"}),
    "gathered": lambda t: (hn.responses.gathered,
                           {"player": hn.responses.LookAheadPlayer("s", t.policy, hn.responses.LookAhead()), "seat": 0},
                           {"seat": SEATS}),
    "at": lambda t: (t.profile.at, {"player": 0, "place": 0}, {"player": SEATS, "place": SETS}),
    "table": lambda t: (t.profile.table, {"most": 5}, {"most": SETS}),
    "with_": lambda t: (t.profile.with_, {"strategies": {}}, {"strategies": "{}"}),
    "policy set": lambda t: (t.policy.set, {"number": 0}, {"number": SETS}),
    "menus": lambda t: (t.policy.menus, {"number": 0}, {"number": SETS}),
    "taking": lambda t: (t.policy.taking, {"player": 0, "other": t.policy}, {"player": SEATS}),
    "of_profile": lambda t: (hn.Policy.of_profile, {"profile": t.profile}, {}),
    "draw": lambda t: (hn.draw, {"game": t.game, "path": "t.png", "strategy": t.profile, "depth": 1, "title": "t",
            "size": (4, 3), "ax": None, "letters": False}, {"path": "None", "strategy": "None",
            "depth": f"None, {WHOLE}", "title": f"None, {TEXTS}", "size": "None, [1, 2]", "ax": "None", "letters": ""}),
    "inspect": lambda t: (hn.inspect, {"game": t.game, "estimate": True}, {"game": GAMES, "estimate": "True"}),
    "plot": lambda t: (hn.plot, {"runs": t.result, "path": "t.png", "x": "seconds", "y": "gap", "title": "t",
            "size": (4, 3), "xlabel": "x", "ylabel": "y", "ax": None},
           {"path": "None", "title": f"None, {TEXTS}", "size": "None, [1, 2]", "xlabel": f"None, {TEXTS}",
            "ylabel": f"None, {TEXTS}", "ax": "None"}),
    "Policy.uniform": lambda t: (hn.Policy.uniform, {"game": t.game}, {"game": GAMES}),
    "set_text": lambda t: (t.game.set_text, {"player": 0, "number": 0}, {"player": SEATS, "number": SETS}),
    "action_text": lambda t: (t.game.action_text, {"player": 0, "sequence": 1}, {"player": SEATS,
            "sequence": SETS}),
    "actions_at": lambda t: (t.game.actions_at, {"player": 0, "number": 0}, {"player": SEATS, "number": SETS}),
    "sets_named": lambda t: (t.game.sets_named, {"player": 0, "name": "J"}, {"player": SEATS,
            "name": TEXTS}),
    "find_sets": lambda t: (t.game.find_sets, {"player": 0, "place": 1}, {"player": SEATS, "place": SETS}),
    "path": lambda t: (t.game.tree.path_text, {"node": 0}, {"node": SETS}),
    "payoff": lambda t: (t.game.form.payoff, {"player": 0}, {"player": SEATS}),
    "sequence": lambda t: (t.game.form.sequence, {"player": 0}, {"player": SEATS}),
    "run": lambda t: (hn.CFR(t.game).run, {"iterations": 1}, {"iterations": SETS}),
    "solver save": lambda t: (t.solver.save, {"path": t.checkpoint, "facts": None},
                              {"path": FILES, "facts": "None, {}, {'a': 1}, {0: None}, {7: {}}"}),
    "einr start": lambda t: (lambda profile: hn.methods.EINR(t.game).warm_start(profile), {"profile": t.profile}, {}),
    "einr rule": lambda t: (lambda rule: hn.methods.EINR(t.game, rule=rule), {"rule": "exponential"}, {}),
    "einr prior": lambda t: (lambda prior: hn.methods.EINR(t.game, prior=prior), {"prior": "full"}, {}),
    "averaging": lambda t: (lambda averaging: hn.methods.VRMCCFR(t.game, averaging=averaging),
                            {"averaging": "lazy"}, {}),
    "search find": lambda t: (t.search.find, {"path": ""}, {"path": "'', []"}),
    "search jump": lambda t: (t.search.jump, {"path": ""}, {"path": "'', []"}),
    "search advance": lambda t: (t.search.advance, {"path": ""}, {"path": "'', []"}),
    "search plays": lambda t: (t.search.plays, {"player": 0}, {"player": SEATS}),
    "search strategy": lambda t: (t.search.strategy, {"path": "", "averages": None, "exploration": True},
                                  {"path": "'', []", "averages": "None, True", "exploration": "True"}),
    "search numbers": lambda t: (t.search.numbers, {"node": 0, "averages": False}, {"node": SETS,
            "averages": "True"}),
    "exact value": lambda t: (t.exact.value, {"path": ""}, {"path": "''"}),
    "PlayedGame": lambda t: (
        hn.views.PlayedGame, {"rules": t.game.rules, "name": "", "parameters": None},
        {"name": TEXTS, "parameters": "None, {}, {'a': 1}, {0: None}, {7: {}}"},
    ),
    "BoxedGame": lambda t: (hn.boxes.BoxedGame, {"box": None}, {}),
    "HiddenChance": lambda t: (hn.boxes.HiddenChance, {"box": None, "most": 2}, {}),
    "ProcessBox": lambda t: (hn.boxes.ProcessBox, {"command": "", "timeout": 1.0}, {}),
    "CompiledRules": lambda t: (
        hn.CompiledRules,
        {"name": "", "players": 2, "book": t.game.rules.book, "table": t.game.rules.table, "state_size": 4, "width": 3},
        {"name": TEXTS, "players": ", ".join(VALUES), "state_size": SETS,
         "width": SETS},
    ),
}  # fmt: skip


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


@pytest.mark.parametrize("name", CALLS)
def test_arguments_that_make_no_sense(
    name: str, things: Things, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    called, right, takes = CALLS[name](things)
    for argument in right:
        said = takes.get(argument, "")
        taken = [word for word in VALUES if word in said.split(", ") or ("," in word and word in said)]
        for word, value in VALUES.items():
            case, refusal = f"{name}({argument}={word})", ""
            try:
                called(**{**right, argument: value})
            except hn.HannanError as error:
                refusal = str(error)
            if word in taken:
                assert not refusal, f"{case} is refused: {refusal}"
            else:
                assert 10 < len(refusal) < 8000, f"{case} is accepted, or told of in {len(refusal)} letters"


def test_whole_numbers_are_no_open_files(things: Things) -> None:
    for number in (0, 1, True, 2**70):
        with pytest.raises(hn.errors.ParameterError, match="names no file"):
            hn.read(number)  # type: ignore[arg-type]


def test_a_strategy_of_another_game_is_not_certified() -> None:
    for other in ("kuhn_poker(players=3)", OPEN):
        with pytest.raises(hn.errors.MismatchError, match=re.escape("kuhn_poker")):
            hn.certify("kuhn_poker", playthroughs=10, strategy=hn.uniform(other))


def test_a_profile_of_whole_numbers_is_measured_as_any_other(things: Things) -> None:
    """Always pass: kernels once computed with whole numbers too, and said that nobody gains by a deviation."""
    passing = np.array([1] + [1, 0] * 6)
    kinds = [hn.Profile(things.game, (passing.astype(kind),) * 2) for kind in (float, np.int8, np.uint64, bool)]
    gaps = {hn.evaluate(things.game, profile).nash_conv for profile in kinds}
    assert gaps == {float(hn.exact_gap(things.game, kinds[0]).nash_conv)}
    assert gaps.pop() > 1
    for kind in (complex, object, str):
        with pytest.raises(hn.errors.ParameterError, match="arrays of numbers"):
            hn.Profile(things.game, (passing.astype(kind),) * 2)


def test_parts_of_other_games_are_not_taken(things: Things) -> None:
    for other in (OPEN, "kuhn_poker(players=3)"):
        with pytest.raises(hn.errors.MismatchError, match="not a policy of kuhn_poker"):
            things.policy.taking(0, hn.Policy.of_profile(hn.uniform(other)))
    with pytest.raises(hn.errors.MismatchError, match="3 players"):
        hn.methods.cce_gap(things.solver, hn.evaluate("kuhn_poker(players=3)", hn.uniform("kuhn_poker(players=3)")))


def test_a_certificate_is_replayed_with_any_game_and_refuses_what_is_none(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.certificate"
    hn.certify("kuhn_poker", playthroughs=20).save(path)
    for game in ("kuhn_poker", hn.load("kuhn_poker"), boxed("kuhn_poker").box):
        assert hn.verify(path, game).level == "counts"
    for thing in (1, object(), "no such game"):
        with pytest.raises(hn.HannanError):
            hn.verify(path, thing)  # type: ignore[arg-type]
    with pytest.raises(hn.errors.ParameterError, match="box should be a black box"):
        verifier.verify(path, 1)


def test_a_row_of_stars_takes_no_longer_than_one(things: Things) -> None:
    with pytest.raises(hn.errors.UnknownNameError, match="player 0 matches"):
        things.game.find_sets(0, "*J" + "*?" * 40 + "Z")
    assert things.game.find_sets(0, "***") == list(range(6))


def test_the_third_player_of_two_gains_nothing(things: Things) -> None:
    """It was told what the second one loses."""
    with pytest.raises(hn.errors.ParameterError, match="player=2 should be"):
        things.game.form.payoff(2)


def test_no_name_is_like_nothing() -> None:
    assert nearest("", ["battleship", "tron"]) == "; known are battleship, tron"


def test_numbers_are_taken_in_every_form() -> None:
    assert numbers("x", [[Fraction(1, 2), 2**70]]).tolist() == [[0.5, 2.0**70]]
    assert shown("y" * 1000).endswith("…")


class Halves(hn.Rules):
    """One move of one player, named by half of a pair of letters."""

    def start(self) -> Any:
        return ""

    def turn(self, state: Any) -> int:
        return hn.END if state else 0

    def actions(self, state: Any, player: int) -> list[str]:
        return ["\ud800", "other"]

    def after(self, state: Any, move: Any) -> Any:
        return move

    def observe(self, state: Any, player: int) -> int:
        return 0

    def gains(self, state: Any) -> tuple[float, float]:
        return (1.0, -1.0) if state else (0.0, 0.0)


def test_names_that_no_file_takes(tmp_path: Path) -> None:
    profile = hn.uniform(Halves())
    for write in (hn.export_csv, lambda profile, path: hn.export_game(profile.game, f"{path}.efg")):
        with pytest.raises(hn.errors.FileError, match=r"'\\ud800' in a name is not a letter of UTF-8"):
            write(profile, tmp_path / "halves")
    assert list(tmp_path.iterdir()) == []
    hn.save(profile, tmp_path / "halves")
    assert hn.read(tmp_path / "halves", profile.game).facts["method"] == "uniform"


@pytest.mark.parametrize("over", ["tree", "rules"])
def test_the_policy_of_a_sampler_on_plain_rules(over: Any) -> None:
    solver = hn.methods.ExternalSampling(Halves(), over=over)
    solver.run(10)
    policy, average = solver.policy(), solver.average()
    assert isinstance(average, hn.Profile)
    assert policy.profile().strategies[0].tolist() == pytest.approx(average.strategies[0].tolist(), abs=1e-12)
