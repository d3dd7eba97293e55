"""A search as the work of a run: its iterations, its gap if the game is expanded, its answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from hannan.addresses import parse_place
from hannan.arguments import shown
from hannan.errors import FileError, MismatchError, ParameterError
from hannan.files import read_arrays, understanding, write_arrays
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable
from hannan.forms.trust import Trust, agree
from hannan.measures.evaluation import Evaluation, evaluation_of
from hannan.runs.progress import Ending, Limits, Measurement, Plottable, Point, Stop, Work
from hannan.strategies.files import game_facts, game_for
from hannan.strategies.strategy import Strategy
from hannan.treesearch.backward import BackwardInduction
from hannan.treesearch.outcome import strategy_of
from hannan.treesearch.searcher import Named, Searcher
from hannan.treesearch.selection import rule_of
from hannan.treesearch.setsearcher import SET_RULES, SetSearcher

KIND = "search"
"""The kind of a search's checkpoint."""

FUNCTIONS = ("rollout", "evaluation")
"""Parameters that name code: in a checkpoint, they need consent."""

KEYS = (
    "game", "rule", "parameters", "from", "iterations", "seconds", "stop", "value", "move", "frequencies", "averages",
    "nodes", "bytes", "exact_value", "shortfalls", "nash_conv", "gains", "seed",
)  # fmt: skip


@dataclass(frozen=True)
class SearchResult(Plottable):
    """The answer of a search at its position. Gains are of the whole game, and None if they were not measured."""

    game: str
    rule: str
    parameters: Mapping[str, Any]
    path: str
    """The position: moves joined by colons."""
    iterations: int
    seconds: float
    stop: Stop
    value: float | None
    """An estimate: the mean of what walks returned to player 0, its exploration included."""
    move: tuple[str | None, str | None]
    """An action of each player, drawn from its strategy; None for a player who does not move."""
    frequencies: Named
    """How often each action was played at the position; empty for a search of information sets."""
    averages: Named
    """The average strategy at the position, with exploration; without it for a search of information sets."""
    nodes: int
    """Positions in the tree, or information sets in the tables."""
    bytes: int
    exact_value: float | None
    """The value of the position to player 0; None if the game is too large, or if nothing was to be measured."""
    shortfalls: tuple[float, ...] | None
    nash_conv: float | None
    gains: tuple[float, ...] | None
    seed: int
    strategy: Strategy
    curve: tuple[Point, ...]

    def record(self) -> dict[str, Any]:
        """Return the numbers as one object that JSON can hold."""
        return {key: getattr(self, "path" if key == "from" else key) for key in KEYS}

    def __repr__(self) -> str:
        known = "" if self.nash_conv is None else f", NashConv {self.nash_conv:.3g}"
        value = "unknown" if self.value is None else f"{self.value:.6g}"
        return (
            f"SearchResult({self.game} by {self.rule}: value {value}{known}, {self.nodes:,} nodes, "
            f"{self.iterations:,} iterations in {self.seconds:.3g} s, stopped by {self.stop})"
        )


class Searching(Work[SearchResult]):
    """A searcher at work."""

    def __init__(self, searcher: Searcher | SetSearcher, *, exploration: bool = True, measure: bool = True) -> None:
        """measure: whether to measure gains if the game is small enough; without it nothing is expanded."""
        self.searcher, self.exploration, self.measures = searcher, exploration, measure
        self._evaluation: Evaluation | None = None
        self._value: float | None = None

    @property
    def steps(self) -> int:
        return self.searcher.iterations

    @property
    def blocked(self) -> Stop | None:
        return "memory" if isinstance(self.searcher, SetSearcher) and self.searcher.full else None

    def _strategy(self) -> Strategy:
        """Return the strategies of both players at the positions that the search has visited."""
        if isinstance(self.searcher, SetSearcher):
            return self.searcher.whole(expand=self.measures)
        return strategy_of(self.searcher, exploration=self.exploration, expand=self.measures)

    @property
    def estimates(self) -> bool:
        return not self.measured

    @property
    def measured(self) -> bool:
        return self.measures and isinstance(self.searcher.game, ExpandedGame) and not self.searcher.position

    @property
    def status(self) -> str:
        searcher = self.searcher
        value = searcher.value
        plays = ["/".join(f"{share:.2f}" for share in part.values()) for part in searcher.strategy() if part]
        known = "" if self._evaluation is None else f"   NashConv {self._evaluation.nash_conv:.3e}"
        if self._evaluation is not None and self._evaluation.shortfalls is not None:
            known = "   shortfalls " + " ".join(f"{short:.3e}" for short in self._evaluation.shortfalls)
        short = "" if value is None else f"   value {value:.4g}"
        counts = f"{searcher.iterations:,} iterations   {searcher.nodes:,} nodes"
        now = f"   plays {'  '.join(plays)[:60]}" if plays else ""  # no player plays where chance moves first
        return f"{counts}{short}{known}{now}"

    def check(self, until: Limits) -> None:
        if until.iterations is None and until.seconds is None:
            raise ParameterError("the search has no limit: give iterations or seconds")

    def expand(self) -> None:
        """Expand the game if gains are measured. This takes longest, and is shown on the terminal."""
        if self.measured:
            game = self.searcher.game.expanded()
            _ = game.form, game.tree

    def prepare(self) -> None:
        self.searcher.prepare()

    def advance(self, steps: int, seconds: float | None) -> None:
        self.searcher.run(steps)

    def measure(self) -> Measurement | None:
        if not self.measured:
            return None
        if self._value is None:
            self._value = exact_value(self.searcher)
        self._evaluation = evaluation_of(self.searcher.game.expanded(), self._strategy(), self._value)
        return Measurement(self._evaluation.nash_conv, self._evaluation.nash_conv)

    def heading(self) -> Mapping[str, Any]:
        searcher = self.searcher
        return {
            "game": searcher.game.address,
            "method": f"search({searcher.rule})",
            "parameters": {**searcher.parameters, "from": searcher.path},
        }

    def save(self, path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
        searcher = self.searcher
        about: dict[str, Any] = {"rule": searcher.rule, "path": searcher.path, "method_parameters": searcher.parameters}
        about |= {"exploration": self.exploration, "measure": self.measures}
        write_arrays(path, KIND, searcher.state(), {**game_facts(searcher.game, hashed=False), **about, **facts})

    def result(self, ending: Ending) -> SearchResult:
        searcher, measured = self.searcher, self._evaluation
        value = self._value
        if value is None and self.measures and isinstance(searcher.game, ExpandedGame):
            value = exact_value(searcher)
        return SearchResult(
            game=searcher.game.address,
            rule=searcher.rule,
            parameters=searcher.parameters,
            path=searcher.path,
            iterations=searcher.iterations,
            seconds=ending.seconds,
            stop=ending.stop,
            value=searcher.value,
            move=searcher.move(),
            frequencies=searcher.strategy(averages=False, exploration=self.exploration),
            averages=searcher.strategy(averages=True, exploration=self.exploration),
            nodes=searcher.nodes,
            bytes=searcher.bytes,
            exact_value=value,
            shortfalls=None if measured is None else measured.shortfalls,
            nash_conv=None if measured is None else measured.nash_conv,
            gains=None if measured is None else measured.gains,
            seed=searcher.seed,
            strategy=self._strategy(),
            curve=ending.curve,
        )


def searcher_of(game: Loadable, rule: Any, **parameters: Any) -> Searcher | SetSearcher:
    """Begin a search of positions or of information sets, according to the rule."""
    if isinstance(rule, str) and rule in SET_RULES:
        return SetSearcher(game, rule, **parameters)
    return Searcher(game, rule, **parameters)


def exact_value(searcher: Searcher | SetSearcher) -> float | None:
    """Return the value of the position to player 0, by backward induction.

    None if positions have no hash, and in a search of information sets, in which positions have no values of their own.
    """
    if isinstance(searcher, SetSearcher):
        return None
    rules = searcher.game.rules
    try:
        hash(rules.position(rules.start()))
    except TypeError:
        return None
    solver = BackwardInduction(searcher.game, at=searcher.path)
    solver.run(1)
    value = solver.proof().value
    return None if value is None or math.isnan(value) else value


def resumed(
    path: str | PathLike[str], game: Loadable | None, changes: Mapping[str, Any], trust: Trust = False
) -> tuple[Searching, dict[str, Any]]:
    """Return the search of a checkpoint, and the facts about its run; refuse parameters that differ."""
    arrays, facts = read_arrays(path, KIND)
    with understanding(path, "a search that this hannan can continue"):
        kept, words = facts["method_parameters"], (facts["rule"], facts["path"])
        if not isinstance(kept, dict) or not all(isinstance(word, str) for word in words):
            raise FileError(f"{path} does not say what was searched, how and from where")
        functions = {name: changes[name] for name in FUNCTIONS if changes.get(name) is not None}
        for name in FUNCTIONS:
            if kept.get(name) is not None and name not in functions:
                agree(path, name, kept[name], trust)
        if "rule" not in changes and parse_place(facts["rule"]) is not None:
            agree(path, "rule", facts["rule"], trust)
        rule, described = facts["rule"], dict(changes)
        if "rule" in changes:
            rule = changes["rule"]
            described["rule"] = rule if isinstance(rule, str) and rule in SET_RULES else rule_of(rule)[0]
            if described["rule"] != facts["rule"]:
                known_rule, other = shown(facts["rule"]), shown(described["rule"])
                raise MismatchError(f"{path} was made with rule={known_rule}, not with rule={other}")
        searcher = searcher_of(game_for(path, facts, game), rule, at=facts["path"], **{**kept, **functions})
        known = {**searcher.parameters, **kept, "rule": facts["rule"], "at": facts["path"]}  # older files lack some
        for name, value in described.items():
            here = searcher.parameters.get(name, value)
            if (
                name not in known
                or (name in functions and here != kept[name])
                or (name not in functions and known[name] != value)
            ):
                raise MismatchError(
                    f"{path} was made with {name}={shown(known.get(name))}, not with {name}={shown(value)}"
                )
        searcher.restore(arrays)
        wanted = bool(facts.get("measure", True))  # older files lack it
        return Searching(searcher, exploration=bool(facts["exploration"]), measure=wanted), facts
