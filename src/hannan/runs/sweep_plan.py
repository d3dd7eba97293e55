"""The plan of a sweep: a TOML file, or a dictionary of the same form, becomes a checked list of runs.

A run is a game, a method with its parameters, and a seed. Its key is a digest of all that its numbers depend on.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from hannan import addresses, arguments
from hannan.arguments import shown
from hannan.errors import FileError, HannanError, ParameterError, TrustError, UnknownNameError, UnsuitableError, nearest
from hannan.files import is_file, read_bytes
from hannan.forms.game import BoxedGame, ExpandedGame, Game
from hannan.forms.loader import load
from hannan.forms.trust import Trust, agree, is_nameless, named_game, names_files
from hannan.runs.progress import limits
from hannan.runs.solve import AUTO, fitting, make_solver, split_method
from hannan.solvers import method_class
from hannan.solvers.base import Solver

MOST_BYTES = 1_000_000
"""The longest file that is read."""

MOST_RUNS = 1_000_000
"""The most runs of one sweep."""

GAMES, METHODS, SEEDS, LIMITS, NAME = "games", "methods", "seeds", "limits", "name"
KEYS = (GAMES, METHODS, SEEDS, LIMITS)
BOUNDS = ("gap", "iterations", "seconds", "measure_every")
"""The keys of a table of limits."""


@dataclass(frozen=True)
class SweptGame:
    """A game of a sweep."""

    game: Game
    parameters: Mapping[str, Any]
    """The parameters in a table of the file; empty if the game is an address, which contains its parameters."""
    source: str
    """A digest of the file that the address names; empty if it names none."""


@dataclass(frozen=True)
class SweptMethod:
    """A method of a sweep, with one value for each parameter."""

    label: str
    """Its name, or the address of its class, with the parameters that the file gives."""
    method: str | type[Solver]
    given: Mapping[str, Any]
    parameters: Mapping[str, Any]
    """All its parameters, defaults included."""
    limits: Mapping[str, Any]
    drawn: bool
    """Whether it draws random numbers: a method that does not runs once, not once per seed."""
    source: str
    """A digest of the file that its address names; empty if it names none."""


@dataclass(frozen=True)
class PlannedRun:
    """One run of a sweep: places in its lists of games and methods, and a seed (None: nothing is drawn)."""

    game: int
    method: int
    seed: int | None
    key: str
    """A digest of all that its numbers depend on."""


@dataclass(frozen=True)
class Plan:
    """All runs of a sweep."""

    name: str
    """The file, or its name in sentences."""
    games: tuple[SweptGame, ...]
    methods: tuple[SweptMethod, ...]
    runs: tuple[PlannedRun, ...]


def read_plan(given: str | PathLike[str] | Mapping[str, Any], trust: Trust) -> Plan:
    """Return the plan of a TOML file, or of a dictionary of the same form.

    A dictionary comes from the caller, so that the code which it names needs no consent.
    """
    if isinstance(given, Mapping):
        return _plan("the sweep", given, None, trust)
    if not isinstance(given, str | PathLike):
        raise ParameterError(f"file={shown(given)} should be the name of a TOML file, or a dictionary")
    content = read_bytes(given)
    if len(content) > MOST_BYTES:
        raise FileError(f"{given}: longer than {MOST_BYTES:,} bytes, so it cannot be a sweep")
    try:
        document = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise FileError(f"{given}: byte {error.start + 1} is not UTF-8 text") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FileError(f"{given}: this is not TOML: {error}") from None
    return _plan(fspath(given), document, fspath(given), trust)


def _plan(name: str, document: Mapping[str, Any], file: str | None, trust: Trust) -> Plan:
    with _at(name):
        for key in document:
            if key not in KEYS:
                raise UnknownNameError(f"a sweep has no key {shown(key)}{nearest(str(key), KEYS)}")
        common = _limits(document.get(LIMITS, {}), LIMITS)
        games = tuple(_games(_entries(document, GAMES), file, trust))
        methods = tuple(_methods(_entries(document, METHODS), common, file, trust))
        seeds = _seeds(document.get(SEEDS, 1))
        _check_twice(GAMES, [one.game.address for one in games])
        _check_twice(METHODS, [_identity(one) for one in methods], [one.label for one in methods])
        runs = tuple(_runs(games, methods, seeds))
        _check_values(games, methods)
    return Plan(name, games, methods, runs)


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Begin the sentence of an error with its place in the file."""
    try:
        yield
    except TrustError:  # which names the file itself
        raise
    except HannanError as error:
        raise type(error)(f"{place}: {error}") from error.__cause__


def _entries(document: Mapping[str, Any], key: str) -> Sequence[Any]:
    """Return the entries of a required list."""
    if key not in document:
        raise ParameterError(f"there are no {key}: write {key} = [...]")
    entries = document[key]
    if not isinstance(entries, list | tuple):
        raise ParameterError(f"{key}={shown(entries)} should be a list")
    if not entries:
        raise ParameterError(f"{key} is empty: name one at least")
    return entries


def _combinations(entry: Mapping[str, Any], reserved: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the parameters of a table, with each combination of the values of its lists."""
    choices = {}
    for key, value in entry.items():
        if key in reserved:
            continue
        if isinstance(value, Mapping):
            raise ParameterError(f"{key} is a table; a parameter is a number, a word, or a list of its values")
        if value == []:
            raise ParameterError(f"{key} is an empty list: give one value at least")
        choices[str(key)] = list(value) if isinstance(value, list | tuple) else [value]
    for values in product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


def _named(entry: Mapping[str, Any], file: str | None) -> Any:
    """Return the name in a table. A dictionary of the caller (file: None) may hold a class or a game in its place."""
    name = entry.get(NAME)
    if not name or (file is not None and not isinstance(name, str)):
        raise ParameterError("the table has no name: write name = '...'")
    return name


def _games(entries: Sequence[Any], file: str | None, trust: Trust) -> Iterator[SweptGame]:
    for place, entry in enumerate(entries, 1):
        with _at(f"{GAMES}, entry {place}"):
            if not isinstance(entry, Mapping):
                yield _game(entry, {}, file, trust)
                continue
            name = _named(entry, file)
            for parameters in _combinations(entry, (NAME,)):
                if parameters and not isinstance(name, str):
                    raise ParameterError(f"{shown(name)} is a game, made already: leave {min(parameters)} out")
                if not parameters:
                    yield _game(name, {}, file, trust)
                    continue
                yield _game(addresses.write(name, parameters, {}), parameters, file, trust)


def _game(entry: Any, parameters: Mapping[str, Any], file: str | None, trust: Trust) -> SweptGame:
    if file is not None and not isinstance(entry, str):
        raise ParameterError(f"{shown(entry)} is not a game: write its address as text, or a table with its name")
    own = file is None or (is_nameless(entry) and not names_files(entry))  # an unknown name raises its own sentence
    game = load(entry if own else named_game(str(file), entry, trust))
    if isinstance(game, BoxedGame):
        raise UnsuitableError(f"{game.address} is a black box, which no method of a sweep solves: use hannan certify")
    return SweptGame(game, parameters, _source(entry))


def _methods(
    entries: Sequence[Any], common: Mapping[str, Any], file: str | None, trust: Trust
) -> Iterator[SweptMethod]:
    for place, entry in enumerate(entries, 1):
        with _at(f"{METHODS}, entry {place}"):
            if not isinstance(entry, Mapping):
                yield _method(entry, {}, common, file, trust)
                continue
            name = _named(entry, file)
            own = _limits(entry.get(LIMITS, {}), f"{LIMITS} of {name}")
            for parameters in _combinations(entry, (NAME, LIMITS)):
                yield _method(name, parameters, {**common, **own}, file, trust)


def _method(
    entry: Any, more: Mapping[str, Any], bounds: Mapping[str, Any], file: str | None, trust: Trust
) -> SweptMethod:
    if isinstance(entry, Solver):
        raise ParameterError(f"{entry!r} was made already, for one game: give its class")
    if file is not None and not isinstance(entry, str):
        raise ParameterError(f"{shown(entry)} is not a method: write its name as text, or a table with its name")
    if file is not None and addresses.parse_place(entry) is not None:
        agree(file, "method", entry.partition("(")[0], trust)
    method, inside = split_method(entry)
    if twice := sorted(inside.keys() & more.keys()):
        raise ParameterError(f"{twice[0]} is given twice: in {entry} and next to it")
    given = {**inside, **more}
    name = method if isinstance(method, str) else method.home() or method.method
    label = addresses.write(name, given, {})
    if method == AUTO:
        if given:
            raise ParameterError(f"{AUTO} chooses a method with its parameters: leave out {min(given)}")
        return SweptMethod(AUTO, AUTO, {}, {}, bounds, False, "")
    kind = method_class(method)
    known = kind.parameter_defaults()
    for parameter, value in given.items():
        if parameter == "seed":
            raise ParameterError(f"seed is not a parameter here: write {SEEDS} = [...] for all methods")
        if parameter not in known:
            raise UnknownNameError(f"{kind.method} has no parameter {shown(parameter)}{nearest(parameter, known)}")
        if file is not None and parameter in kind.unkept:
            raise ParameterError(f"a file does not say where to write: leave {parameter} out")
        if file is not None and kind.names_a_place(parameter, value):
            agree(file, parameter, value, trust)
    every = {key: fitting(known[key], given.get(key, known[key])) for key in known if key != "seed"}
    source = _source(entry) if isinstance(entry, str) else ""
    return SweptMethod(label, method, given, every, bounds, "seed" in known, source)


def _limits(given: Any, where: str) -> dict[str, Any]:
    """Return limits under which a run stops, checked."""
    if not isinstance(given, Mapping):
        raise ParameterError(f"{where}={shown(given)} should be a table: [{LIMITS}]")
    for key in given:
        if key not in BOUNDS:
            raise UnknownNameError(f"{where} has no key {shown(key)}{nearest(str(key), BOUNDS)}")
    with _at(where):
        limits(given.get("gap"), given.get("iterations"), given.get("seconds"))
        if (every := given.get("measure_every")) is not None:
            arguments.whole("measure_every", every)
    return dict(given)


def _seeds(given: Any) -> tuple[int, ...]:
    """Return the seeds of a list, or for a number N the seeds 0 to N - 1."""
    with _at(SEEDS):
        if not isinstance(given, list | tuple):
            return tuple(range(arguments.whole(SEEDS, given, most=MOST_RUNS)))
        if not given:
            raise ParameterError("the list is empty: give one seed at least, or a number of seeds")
        seeds = tuple(map(arguments.seed, given))
    _check_twice(SEEDS, list(map(str, seeds)))
    return seeds


def _check_twice(key: str, keys: Sequence[str], labels: Sequence[str] | None = None) -> None:
    """Refuse entries that are in a list twice: their runs would be the same."""
    first: dict[str, int] = {}
    for k, one in enumerate(keys):
        if one in first:
            here, there = (labels or keys)[k], (labels or keys)[first[one]]
            told = f"{here} stands there twice" if here == there else f"{here} and {there} are the same"
            raise ParameterError(f"{key}: {told}; leave one of them out")
        first[one] = k


def _identity(method: SweptMethod) -> str:
    """Return a key that is equal for two entries with the same method."""
    name = method.method if isinstance(method.method, str) else method.method.home() or method.method.method
    return _written({"method": name, "parameters": method.parameters})


def _runs(games: Sequence[SweptGame], methods: Sequence[SweptMethod], seeds: Sequence[int]) -> Iterator[PlannedRun]:
    count = len(games) * sum(len(seeds) if method.drawn else 1 for method in methods)
    if count > MOST_RUNS:
        raise ParameterError(f"these are {count:,} runs, more than {MOST_RUNS:,}: leave out games, methods or seeds")
    for g, game in enumerate(games):
        for m, method in enumerate(methods):
            for seed in seeds if method.drawn else (None,):
                facts = [game.game.address, game.source, _identity(method), method.source, method.limits, seed]
                key = hashlib.sha256(_written(facts).encode()).hexdigest()[:16]
                yield PlannedRun(g, m, seed, key)


def _written(facts: Any) -> str:
    return json.dumps(facts, sort_keys=True, default=str)


def _source(address: Any) -> str:
    """Return a digest of the file that an address names, so that an edited file makes other runs; empty without one."""
    if not isinstance(address, str):
        return ""
    parts = addresses.placed(address)
    path = Path(address if parts is None else parts[0])
    return hashlib.sha256(read_bytes(path)).hexdigest()[:16] if is_file(path) else ""


def _check_values(games: Sequence[SweptGame], methods: Sequence[SweptMethod]) -> None:
    """Refuse values that a method does not take, by making it for the first small game.

    A method that does not suit this game may suit another one, so the run itself refuses that.
    """
    small = next((one.game for one in games if isinstance(one.game, ExpandedGame)), None)
    for method in methods:
        if small is None or method.method == AUTO:
            continue
        with _at(f"{METHODS}, {method.label}"):
            try:
                make_solver(small, method.method, parameters=method.given)
            except UnsuitableError:
                continue
