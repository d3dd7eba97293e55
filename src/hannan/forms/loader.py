"""Load a game from an address, a file, a class, a matrix or a rules object."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from hannan.addresses import parse, placed, write, written
from hannan.arguments import real, shown
from hannan.errors import (
    STRAY,
    FileError,
    HannanError,
    ParameterError,
    RulesError,
    UnknownNameError,
    UnsuitableError,
    nearest,
)
from hannan.files import check_file
from hannan.forms.expansion import LARGEST_TREE, is_small
from hannan.forms.foreign import foreign, is_foreign
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import BoxedGame, ExpandedGame, Game, PlayedGame, PublicGame
from hannan.games import catalogue
from hannan.games.catalogue import check_names
from hannan.rules.box import Box
from hannan.rules.plain import Rules
from hannan.rules.process import TIMEOUT, ProcessBox
from hannan.rules.promises import told
from hannan.rules.public import PublicRules

Loadable = str | Path | Rules | type[Rules] | Box | type[Box] | Game | Sequence[Any] | np.ndarray
"""What `load` takes; every public function that takes a game accepts the same."""


BOX, COMMAND = "module:", "command:"
"""The beginnings of addresses of black boxes: Python code, and a program in any language."""


def load(game: Loadable) -> Game:
    """Load a game from an address, a file, a rules object, a matrix or a game of another library.

    Parameters
    ----------
    game : str, Path, Rules, class, Box, Game, list or ndarray
        One of:

        - The address of a built-in game, with parameters if it takes any: `leduc_poker(ranks=13)`.
        - `path/to/file.py:name` or `module:name`: a `Rules` object, a class or a function of Python code, which is
          imported. A class or function takes parameters by keyword: `file.py:MyGame(top=4)`.
        - `module:place:name`, beginning with the word `module`: a black box, or a function or class that makes one.
        - `command:PROGRAM WORDS`: a simulator, started in a process of its own (docs/howto/simulators.md).
        - `file.efg` or `file.nfg`: a Gambit file.
        - `openspiel:name(…)`: an OpenSpiel game. `pettingzoo:name` or `gymnasium:name`: an environment.
        - A `Rules` or `Box` object, or its class, which is made without arguments.
        - A matrix of payoffs of the first of two players, for a zero-sum game; or a pair of matrices, one per player.
        - An object of another library: an OpenSpiel or pygambit game, a PettingZoo or Gymnasium environment (a black
          box; see `from_environment`), or a DataFrame of payoffs.

    Returns
    -------
    Game
        An `ExpandedGame` if the game is small enough to be expanded by default; a `PlayedGame` if it is larger; a
        `BoxedGame` for a black box.

    Raises
    ------
    UnknownNameError
        If the game, or one of its parameters, does not exist.
    ParameterError
        If a parameter has a wrong type or value.
    FileError
        If the file cannot be read.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.load("kuhn_poker")
    ExpandedGame(kuhn_poker, 2 players)
    >>> game = hn.load([[2, -1], [-1, 1]])
    >>> round(hn.solve(game).values[0], 6)
    0.2
    """
    if isinstance(game, Game):
        return game
    if isinstance(game, Rules):
        return _viewed(game)
    if isinstance(game, Box):
        return BoxedGame(game)
    if isinstance(game, type) and issubclass(game, Rules):
        return _viewed(_made(game, game.__name__))
    if isinstance(game, type) and issubclass(game, Box):
        return BoxedGame(_made(game, game.__name__))
    if isinstance(game, Path):
        game = str(game)
    if "pandas" in sys.modules:
        from hannan.forms.objects import frame_payoffs

        if (given := frame_payoffs(game)) is not None:
            return built_in("matrix_game", given)
    if isinstance(game, list | tuple | np.ndarray):
        return _matrix(game)
    if not isinstance(game, str):
        from hannan.forms.objects import game_of

        if (theirs := game_of(game)) is not None:
            return theirs
        raise ParameterError(
            f"{shown(game)} is {_kind(game)}, not a game: give an address such as 'leduc_poker(ranks=3)', "
            "'file.py:Rules', "
            "a hannan.Rules object or class, or a matrix of payoffs"
        )
    if (known := catalogue.listed(game)) is not None:
        return built_in(*known)
    if (other := foreign(game)) is not None:
        return other
    if game.startswith(BOX):
        return _imported_box(game)
    if game.startswith(COMMAND):
        return simulator(game)
    if (parts := placed(game)) is not None:
        return _viewed(*_own_rules(*parts))
    if game.endswith(".py"):
        raise FileError(f"{game}: say which rules in the file to use, as in {game}:MyGame")
    return built_in(*catalogue.parse(game))


def simulator(address: str, timeout: float = TIMEOUT) -> BoxedGame:
    """Return the simulator of a `command:` address, which may take `timeout` seconds for each answer."""
    return BoxedGame(ProcessBox(address.removeprefix(COMMAND), timeout=timeout), address)


def load_expanded(game: Loadable) -> ExpandedGame:
    """Return a game with its tree and sequence form; refuse one that does not fit into memory."""
    return load(game).expanded()


def built_in(name: str, parameters: dict[str, Any]) -> PlayedGame:
    """Return the built-in game `name`; a parameter that is left out has its default."""
    rules, entry = catalogue.make(name, parameters), catalogue.entry(name)
    if catalogue.is_short(rules.name):  # a matrix with too many payoffs to write into an address
        return _viewed(rules)
    parameters = {**entry.defaults, **parameters}
    if isinstance(rules, PublicRules):
        return PublicGame(rules, name, parameters, built_in=True)
    fact = entry.known.get(catalogue.address(name, parameters))
    small = fact is not None and fact.histories is not None and fact.histories <= LARGEST_TREE
    kind = ExpandedGame if small or is_small(rules) else PlayedGame
    return kind(rules, name, parameters, built_in=True)


def _matrix(payoffs: Sequence[Any] | np.ndarray) -> PlayedGame:
    """Return the game of a matrix of payoffs; few payoffs become lists, so that the address contains them."""
    from hannan.games.matrix import MOST_WRITTEN

    given: Any = payoffs
    with suppress(TypeError, ValueError, OverflowError):  # not a matrix of numbers: `matrix_game` reports it
        given = np.asarray(payoffs, np.float64)
    few = not isinstance(given, np.ndarray) or given.size <= MOST_WRITTEN
    return built_in("matrix_game", {"payoffs": np.asarray(payoffs, object).tolist() if few else given})


def _viewed(rules: Rules, parameters: dict[str, Any] | None = None) -> PlayedGame:
    if isinstance(rules, PublicRules):
        return PublicGame(rules, parameters=parameters)
    return (ExpandedGame if is_small(rules) else PlayedGame)(rules, parameters=parameters)


def _kind(thing: object) -> str:
    if thing is None:
        return "nothing"
    return f"the class {thing.__name__}" if isinstance(thing, type) else f"of type {type(thing).__name__}"


def rules_in(game: Loadable) -> tuple[Rules, str] | None:
    """Return the rules of a game and its address, before any rule is called; None for a black box."""
    if isinstance(game, Rules):
        return game, game.name or type(game).__name__
    if isinstance(game, type) and issubclass(game, Rules):
        return rules_in(_made(game, game.__name__))
    text = str(game) if isinstance(game, str | Path) else ""
    if text.startswith((BOX, COMMAND)):
        return None
    if catalogue.is_listed(text) or is_foreign(text) or (parts := placed(text)) is None:
        loaded = load(game)
        if isinstance(loaded, ForgetfulGame) and type(loaded) is not ForgetfulGame:
            raise loaded.refusal()  # a caller's map is not a part of the rules
        return (loaded.rules, loaded.address) if isinstance(loaded, PlayedGame | ForgetfulGame) else None
    rules, parameters = _own_rules(*parts)
    return rules, write(rules.name or type(rules).__name__, parameters, {})


def _own_rules(place: str, name: str, call: str) -> tuple[Rules, dict[str, Any]]:
    """Return rules from a file or module, and the parameters that differ from their defaults."""
    thing, parameters = _thing(place, name, call, (Rules, Box))
    address = f"{place}:{name}{call}"
    if isinstance(thing, Box):
        raise UnsuitableError(f"{address} is a black box: its address is module:{address}; give it to hannan certify")
    if not isinstance(thing, Rules):
        raise RulesError(f"{address} is {_kind(thing)}, not hannan.Rules")
    return thing, parameters


def _imported_box(address: str) -> BoxedGame:
    """Return the game of a black box in a file or module; the address becomes its name."""
    parts = placed(address.removeprefix(BOX))
    if parts is None:
        raise ParameterError(f"{address} is not the address of a black box: give module:place:factory")
    thing, parameters = _thing(*parts, (Box,))
    if not isinstance(thing, Box):
        raise RulesError(f"{address} is {_kind(thing)}, not a hannan.Box")
    place, name, _ = parts
    return BoxedGame(thing, write(f"{BOX}{place}:{name}", parameters, {}))


def _thing(place: str, name: str, call: str, kinds: tuple[type, ...]) -> tuple[Any, dict[str, Any]]:
    """Return the object `name` of a file or module; a class or function is called with the parameters first.

    Also return the parameters that differ from their defaults. `kinds`: the types of objects that are not called.
    """
    module = module_at(place)
    thing = _named(module, place, name)
    if thing is None or name.startswith("__"):
        raise UnknownNameError(f"{place} defines no {shown(name)}{nearest(name, _games_in(module))}")
    _, parameters = parse(f"{name}{call}")
    for parameter, given in parameters.items():
        if not _storable(given):
            raise ParameterError(f"{place}:{name}: the value of {parameter} is not a number, a word or a list")
    if isinstance(thing, kinds) or not callable(thing):
        if parameters:
            raise ParameterError(f"{place}:{name} is an object and takes no parameters: give a class or a function")
        return thing, {}
    defaults = _defaults(thing, parameters)
    check_names(f"{place}:{name}", defaults, parameters)
    changed = {
        key: parameters[key] for key in defaults if key in parameters and not _same(parameters[key], defaults[key])
    }
    return _made(thing, f"{place}:{name}", **parameters), changed


def _same(given: Any, default: Any) -> bool:
    """Return whether a value equals the default; a list equals a tuple of the same values."""
    return _storable(default) and written(given) == written(default)


def _storable(value: Any) -> bool:
    """Return whether a file can store the value of a parameter and read back the same value."""
    if isinstance(value, list | tuple):
        return all(map(_storable, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and all(map(_storable, value.values()))
    return value is None or isinstance(value, bool | int | str) or real(value) is not None


def _defaults(factory: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that a class or function takes by keyword, with their defaults.

    If it takes any keyword, or its signature cannot be read, the parameters are those that were `given`.
    """
    any_keyword = dict.fromkeys(given, inspect.Parameter.empty)
    try:
        known = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return any_keyword
    named = {p.name: p.default for p in known if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return {**any_keyword, **named} if any(p.kind is p.VAR_KEYWORD for p in known) else named


def _named(module: ModuleType, place: str, name: str) -> Any:
    """Return the object `name` of a module; None if it does not exist."""
    try:
        return getattr(module, name, None)
    except STRAY as error:
        raise FileError(f"{place}: looking up {shown(name)} raised {told(error)}") from error


def check_complete(kind: Any, address: str) -> None:
    """Refuse a class that lacks an abstract method of its base class."""
    if missing := sorted(getattr(kind, "__abstractmethods__", ())):
        raise UnsuitableError(f"{address} is not complete: it lacks {', '.join(f'{name}()' for name in missing)}")


def _made(factory: Any, address: str, **parameters: Any) -> Any:
    """Call a class or function that makes rules or a box."""
    check_complete(factory, address)
    try:
        return factory(**parameters)
    except HannanError:
        raise
    except STRAY as error:
        raise RulesError(f"{address}: making it raised {told(error)}") from error


def _games_in(module: ModuleType) -> list[str]:
    """List the names in a module that may be rules: objects, and its own classes and functions."""

    def own(thing: Any) -> bool:
        if isinstance(thing, Rules):
            return True
        if isinstance(thing, type):
            return issubclass(thing, Rules) and thing.__module__ == module.__name__
        return callable(thing) and getattr(thing, "__module__", None) == module.__name__

    return [name for name, thing in vars(module).items() if not name.startswith("_") and own(thing)]


@contextmanager
def _staying() -> Iterator[None]:
    """Return to the working folder afterwards: if imported code changed it, later files would land elsewhere."""
    try:
        before = os.getcwd()
    except OSError:  # the folder was removed
        before = ""
    try:
        yield
    finally:
        if before:
            with suppress(OSError):
                os.chdir(before)


_FOLDERS: dict[str, None] = {}
"""The folders of the user's imported files, in order."""


def user_folders() -> tuple[str, ...]:
    """Return the folders of the user's Python files and modules that this process has imported, in order."""
    return tuple(_FOLDERS)


def module_at(place: str) -> ModuleType:
    """Import a module by its name, or a Python file by its path.

    A file that has not changed is not run again: its classes stay the same, so that pickle finds them by name.
    """
    try:
        if not place.endswith(".py"):
            if str(Path.cwd()) not in sys.path:
                sys.path.insert(0, str(Path.cwd()))
            with _staying():
                module = importlib.import_module(place)
            if Path(module.__file__ or "").resolve().is_relative_to(Path.cwd()):  # not an installed one
                _FOLDERS[str(Path.cwd())] = None
            return module
        return _run_file(place)
    except HannanError:
        raise
    except STRAY as error:
        raise FileError(f"{place} could not be imported: {told(error)}") from error


class _Ran(NamedTuple):
    """A Python file that was run."""

    stamp: tuple[int, int]
    """The time of its last change and its size, when it was run."""
    module: ModuleType
    importable: bool
    """Whether its classes can be found by the name of the module, as pickle does."""


_RAN: dict[Path, _Ran] = {}
"""The files that were run."""


def _run_file(place: str) -> ModuleType:
    """Run a Python file, unless it has not changed since the last time: then its classes stay the same."""
    check_file(place)
    path = Path(place).resolve()
    facts, before = path.stat(), _RAN.get(path)
    stamp, name = (facts.st_mtime_ns, facts.st_size), path.stem
    known = before is not None and sys.modules.get(name) is before.module
    if before is not None and before.stamp == stamp and (known or not before.importable):
        return before.module
    spec = importlib.util.spec_from_file_location(name, place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    if known:  # it has changed
        del sys.modules[name]
    importable = sys.modules.setdefault(name, module) is module
    folder = str(path.parent)
    sys.path.insert(0, folder)  # its own imports look there first, as in a script
    try:
        with _staying():
            spec.loader.exec_module(module)
    except BaseException:
        if sys.modules.get(name) is module:  # it is incomplete
            del sys.modules[name]
        raise
    finally:
        with suppress(ValueError):
            sys.path.remove(folder)
    _RAN[path] = _Ran(stamp, module, importable)
    _FOLDERS[folder] = None
    return module
