"""A certification as work that a run drives: a step is a playthrough, and every solve is a measurement."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from os import PathLike
from typing import Any

from hannan.arguments import number, whole
from hannan.arrays import Floats
from hannan.certificates.algorithm61 import Resolving
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.certificate import Certificate
from hannan.certificates.certificate import Stop as Ended
from hannan.certificates.certification import Bound, Certification
from hannan.certificates.choice import AUTO, GENERAL, JUDGED, judged
from hannan.certificates.correlated import Correlating
from hannan.certificates.files import CONTINUED, restore, save_checkpoint
from hannan.certificates.journal import Journal, journal_of, playthroughs
from hannan.certificates.minimizers import OutcomeSampling
from hannan.certificates.playthrough import Playthrough
from hannan.certificates.radii import confidence_of
from hannan.certificates.seeds import seed_of
from hannan.certificates.strategies import check_observations, strategy_of
from hannan.errors import BoxError, DeviceError, FileError, HannanError, PieceError, UnsuitableError
from hannan.files import understanding
from hannan.forms.boxes import Boxed
from hannan.forms.game import ExpandedGame
from hannan.interrupts import Halted
from hannan.measures.evaluation import evaluation_of
from hannan.runs.log import COUNTS
from hannan.runs.past import measured, past_in
from hannan.runs.progress import Ending, Limits, Measurement, Schedule, Stop, Work
from hannan.runs.run import Past, PathTo
from hannan.strategies.correlated import CorrelatedPlay
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy


@dataclass(frozen=True)
class Solves(Schedule):
    """The playthroughs after which there is a solve, as the certification says."""

    certifying: Certifying | None = None

    def at(self, iteration: int) -> int:
        assert self.certifying is not None
        return self.certifying.work.next_due(max(iteration, 1))


class Certifying(Work[Certificate]):
    """Playthroughs of one box, their journal, and the bounds that were proven after each solve."""

    def __init__(
        self,
        told: Boxed,
        work: Certification,
        checkpoint: PathTo | None,
        check: bool,
        options: Mapping[str, Any],
        until: Limits,
        why: str = "",
        given: Policy | None = None,
    ) -> None:
        """`options` are the options that a checkpoint keeps; `why` is why a method was chosen before.

        given: the strategy to certify, if the caller has given one.
        """
        self.told, self.work, self._check, self._given = told, work, check, given
        self.options, self._until, self.why = dict(options), until, why
        if options["method"] == AUTO and not why and isinstance(work, Correlating):
            self.why = GENERAL
        self.bounds: list[Bound] = []
        self.failure = ""
        self._checkpoint = checkpoint
        self._journal = None if checkpoint is None else Journal(checkpoint)
        self._past: Mapping[str, Any] = {"seconds": 0.0, "curve": []}
        self._seconds = 0.0  # since this process began
        self._simulated = work.simulator_seconds
        self._undecided = False  # whether it is time to choose the algorithm

    def resume(self, path: PathTo) -> Past:
        """Continue from a checkpoint, and from the journal of the playthroughs after it."""
        facts = restore(self.work, path)
        past = past_in(path, facts)
        self._past = {"seconds": past.seconds, "curve": facts.get("curve", [])}
        with understanding(path, CONTINUED):
            check_observations(self.told.game, self.work.trunk)
            self.bounds = [_bound(bound) for bound in facts["bounds"]]
        with understanding(journal_of(path), "a journal that this hannan can continue"):
            for record in playthroughs(path, self.work.trunk, self.work.playthroughs):
                t = self.work.playthroughs + 1
                if record.seed != seed_of(self.work.seed, t):
                    raise FileError(f"{journal_of(path)}: playthrough {t} does not have the seed that the run gives it")
                try:
                    self.work.add(record)
                except (BoxError, UnsuitableError) as error:  # the journal, not the box, broke the promise
                    raise FileError(f"{journal_of(path)}: playthrough {t} cannot be counted: {error}") from error
                if self.work.settle():
                    self.bounds.append(self.work.bound())
        self._simulated = self.work.simulator_seconds
        return past

    @property
    def steps(self) -> int:
        """The number of playthroughs that are counted."""
        return self.work.playthroughs

    @property
    def status(self) -> str:
        """The line that a terminal shows: playthroughs, gap, trunk, and the simulator's share of the time."""
        gap = f"{self.bounds[-1].gap:.4g}" if self.bounds else "—"
        share = (self.work.simulator_seconds - self._simulated) / max(self._seconds, 1e-9)
        trunk = f"{self.work.trunk.nodes.used:,}"
        inside = "" if math.isnan(share) else f"   simulator {share:.0%}"
        return f"playthrough {self.steps:,}   gap {gap}   trunk {trunk}{inside}"

    @property
    def blocked(self) -> Stop | None:
        """Whether the box has broken a promise."""
        return "failed" if self.failure else None

    def prepare(self) -> None:
        """Compile, and write the first checkpoint, from which the journal continues."""
        if self.work.playthroughs == 0:
            self.work.rehearse()
        if self._checkpoint is not None:
            assert self._journal is not None
            self._journal.open()  # refuse before an old checkpoint is overwritten
            self.save(self._checkpoint, self._past)

    def close(self) -> None:
        """Close the journal."""
        if self._journal is not None:
            self._journal.close()

    def advance(self, steps: int, seconds: float | None) -> None:
        """Run `steps` playthroughs. If the box breaks a promise, the state stays as before the playthrough."""
        work, begun = self.work, time.perf_counter()
        journal = self._journal

        def note(record: Playthrough, depth: int) -> None:
            if journal is not None:
                journal.add(work.playthroughs, record, depth)

        try:
            work.advance(steps, lambda: self._undecided, note, self._settled)
        except (BoxError, PieceError, DeviceError) as error:
            self.failure = str(error)
        except Halted:  # in the middle of a play: the state is as before it
            pass
        self._seconds += time.perf_counter() - begun

    def _settled(self) -> None:
        """Keep the proven bound. After a few solves, the playthroughs wait for `decide`."""
        self.bounds.append(self.work.bound())
        self._undecided = len(self.bounds) == JUDGED and self.options["method"] == AUTO

    def decide(self) -> None:
        """Change to Algorithm 7.2 if it would do better than repeated solving (Table 1)."""
        work, due = self.work, self._undecided
        self._undecided = False
        if not due or not isinstance(work, Resolving) or work.fixed is not None:
            return
        if work.box.similar:
            self.why = "similar chance nodes are told, which only Algorithm 6.1 uses"
            return
        limited, self.why = judged(work, self.bounds[-2].trunk, self._until.iterations, self._until.seconds)
        if limited:
            self.options["switched"] = work.playthroughs
            self.work = Regretting.after(work, OutcomeSampling.name, self.options["solve_every"])
            if work.spread is not None and self.work.spread is None:
                self.why += "; this process plays alone from here on, because batch is 1"

    def measure(self) -> Measurement:
        """Return the gap that is proven now."""
        return Measurement(self.work.bound().gap, None)

    def heading(self) -> Mapping[str, Any]:
        """Return the first line of a log."""
        about = {name: value for name, value in self.options.items() if name not in ("game", "method")}
        method = f"certify({self.options['method']})"
        return {"game": self.told.game.address, "method": method, "parameters": about, COUNTS: "playthroughs"}

    def save(self, path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
        """Write the checkpoint, then begin the journal anew: a crash between the two loses nothing."""
        curve = [[*point[:3]] for point in facts["curve"]]
        bounds = [astuple(bound) for bound in self.bounds]
        options = {**self.options, "resolved": self.work.method, "why": self.why}
        own = {"seconds": facts["seconds"], "curve": curve, "bounds": bounds, "options": options}
        save_checkpoint(self.work, path, own)
        assert self._journal is not None
        self._journal.begin()

    def result(self, ending: Ending) -> Certificate:
        """Solve once more if a solve is due, and return the certificate."""
        work, told = self.work, self.told
        work.finish()
        bound = work.bound()
        level = confidence_of(work.confidence.radius, work.confidence.level, work.playthroughs)
        facts = {"method": work.method, "gap": bound.gap, "confidence": level, "playthroughs": work.playthroughs}
        facts["seed"] = work.seed
        joint: tuple[Strategy, ...] = ()
        if isinstance(work, Correlating):
            joint = tuple(self._strategy(profile, facts) for profile in work.chosen)
        alone = joint[0] if len(joint) == 1 else None if joint else self._strategy(work.kept, facts)
        strategy = CorrelatedPlay(joint) if alone is None else alone
        regretting = work if isinstance(work, Regretting) and work.fixed is None else None
        correlated = bound.gaps is not None
        guarantees = None if correlated else (bound.lower, -bound.upper)[: work.trunk.players]
        return Certificate(
            game=told.game.address,
            method=work.method,
            radius=work.confidence.radius,
            confidence=level,
            bounds=told.bounds,
            groups=told.groups,
            children=told.children,
            similar=told.similar,
            playthroughs=work.playthroughs,
            seconds=ending.seconds,
            simulator_seconds=None if math.isnan(work.simulator_seconds) else work.simulator_seconds,
            solve_seconds=work.solve_seconds,
            stop=_ended(ending.stop),
            gap=bound.gap,
            guarantees=guarantees,
            value_bounds=None if correlated else (bound.lower, bound.upper),
            joint=joint,
            gaps=bound.gaps,
            why=self.why,
            uncertainty=None if regretting is None else regretting.uncertainty,
            uncertainty_bound=None if regretting is None else regretting.uncertainty_bound,
            rounds_gap=bound.rounds,
            failures=len(work.failed),
            restarts=work.restarts,
            trouble=work.trouble,
            told={"hidden": told.hidden, "options": _rerun(self.options)},
            expanded=bound.expanded,
            trunk=bound.trunk,
            seed=work.seed,
            seeded=told.box.seeded,
            strategy=strategy,
            true_gap=_true_gap(joint or (strategy,), bound.gaps is not None) if self._check else None,
            failure=self.failure,
            curve=tuple(self.bounds),
            work=work,
        )

    def _strategy(self, strategies: Sequence[Floats], facts: Mapping[str, Any]) -> Strategy:
        """Return strategies of the trunk as one for the game, uniform outside the trunk; or the given one."""
        game = self.told.game
        if self._given is None:
            return strategy_of(game, self.work.trunk, strategies, facts)
        given = replace(self._given, facts=dict(facts))
        return given.profile() if isinstance(game, ExpandedGame) else given


def _rerun(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options by which a certification can be run again, without the game, which the file has elsewhere."""
    return {name: value for name, value in options.items() if name != "game"}


def _bound(told: Any) -> Bound:
    """Return a bound that a checkpoint holds."""
    told = (*told, *(None, None, ())[max(len(told) - 5, 0) :])  # version 0.1 writes five of them, or six
    playthroughs, lower, upper, trunk, expanded, gaps, rounds, of = told
    return Bound(
        whole("playthroughs", playthroughs, 0, 2**53), _bounding("lower", lower), _bounding("upper", upper),
        whole("trunk", trunk, 0), whole("expanded", expanded, 0),
        None if gaps is None else tuple(number("gaps", gap) for gap in gaps),
        None if rounds is None else number("rounds", rounds), tuple(whole("of", player, 0, 1) for player in of),
    )  # fmt: skip


def _ended(stop: Stop) -> Ended:
    """Return why a certification ended: its steps are playthroughs."""
    names: dict[str, Ended] = {
        "iterations": "playthroughs", "gap": "gap", "seconds": "seconds", "interrupted": "interrupted",
        "failed": "failed",
    }  # fmt: skip
    return names[stop]


def _true_gap(strategies: Sequence[Strategy], correlated: bool) -> float | None:
    """Return the NashConv of a strategy whose game can be expanded, of correlated play the CCE gap; else None."""
    try:
        play = CorrelatedPlay([each.profile() for each in strategies])
    except HannanError:
        return None
    measured = evaluation_of(play.game.expanded(), play)
    return float(max(measured.gains) if correlated else measured.nash_conv)


def _bounding(name: str, value: Any) -> float:
    """Return one side of a bound in a checkpoint; NaN for correlated play, which has no sides."""
    side = measured(name, value)
    return math.nan if side is None else float(side)
