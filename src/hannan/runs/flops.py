"""Many flops of one spot: each is solved to a gap, and a table tells them apart.

A folder keeps one file per solved flop. A run in a folder with such files solves only the missing flops.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from hannan.arguments import number, shown
from hannan.errors import FileError, ParameterError, PieceError
from hannan.files import read_bytes, write_text
from hannan.forms.loader import load
from hannan.forms.workers import open_workers
from hannan.games.holdem.flops import chosen_flops
from hannan.games.holdem.rules import HoldemRules
from hannan.games.holdem.spot import Spot, changed
from hannan.games.holdem.spot_files import read_spot, spot_text, write_spot
from hannan.interrupts import Halted, go_on, interrupts, patience
from hannan.measures.piecework import own_error
from hannan.measures.poker.report import report
from hannan.pieces.options import spread
from hannan.pieces.run import run_pieces
from hannan.pieces.serial import SerialWorkers
from hannan.runs.solve import solve
from hannan.strategies.public import PublicStrategy

PERCENT = 0.5
"""The exploitability at which a flop is solved, in percent of the pot."""
TABLE = "flops.csv"
ANY_BOARD = "AcKdQc"
"""The board of a file without a board, until a flop replaces it."""
COLUMNS = (
    "flop", "weight", "equity oop", "equity ip", "ev oop", "ev ip", "eqr oop", "eqr ip", "exploitability percent",
    "iterations", "seconds",
)  # fmt: skip


@dataclass(frozen=True)
class SolvedFlop:
    """One flop: totals at its first node."""

    flop: str
    weight: int
    """The number of flops that it stands for."""
    equity: tuple[float, float]
    ev: tuple[float, float]
    eqr: tuple[float, float]
    exploitability_percent: float
    """In percent of the pot."""
    iterations: int
    seconds: float
    actions: tuple[str, ...]
    frequencies: tuple[float, ...]
    """The frequency of each action of OOP."""


@dataclass(frozen=True)
class FlopReport:
    """Flops of a spot, and means over them by weight."""

    spot: str
    """The spot as TOML; its board is not used."""
    percent: float
    flops: tuple[SolvedFlop, ...]
    missing: int
    """Flops that were asked for and not solved, because the run was interrupted."""
    equity: tuple[float, float] | None
    ev: tuple[float, float] | None
    frequencies: Mapping[str, float]
    """The frequency of each action of OOP, over all flops."""

    def record(self) -> dict[str, Any]:
        """Return the table as one object that JSON can hold."""
        return asdict(self)

    def csv(self) -> str:
        """Return the table with one line per flop; an action that a flop lacks is empty."""
        actions = list(self.frequencies)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*COLUMNS, *actions])
        for one in self.flops:
            played = dict(zip(one.actions, one.frequencies, strict=True))
            numbers = [*one.equity, *one.ev, *one.eqr, one.exploitability_percent, one.iterations, one.seconds]
            writer.writerow([one.flop, one.weight, *numbers, *(played.get(action) for action in actions)])
        return text.getvalue()


def solve_flops(
    spot: Spot | str | PathLike[str],
    flops: str,
    *,
    percent: float = PERCENT,
    method: str = "auto",
    seed: int = 0,
    folder: str | PathLike[str] | None = None,
    strategies: bool = False,
    tell: Callable[[str], None] | None = None,
    on: str = "serial",
    workers: int | None = None,
) -> FlopReport:
    """Solve a spot on many flops, and return what each is worth.

    Ctrl-C ends the run with the flops that are done.

    Parameters
    ----------
    spot
        A spot, or a TOML file with one. Its board is replaced by each flop.
    flops
        Flops such as 'Td9d6h,AsKd2c', a file with one flop per line, 'all' (one per class of flops that differ only in
        suits: 1,755), or a number: that many flops at random.
    percent
        The exploitability at which a flop counts as solved, in percent of the pot.
    method
        The method of `solve`.
    seed
        The seed with which flops are drawn.
    folder
        Keep a file per flop here, and `flops.csv`. Flops whose file is there already are not solved again.
    strategies
        Save the strategy of each flop in the folder, too, and its spot: `holdem(file='FOLDER/Td9d6h.toml')`.
    tell
        Called with a line after each flop.
    on
        Where flops are solved: serial (this process), processes (of this machine), ray (a cluster) or ray://HOST:PORT.
        It changes no number but the seconds.
    workers
        How many flops are solved at the same time. Default: one per core of the machine or cluster.
    """
    given = spot if isinstance(spot, Spot) else _spot(spot)
    share = number("percent", percent)
    if not 0 < share <= 100:
        raise ParameterError(f"percent={shown(percent)} should be above 0 and at most 100")
    if strategies and folder is None:
        raise ParameterError("strategies are saved in a folder; give folder")
    wanted = chosen_flops(flops, given, seed)
    chosen = spread(on, workers)
    place = None if folder is None else _folder(folder)
    keys = {flop: _key(changed(given, board=flop), share, method) for flop in wanted}
    found: dict[str, SolvedFlop] = {}

    def note(done: SolvedFlop, again: bool) -> None:
        found[done.flop] = done
        if tell is not None:
            tell(_line(done, len(found), len(wanted), again))

    def collected() -> FlopReport:
        return _collected(given, share, [found[flop] for flop in wanted if flop in found], len(wanted))

    for flop, weight in wanted.items():
        if (done := _read(place, flop, keys[flop], weight, strategies)) is not None:
            note(done, True)
    left = [(flop, weight) for flop, weight in wanted.items() if flop not in found]
    try:
        with interrupts(1) as pressed, patience(lambda: pressed() > 0), ExitStack() as stack:
            crew = stack.enter_context(open_workers(chosen)) if left else SerialWorkers()
            task = _Task(given, share, method, strategies)
            for _, solved in run_pieces(_Task.solved, left, crew, shared=task, ordered=False):
                if solved is None:
                    break
                if place is not None:
                    _keep(place, given, solved, keys[solved.flop.flop])
                note(solved.flop, False)
                if place is not None:
                    write_text(place / TABLE, collected().csv())
                go_on()
    except Halted:
        pass  # the solved flops are in `found`
    except PieceError as error:
        raise own_error(error) from None
    except KeyboardInterrupt:
        if not found:
            raise
    result = collected()
    if place is not None:
        write_text(place / TABLE, result.csv())
    return result


def _spot(file: Any) -> Spot:
    """Read a spot from a file that may have no board."""
    if not isinstance(file, str | PathLike):
        raise ParameterError(f"spot={shown(file)} should be a Spot or the name of a TOML file")
    path = str(fspath(file))
    boarded = any(line.strip().startswith(b"board") for line in read_bytes(path).splitlines())
    return read_spot(path) if boarded else read_spot(path, board=ANY_BOARD)


def _folder(folder: str | PathLike[str]) -> Path:
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{place}: the folder cannot be made: {error.strerror or error}") from None
    return place


def _key(spot: Spot, percent: float, method: str) -> str:
    """Return a digest of all inputs that a result depends on."""
    return hashlib.sha256(f"{spot_text(spot)}\n{percent!r}\n{method}".encode()).hexdigest()[:16]


def _read(place: Path | None, flop: str, key: str, weight: int, strategies: bool) -> SolvedFlop | None:
    """Return a flop that an earlier run has solved; None without a file, or if the file has another spot or gap."""
    if place is None or not (place / f"{flop}.json").exists():
        return None
    if strategies and not (place / f"{flop}.strategy").exists():
        return None
    try:
        saved = json.loads(read_bytes(place / f"{flop}.json"))
        if saved.pop("key") != key:
            return None
        lists = {name: tuple(value) for name, value in saved.items() if isinstance(value, list)}
        return SolvedFlop(**(saved | lists | {"weight": weight}))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise FileError(
            f"{place / flop}.json is not a file of a solved flop; delete it, or choose another folder"
        ) from None


class _Solved(NamedTuple):
    """A solved flop, as a worker returns it."""

    flop: SolvedFlop
    probability: Any
    """The probabilities of the strategy; None if it is not kept."""
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class _Task:
    """The work on one flop, as a piece for a worker."""

    spot: Spot
    percent: float
    method: str
    strategies: bool

    def solved(self, piece: tuple[str, int]) -> _Solved | None:
        """Solve one flop; return None if the run was interrupted before the gap was reached."""
        flop, weight = piece
        result = solve(
            load(HoldemRules(changed(self.spot, board=flop))), self.method, gap=2 * self.percent / 100 * self.spot.pot
        )
        if result.stop == "interrupted":
            return None
        strategy: Any = result.strategy  # on the public tree
        node = report(strategy)
        first, second = (one.total for one in node.players)
        row = SolvedFlop(
            flop=flop,
            weight=weight,
            equity=(first.equity or 0.0, second.equity or 0.0),
            ev=(first.ev or 0.0, second.ev or 0.0),
            eqr=(first.eqr or 0.0, second.eqr or 0.0),
            exploitability_percent=100 * float(result.exploitability) / self.spot.pot,
            iterations=result.iterations,
            seconds=round(result.seconds, 3),
            actions=node.actions,
            frequencies=first.frequencies or (),
        )
        return _Solved(row, strategy.probability if self.strategies else None, dict(strategy.facts))


def _keep(place: Path, spot: Spot, solved: _Solved, key: str) -> None:
    """Write the files of a flop. The file with its numbers comes last, and marks the flop as solved."""
    flop = solved.flop.flop
    if solved.probability is not None:
        write_spot(changed(spot, board=flop), place / f"{flop}.toml")
        game: Any = load(f"holdem(file={str(place / flop) + '.toml'!r})")
        PublicStrategy(game, solved.probability, solved.facts).save(place / f"{flop}.strategy")
    write_text(place / f"{flop}.json", json.dumps({"key": key, **asdict(solved.flop)}) + "\n")


def _collected(spot: Spot, percent: float, found: list[SolvedFlop], wanted: int) -> FlopReport:
    """Return the table of flops with its means."""
    weights = sum(one.weight for one in found)
    names = {action: None for one in found for action in one.actions}

    def mean(value: Callable[[SolvedFlop], float]) -> float:
        return sum(one.weight * value(one) for one in found) / weights

    played = [dict(zip(one.actions, one.frequencies, strict=True)) for one in found]
    return FlopReport(
        spot=spot_text(spot),
        percent=percent,
        flops=tuple(found),
        missing=wanted - len(found),
        equity=(mean(lambda one: one.equity[0]), mean(lambda one: one.equity[1])) if found else None,
        ev=(mean(lambda one: one.ev[0]), mean(lambda one: one.ev[1])) if found else None,
        frequencies={
            name: sum(one.weight * shares.get(name, 0.0) for one, shares in zip(found, played, strict=True)) / weights
            for name in names
        },
    )


def _line(done: SolvedFlop, number: int, wanted: int, again: bool) -> str:
    how = "was solved before" if again else f"{done.iterations} iterations in {done.seconds:.2f} s"
    return (
        f"{number}/{wanted} {done.flop}: EV {done.ev[0]:.2f} and {done.ev[1]:.2f}, exploitability "
        f"{done.exploitability_percent:.2f} % of the pot, {how}"
    )
