"""The same numbers whichever workers play: matches, estimates, responses and flops on every back end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.forms import workers as workers_module
from hannan.forms.classes import thing_at
from hannan.measures import appraisal
from hannan.pieces import Workers, workers_of
from hannan.pieces.serial import SerialWorkers
from hannan.runs import flops
from hannan.runs import match as matching
from tests.runs.test_flops import SPOT, TWO

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
KINDS = [("processes", 1), ("processes", 3), ("ray", 2)]

MINE = """
import os
import signal
from pathlib import Path

import hannan as hn


def bold(sight):
    return sight.actions[-1]


def breaking(sight):
    if sight.random.random() < 0.02:
        raise KeyError("card")
    return sight.random.choice(sight.actions)


class Deadly:
    '''Kills its process at its first question on a worker, as often as the folder `lives` has files.'''

    def __init__(self, file=None):
        self.file, self.home = file, os.getpid()

    def __call__(self, sight):
        if os.getpid() != self.home:
            for life in Path(self.file).iterdir():
                try:
                    life.unlink()  # only one process can take it
                except FileNotFoundError:
                    continue
                os.kill(os.getpid(), signal.SIGKILL)
        return sight.random.choice(sight.actions)


class Pennies(hn.Rules):
    '''Two coins, one after the other, the second unseen; plain Python.'''

    players, name = 2, "pennies"

    def start(self):
        return ()

    def turn(self, state):
        return hn.END if len(state) == 2 else len(state)

    def actions(self, state, player):
        return ["heads", "tails"]

    def after(self, state, move):
        return (*state, move)

    def observe(self, state, player):
        return "?"

    def gains(self, state):
        if len(state) < 2:
            return [0.0, 0.0]
        return [1.0, -1.0] if state[0] == state[1] else [-1.0, 1.0]
"""


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A user's file: players and rules."""
    file = tmp_path_factory.mktemp("user") / "spread_players.py"
    file.write_text(MINE)
    thing_at(f"{file}:bold")
    return str(file)


@pytest.fixture(scope="module")
def started(mine: str) -> Iterator[dict[tuple[str, Any], Workers]]:
    """Workers of each kind, started once for all tests of this file."""
    code = [Path(mine).parent, ROOT]
    ray = pytest.importorskip("ray")
    ray.init("local", num_cpus=2, object_store_memory=100 << 20, include_dashboard=False, log_to_driver=False)
    with (
        workers_of("processes", 1, code=code) as one,
        workers_of("processes", 3, code=code) as three,
        workers_of("ray", 2, code=code) as actors,
    ):
        yield {("processes", 1): one, ("processes", 3): three, ("ray", 2): actors}
    ray.shutdown()


@pytest.fixture(autouse=True)
def hired(monkeypatch: pytest.MonkeyPatch, started: dict[tuple[str, Any], Workers]) -> None:
    """Let the options `on` and `workers` mean the workers that run already."""

    def opened(chosen: Mapping[str, Any], memory: int | None = None) -> AbstractContextManager[Workers]:
        return nullcontext(started.get((chosen["on"], chosen["workers"])) or SerialWorkers())

    for module in (matching, appraisal, flops, workers_module):
        monkeypatch.setattr(module, "open_workers", opened)


def timeless(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "seconds": 0}


def played(*players: Any, **options: Any) -> Any:
    """Return all numbers of a match, or its error with those of the games before."""
    try:
        return timeless(hn.match(*players, **options).record())
    except hn.HannanError as error:
        return type(error), str(error), error.partial and timeless(error.partial.record())


MATCHES: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "tables": (["leduc_poker", "cfr+(iterations=20)", "uniform"], {"games": 9000}),
    "decided": (["kuhn_poker", "cfr+(iterations=100)", "uniform"], {"games": 100_000, "decide": True}),
    "corrected": (["leduc_poker", "uniform", "{mine}:bold", "cfr(iterations=3)"], {"games": 300, "aivat": 50}),
    "search": (["oshi_zumo(coins=4,size=1)", "search(iterations=100)", "uniform"], {"games": 30}),
    "own rules": (["{mine}:Pennies", "uniform", "{mine}:bold"], {"games": 200, "duplicate": False}),
    "broken": (["kuhn_poker", "uniform", "{mine}:breaking"], {"games": 1000}),
    "a bot": (["openspiel:kuhn_poker", "openspiel:uniform_random", "uniform"], {"games": 60}),
}


@pytest.mark.parametrize("case", MATCHES)
def test_matches_do_not_depend_on_workers(mine: str, case: str) -> None:
    given, options = MATCHES[case]
    words = [word.format(mine=mine) for word in given]
    expected = played(*words, seed=3, **options)
    if case == "broken":
        assert expected[0] is hn.errors.PlayerError
        assert "spread_players.py:breaking in seat" in expected[1]
        assert expected[2]["games"] > 0
    elif case == "decided":
        assert expected["stop"] == "decided"
    else:
        assert expected["stop"] == "games"
    for on, workers in KINDS:
        assert played(*words, seed=3, on=on, workers=workers, **options) == expected, (on, workers)


def test_the_record_of_a_match_does_not_depend_on_workers(tmp_path: Path) -> None:
    for on, workers in [("serial", 1), *KINDS]:
        hn.match("leduc_poker", "uniform", "uniform", games=40, record=tmp_path / on, on=on, workers=workers)
    assert (tmp_path / "serial").read_text().count("\n") == 40
    assert (tmp_path / "serial").read_text() == (tmp_path / "processes").read_text() == (tmp_path / "ray").read_text()


@pytest.mark.parametrize(("first", "second"), [(("ray", 2), ("serial", 1)), (("serial", 1), ("processes", 3))])
def test_a_match_is_resumed_elsewhere(tmp_path: Path, mine: str, first: Any, second: Any) -> None:
    told = iter(range(5))

    def press(now: hn.Progress) -> None:
        if next(told, None) is None:
            signal.raise_signal(signal.SIGINT)

    words, (on, workers) = ["leduc_poker", "uniform", f"{mine}:bold"], first
    half = hn.match(*words, games=2000, seed=5, checkpoint=tmp_path / "c", progress=press, on=on, workers=workers)
    assert half.stop == "interrupted"
    assert 0 < half.games < 2000
    on, workers = second
    whole = played(*words, games=2000, seed=5)
    assert played(*words, games=2000, seed=5, resume=tmp_path / "c", on=on, workers=workers) == whole


def _lives(folder: Path, number: int) -> Path:
    """Return a folder with a file for each worker that is to die."""
    lives = folder / "lives"
    lives.mkdir()
    for life in range(number):
        (lives / str(life)).touch()
    return lives


@pytest.mark.parametrize(("on", "workers"), KINDS[1:])
def test_a_killed_worker_changes_no_match(tmp_path: Path, mine: str, on: str, workers: int) -> None:
    lives = _lives(tmp_path, 2)
    rule = thing_at(f"{mine}:Deadly")(str(lives))
    expected = played("kuhn_poker", rule, "uniform", games=400)
    assert played("kuhn_poker", rule, "uniform", games=400, on=on, workers=workers) == expected
    assert not list(lives.iterdir())


def test_a_player_that_kills_every_worker_ends_the_match(tmp_path: Path, mine: str) -> None:
    lives = _lives(tmp_path, 100)
    rule = thing_at(f"{mine}:Deadly")(str(lives))
    with pytest.raises(hn.errors.PieceError, match="its worker was lost 3 times") as failed:
        hn.match("kuhn_poker", rule, "uniform", games=400, on="processes", workers=1)
    assert failed.value.partial.stop == "failed"
    assert len(list(lives.iterdir())) < 100
    assert os.getpid() == rule.home


def first(sight: hn.Sight) -> Any:
    return sight.actions[0]


def test_players_that_cannot_travel_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "first", first, raising=False)
    with pytest.raises(
        hn.errors.ParameterError, match=r"^first cannot be sent to another process: it is defined in the script"
    ):
        hn.match("kuhn_poker", first, "uniform", on="processes", workers=3)
    with pytest.raises(
        hn.errors.ParameterError, match=r"^<lambda> cannot be sent to another process .*use on='serial'"
    ):
        hn.match("kuhn_poker", lambda sight: sight.actions[0], "uniform", on="processes", workers=3)


def estimated(*given: Any, **options: Any) -> Any:
    """Return all numbers of an evaluation, without its times, or its error with those before."""
    try:
        return without_times(hn.evaluate(*given, **options).record())
    except hn.HannanError as error:
        return type(error), str(error), error.partial and without_times(error.partial.record())


def without_times(record: Any) -> Any:
    if isinstance(record, dict):
        return {name: without_times(value) for name, value in record.items() if name != "seconds"}
    return [without_times(value) for value in record] if isinstance(record, list | tuple) else record


ESTIMATES: dict[str, dict[str, Any]] = {
    "values": {"response": "none", "plays": 6000, "exact": False},
    "learned": {"response": "learned", "plays": 3000, "walks": 300, "exact": False},
    "search": {"response": "search", "plays": 130, "walks": 20},
    "a rule": {"response": "{mine}:bold", "plays": 250, "walks": 1},
    "a rule that breaks": {"response": "{mine}:breaking", "plays": 250, "walks": 1},
}


@pytest.mark.parametrize("case", ESTIMATES)
def test_estimates_do_not_depend_on_workers(mine: str, case: str) -> None:
    options = dict(ESTIMATES[case])
    if options["response"].startswith("{mine}"):
        options["response"] = thing_at(options["response"].format(mine=mine))
    strategy = hn.random_profile("kuhn_poker", seed=1)
    expected = estimated(strategy, seed=2, **options)
    if case == "a rule that breaks":
        assert expected[0] is hn.errors.PlayerError
        assert expected[2]["failed"]["plays"] > 0
    for on, workers in KINDS:
        assert estimated(strategy, seed=2, on=on, workers=workers, **options) == expected, (on, workers)


@pytest.mark.parametrize("kind", ["a rule", "own rules", "forgetting", "networks"])
def test_other_strategies_are_played_anywhere(mine: str, kind: str) -> None:
    """Strategies that are no tables, plain rules, and a large game whose learners forget."""
    strategy: Any = hn.Ruled("kuhn_poker", thing_at(f"{mine}:bold"))
    if kind == "own rules":
        strategy = hn.random_profile(f"{mine}:Pennies", seed=1)
    elif kind == "forgetting":
        strategy = hn.Policy.uniform("goofspiel(cards=7)")
    elif kind == "networks":
        strategy = hn.solve("kuhn_poker", "sd-cfr", iterations=2, traversals=10, seed=1).strategy
    options: dict[str, Any] = {"exact": False, "response": "learned", "walks": 50, "plays": 300}
    expected = estimated(strategy, **options)
    assert expected["responses"]
    if kind == "forgetting":
        assert all("forgetting" in response["method"] for response in expected["responses"])
    for on, workers in KINDS[1:] if kind == "own rules" else KINDS[1:2]:
        assert estimated(strategy, on=on, workers=workers, **options) == expected, (on, workers)


def test_a_learned_response_is_the_same_strategy_wherever_it_is_learnt() -> None:
    profile = hn.random_profile("leduc_poker", seed=3)
    found = [
        hn.respond(profile, 1, "learned", walks=200, plays=500, on=on, workers=workers)
        for on, workers in [("serial", 1), *KINDS]
    ]
    assert {response.gain for response in found} == {found[0].gain}
    assert len({getattr(response.strategy, "digest", None) for response in found} - {None}) == 1


def test_a_search_notes_what_it_did_wherever_it_played() -> None:
    profile = hn.random_profile("kuhn_poker", seed=3)
    here, there = (
        hn.respond(profile, 0, "local", walks=20, plays=120, on=on, workers=3).strategy
        for on in ("serial", "processes")
    )
    assert isinstance(here, hn.responses.LookAheadPlayer)
    assert isinstance(there, hn.responses.LookAheadPlayer)
    assert here.notes == there.notes
    assert len(here.notes) >= 120


def test_time_and_a_wish_to_stop_end_responses_on_workers() -> None:
    profile = hn.random_profile("leduc_poker", seed=3)
    timed = hn.respond(profile, 0, "learned", seconds=1.5, on="processes", workers=3)
    assert timed.plays >= 100
    assert len(timed.tried) == 3
    wished = hn.respond(profile, 0, "learned", walks=10**9, stop=lambda: 1, on="processes", workers=3)
    assert wished.interrupted
    assert wished.plays >= 100
    found = hn.rollouts(profile, plays=10**8, stop=lambda: 1, on="ray", workers=2)
    assert found == hn.rollouts(profile, plays=found.plays)


def test_what_is_not_played_is_not_split() -> None:
    profile = hn.random_profile("kuhn_poker", seed=1)
    with pytest.raises(hn.errors.UnsuitableError, match="cannot be split: leave `on` out"):
        hn.evaluate(profile, on="processes", workers=3)
    with pytest.raises(hn.errors.UnsuitableError, match="cannot be split: leave `on` out"):
        hn.respond(profile, 0, "exact", on="processes", workers=3)
    with pytest.raises(hn.errors.ParameterError, match="the strategy cannot be sent to another process"):
        hn.rollouts(hn.Ruled("kuhn_poker", lambda sight: sight.actions[0]), on="processes", workers=3)


@pytest.mark.parametrize(("on", "workers"), KINDS[1:])
def test_flops_do_not_depend_on_workers(tmp_path: Path, on: str, workers: int) -> None:
    here = flops.solve_flops(SPOT, TWO, folder=tmp_path / "here", strategies=True)
    lines: list[str] = []
    options: dict[str, Any] = {"folder": tmp_path / "there", "strategies": True, "on": on, "workers": workers}
    there = flops.solve_flops(SPOT, TWO, tell=lines.append, **options)
    assert without_times(there.record()) == without_times(here.record())
    assert sorted(line.split()[1] for line in lines) == sorted(f"{flop}:" for flop in TWO.split(","))
    for flop in TWO.split(","):
        saved = [hn.read(tmp_path / name / f"{flop}.strategy") for name in ("here", "there")]
        assert saved[0].digest == saved[1].digest
    (tmp_path / "there" / "JcTdTh.json").unlink()
    again = flops.solve_flops(SPOT, TWO, folder=tmp_path / "there", strategies=True)  # finished in this process
    assert without_times(again.record()) == without_times(here.record())


@pytest.mark.parametrize(("on", "workers"), [("serial", 1), ("processes", 1)])
def test_flops_that_are_interrupted_return_what_is_done(tmp_path: Path, on: str, workers: int) -> None:
    def press(line: str) -> None:
        signal.raise_signal(signal.SIGINT)

    found = flops.solve_flops(SPOT, TWO, folder=tmp_path, tell=press, on=on, workers=workers)
    assert len(found.flops) == found.missing == 1
    assert len(list(tmp_path.glob("*.json"))) == 1
