"""The session: the open games and strategies, which are loaded one after another in the background."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from hannan.errors import HannanError, MismatchError
from hannan.web.events import Events
from hannan.web.folder import Folder
from hannan.web.opened import OpenGame, OpenStrategy
from hannan.web.refusals import ForbiddenError, LoadingError, NotFoundError, StateError

if TYPE_CHECKING:
    from hannan.measures.evaluation import Evaluation
    from hannan.strategies.strategy import Strategy

T = TypeVar("T")
MOST_GAMES, MOST_STRATEGIES = 32, 100
"""The most games and strategies that are open at one time."""
SECONDS = 5.0
"""Seconds for which the values of a strategy are estimated."""


class Session:
    """Everything that the interface shows. Any thread may use it; see `Workspace` for the runs and tables."""

    runs: Any
    """The runs and jobs: `hannan.web.runs.Runs`, which imports this module."""
    tables: Any
    """The tables at which a person plays: `hannan.web.tables.Tables`."""

    def __init__(self, folder: Folder, *, notebook: bool = False, memory: int | None = None) -> None:
        """memory: bytes that one run or job may take; None: a share of the memory that is free when it begins."""
        self.folder, self.notebook, self.memory = folder, notebook, memory
        self.events = Events()
        self.lock = threading.RLock()
        self.games: dict[str, OpenGame] = {}
        self.strategies: dict[str, OpenStrategy] = {}
        self._numbers = {"g": 0, "s": 0, "t": 0, "j": 0}
        self._loader = ThreadPoolExecutor(1, "hannan-load")
        self._measurer = ThreadPoolExecutor(1, "hannan-measure")

    def number(self, letter: str) -> str:
        """Return a new id."""
        with self.lock:
            self._numbers[letter] += 1
            return f"{letter}{self._numbers[letter]}"

    def close(self) -> None:
        """End the streams, the run or job at work, and loading. The run keeps its checkpoint."""
        self.events.close()
        self.runs.close()
        for pool in (self._loader, self._measurer):
            pool.shutdown(wait=False, cancel_futures=True)

    # games

    def game(self, id: str) -> OpenGame:
        """Return a game by its id."""
        found = self.games.get(id)
        if found is None:
            raise NotFoundError(f"game {id[:40]} does not exist")
        return found

    def open_built_in(self, address: str) -> tuple[OpenGame, bool]:
        """Open a built-in game by the address that a page names; return the game, and whether it is new.

        Another address is refused, unless a game with this address is open.
        """
        from hannan.forms.trust import names_files
        from hannan.games import catalogue

        name = address.partition("(")[0].strip()
        if name not in catalogue.MODULES or names_files(address):
            opened = next((one for one in self.games.values() if one.address == address), None)
            if opened is not None:
                return opened, False
            raise ForbiddenError(
                f"{address[:100]!r} is not a built-in game. Files, modules, programs and games of other libraries are "
                "opened from the command line: hannan explore ADDRESS"
            )
        plain_address = catalogue.canonical(address)
        with self.lock:
            for one in self.games.values():
                if one.address == plain_address:
                    return one, False
            return self.open_game(address, plain_address), True

    def open_game(self, given: Any, address: str, *, told: bool = False) -> OpenGame:
        """Open a trusted game (built in, or given on the command line or in Python), with its uniform strategy.

        told: if the game cannot be loaded, the error is also printed to standard error.
        """
        with self.lock:
            if len(self.games) >= MOST_GAMES:
                raise StateError(f"{MOST_GAMES} games are open already; close one first")
            opened = OpenGame(self.number("g"), given, address)
            self.games[opened.id] = opened
        self.events.tell("game", opened.record())
        self._loader.submit(self._load_game, opened, told)
        if not isinstance(given, str) or not given.startswith(("module:", "command:")):
            self._open_strategy(opened, "uniform", "uniform", lambda: _uniform(opened.loaded()))
        return opened

    def _load_game(self, opened: OpenGame, told: bool) -> None:
        from hannan.forms.loader import load

        def work() -> None:
            opened.game = load(opened.given)
            opened.address = opened.game.address
            opened.prepare()

        self._settle(opened, work, "game")
        if told and opened.error is not None:
            print(f"hannan: {opened.error}", file=sys.stderr, flush=True)

    def _settle(self, opened: OpenGame | OpenStrategy, work: Callable[[], None], event: str) -> None:
        """Do the work of opening, note its outcome, and send the pages an event."""
        try:
            work()
            opened.state = "ready"
        except BaseException as error:
            opened.state, opened.error = "failed", _sentence(error)
        self.events.tell(event, opened.record())

    def close_game(self, id: str) -> None:
        """Close a game with its strategies and tables."""
        opened = self.game(id)
        if any(run.under_way and run.game is opened for run in self.runs.all()):
            raise StateError(f"a run of {opened.address} is under way; stop it first")
        with self.lock:
            for strategy in [one for one in self.strategies.values() if one.game is opened]:
                self.close_strategy(strategy.id)
            self.tables.close_of(opened)
            self.games.pop(id, None)
        self.events.tell("gone", {"id": id})

    # strategies

    def strategy(self, id: str) -> OpenStrategy:
        """Return a strategy by its id."""
        found = self.strategies.get(id)
        if found is None:
            raise NotFoundError(f"strategy {id[:40]} does not exist")
        return found

    def uniform(self, game: OpenGame) -> OpenStrategy:
        """Return the uniform strategy of a game; open it if it was closed."""
        for one in self.strategies.values():
            if one.game is game and one.source == "uniform":
                return one
        return self._open_strategy(game, "uniform", "uniform", lambda: _uniform(game.loaded()))

    def open_file(self, file: str, game: OpenGame | None = None, *, run: str | None = None) -> OpenStrategy:
        """Open a strategy of the folder. A game that is not built in must be given."""
        path = self.folder.path(file)
        return self.open_path(path, file, game, run=run)

    def open_path(
        self, path: Path, file: str, game: OpenGame | None = None, *, run: str | None = None, name: str = ""
    ) -> OpenStrategy:
        """Open a strategy by its path, which is trusted."""
        from hannan.runs.strategies import read
        from hannan.web.folder import kind_in

        kind, address, _ = kind_in(path)
        if kind not in ("strategy", "checkpoint", "certificate"):
            raise MismatchError(f"{file} does not hold a strategy")
        if game is None:
            game = next((one for one in self.games.values() if address in (one.address, one.given)), None)
        if game is None:
            if address is None:
                raise ForbiddenError(f"{file} does not name its game; open the game first, and give it too")
            game, _ = self.open_built_in(address)
        opened = game
        source: Literal["run", "file"] = "file" if run is None else "run"
        made = self._open_strategy(opened, name or path.name, source, lambda: read(path, opened.loaded()))
        made.file, made.run = file, run
        return made

    def give(self, strategy: Strategy, game: OpenGame, name: str) -> OpenStrategy:
        """Open a strategy that was given in Python."""
        return self._open_strategy(game, name, "python", lambda: strategy)

    def _open_strategy(
        self,
        game: OpenGame,
        name: str,
        source: Literal["uniform", "file", "run", "python"],
        make: Callable[[], Strategy],
    ) -> OpenStrategy:
        with self.lock:
            if len(self.strategies) >= MOST_STRATEGIES:
                raise StateError(f"{MOST_STRATEGIES} strategies are open already; close one first")
            opened = OpenStrategy(self.number("s"), game, name, source)
            self.strategies[opened.id] = opened
        self.events.tell("strategy", opened.record())
        self._loader.submit(self._load_strategy, opened, make)
        return opened

    def _load_strategy(self, opened: OpenStrategy, make: Callable[[], Strategy]) -> None:
        def work() -> None:
            opened.strategy = _usual(make(), opened.game)
            opened.prepare()

        self._settle(opened, work, "strategy")

    def close_strategy(self, id: str) -> None:
        """Close a strategy."""
        opened = self.strategy(id)
        with self.lock:
            self.tables.close_of(opened)
            self.strategies.pop(id, None)
        self.events.tell("gone", {"id": id})

    def evaluation(self, opened: OpenStrategy) -> Evaluation:
        """Return the evaluation of a strategy; it is computed once, in the background."""
        strategy = opened.loaded()
        with opened.lock:
            if opened.evaluating is None:
                opened.evaluating = self._measurer.submit(_evaluated, strategy)
            future = opened.evaluating
        return waited(future, f"the numbers of {opened.name} are still being computed")

    def games_of(self, ids: Sequence[str]) -> list[OpenGame]:
        """Return several games."""
        return [self.game(id) for id in ids]


def waited(future: Future[T], sentence: str, seconds: float = 0.5) -> T:
    """Return the result of a future; raise `LoadingError` with the sentence if it takes longer than `seconds`."""
    try:
        return future.result(timeout=seconds)
    except TimeoutError:
        raise LoadingError(f"{sentence}; ask again in a moment") from None


def _evaluated(strategy: Strategy) -> Evaluation:
    from hannan.measures.appraisal import evaluate

    return evaluate(strategy) if _is_exact(strategy) else evaluate(strategy, response="none", seconds=SECONDS)


def _is_exact(strategy: Strategy) -> bool:
    from hannan.strategies.profile import Profile
    from hannan.strategies.public import PublicStrategy

    return isinstance(strategy, Profile | PublicStrategy)


def _uniform(game: Any) -> Strategy:
    from hannan.forms.game import PublicGame
    from hannan.strategies.given import uniform_play
    from hannan.strategies.public import PublicStrategy

    return PublicStrategy.uniform(game) if isinstance(game, PublicGame) else uniform_play(game)


def _usual(strategy: Strategy, game: OpenGame) -> Strategy:
    """Return a strategy in the form that views need: a profile if the game is expanded, without locks."""
    from hannan.forms.game import ExpandedGame
    from hannan.strategies.correlated import CorrelatedPlay
    from hannan.strategies.locks import unlocked
    from hannan.strategies.profile import Profile

    strategy = unlocked(strategy)
    alone = not isinstance(strategy, CorrelatedPlay) or len(strategy.members()) == 1
    if isinstance(game.loaded(), ExpandedGame) and alone and not isinstance(strategy, Profile):
        made: Strategy = strategy.profile()
        return made
    return strategy


def _sentence(error: BaseException) -> str:
    """Return an error as a sentence; print an unexpected error to standard error, too."""
    if isinstance(error, HannanError):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory to open it"
    print("".join(traceback.format_exception(error)), file=sys.stderr)
    return f"an unexpected error: {type(error).__name__}: {error}"
