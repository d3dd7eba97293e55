"""Certifying a game: from a black box to a strategy with a proof of how exploitable it is."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from typing import Any

from hannan.certificates.certificate import Certificate, Stop
from hannan.certificates.certification import Bound, Certification
from hannan.certificates.exploring import Explorer
from hannan.certificates.files import restore, save_checkpoint
from hannan.certificates.journal import Journal
from hannan.certificates.journal import playthroughs as journalled
from hannan.certificates.merging import Expansion
from hannan.certificates.playing import BoxError
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.radii import Radius, confidence_of
from hannan.certificates.solving import Method
from hannan.certificates.strategies import fixed, strategy_of
from hannan.errors import HannanError, ParameterError
from hannan.forms.boxing import Boxed, Given, boxed
from hannan.forms.loading import Loadable
from hannan.measures.evaluation import evaluate
from hannan.rules.rulesbox import Groups
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile

PathTo = str | PathLike[str]
DEFAULT_PLAYTHROUGHS = 10_000
"""Where a certification stops that was given no limit."""


@dataclass(frozen=True)
class Now:
    """A certification in the middle: what people watch."""

    playthroughs: int
    seconds: float
    gap: float
    trunk: int
    simulating: float
    """The share of the time that was spent in the simulator."""


def certify(
    game: Loadable,
    *,
    playthroughs: int | None = None,
    seconds: float | None = None,
    gap: float | None = None,
    method: str | Method = "auto",
    radius: Radius = "anytime",
    confidence: float | None = None,
    bounds: Given = "auto",
    groups: Groups = "none",
    children: bool = False,
    strategy: Profile | Policy | None = None,
    every: int = 100,
    expansion: Expansion = "path",
    explore: str | Explorer | None = None,
    seed: int = 0,
    check: bool = False,
    checkpoint: PathTo | None = None,
    save_every: float = 60.0,
    resume: PathTo | None = None,
    progress: Callable[[Now], None] | None = None,
) -> Certificate:
    """Play a black box and return a strategy with a proof of how exploitable it is (Algorithm 6.1).

    `game` is a `Box`, or any game whose rules are then withheld but for what `bounds`, `groups` and `children` tell.
    Stops at the first limit that is reached (10,000 playthroughs where there is none); the gap is compared after every
    solve, and there is one after `every` so many playthroughs. With the radius `anytime` everything ever stated is true
    together with probability `confidence` (0.999), stopping when one likes included; `paper` states 1 − 2/t² and takes
    no confidence. `strategy` is certified instead of finding one. `check` measures the true gap where the game can be
    expanded. `checkpoint` is written about every `save_every` seconds, with a journal of all playthroughs since, so
    that `resume` loses only the playthrough that was under way. A box that breaks a promise ends the run: the
    certificate of the moment before is returned, with the `failure`.
    """
    run = Run(
        boxed(game, bounds=bounds, groups=groups, children=children),
        _confidence(radius, confidence),
        _limits(playthroughs, seconds, gap),
        method=method,
        strategy=strategy,
        every=every,
        expansion=expansion,
        explore=explore,
        seed=seed,
    )
    if resume is not None:
        run.resume(resume)
    return run.finish(checkpoint or resume, save_every, progress, check)


@dataclass(frozen=True)
class Limits:
    """When a certification stops: at the first that is reached."""

    playthroughs: int | None
    seconds: float | None
    gap: float | None


def _limits(playthroughs: int | None, seconds: float | None, gap: float | None) -> Limits:
    for name, number in (("playthroughs", playthroughs), ("seconds", seconds), ("gap", gap)):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int | float) or not number >= 0):
            raise ParameterError(f"{name}={number!r} should be a number, 0 or more")
    if playthroughs is not None and not isinstance(playthroughs, int):
        raise ParameterError(f"playthroughs={playthroughs!r} should be a whole number")
    if playthroughs is None and seconds is None and gap is None:
        playthroughs = DEFAULT_PLAYTHROUGHS
    return Limits(playthroughs, seconds, gap)


def _confidence(radius: Radius, confidence: float | None) -> Confidence:
    if radius not in ("anytime", "paper"):
        raise ParameterError(f"radius={radius!r} is not known; known are anytime, paper")
    if radius == "paper":
        if confidence is not None:
            raise ParameterError(
                "the radius `paper` states its own confidence, 1 - 2/t² after t playthroughs; to choose one, take the "
                "radius `anytime`"
            )
        return Confidence("paper")
    if confidence is None:
        return Confidence()
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise ParameterError(f"confidence={confidence!r} should lie between 0 and 1")
    return Confidence("anytime", float(confidence))


class Run:
    """One certification from its first playthrough, or from a checkpoint, to the certificate."""

    def __init__(
        self,
        told: Boxed,
        confidence: Confidence,
        until: Limits,
        *,
        method: str | Method,
        strategy: Profile | Policy | None,
        every: int,
        expansion: Expansion,
        explore: str | Explorer | None,
        seed: int,
    ) -> None:
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise ParameterError(f"every={every!r} should be a whole number, 1 or more")
        if expansion not in ("path", "first"):
            raise ParameterError(f"expansion={expansion!r} is not known; known are path, first")
        self.told, self.until = told, until
        policy = Policy.of_profile(strategy) if isinstance(strategy, Profile) else strategy
        self.work = Certification(
            told.box,
            method=method,
            confidence=confidence,
            bounds=told.range,
            every=every,
            expansion=expansion,
            explore=explore or ("optimistic" if policy is None else "responses"),
            fixed=None if policy is None else fixed(policy),
            seed=seed,
        )
        self.curve: list[Bound] = []
        self.seconds = 0.0
        self.failure = ""
        self._begun = time.perf_counter()
        self._journal: Journal | None = None

    def resume(self, path: PathTo) -> None:
        """Go on from a checkpoint, and from the journal of the playthroughs after it."""
        facts = restore(self.work, path)
        self.seconds = float(facts["spent"])
        self.curve = [Bound(*point) for point in facts["curve"]]
        for record in journalled(path, self.work.trunk, self.work.playthroughs):
            self.work.add(record)
            if self.work.settle():
                self.curve.append(self.work.bound())

    def finish(
        self, checkpoint: PathTo | None, save_every: float, progress: Callable[[Now], None] | None, check: bool
    ) -> Certificate:
        """Go on to the first limit, and return the certificate."""
        self._begun = time.perf_counter() - self.seconds
        if checkpoint is not None:
            self._journal = Journal(checkpoint)
            self._save(checkpoint)
        try:
            stop = self._advance(checkpoint, save_every, progress)
        except BoxError as error:
            self.failure, stop = str(error), "failed"
        self.seconds = time.perf_counter() - self._begun
        if checkpoint is not None:
            self._save(checkpoint)
        if self._journal is not None:
            self._journal.close()
        return self._certificate(stop, check)

    def _advance(self, checkpoint: PathTo | None, save_every: float, progress: Callable[[Now], None] | None) -> Stop:
        until, work = self.until, self.work
        due = time.monotonic() + save_every
        with _interrupts() as pressed:
            while True:
                if until.gap is not None and self.curve and self.curve[-1].gap <= until.gap:
                    return "gap"
                if until.playthroughs is not None and work.playthroughs >= until.playthroughs:
                    return "playthroughs"
                self.seconds = time.perf_counter() - self._begun
                if until.seconds is not None and self.seconds >= until.seconds:
                    return "seconds"
                if pressed():
                    return "interrupted"
                record = work.next()
                depth = work.add(record)
                if self._journal is not None:
                    self._journal.add(work.playthroughs, record, depth)
                if not work.settle():
                    continue
                self.curve.append(work.bound())
                if checkpoint is not None and time.monotonic() >= due:
                    self._save(checkpoint)
                    due = time.monotonic() + save_every
                if progress is not None:
                    last = self.curve[-1]
                    share = work.simulator_seconds / max(time.perf_counter() - self._begun, 1e-9)
                    progress(Now(work.playthroughs, self.seconds, last.gap, last.trunk, share))

    def _save(self, checkpoint: PathTo) -> None:
        """Write the checkpoint, then begin the journal anew: a crash between the two loses nothing."""
        curve = [[b.playthroughs, b.lower, b.upper, b.trunk, b.expanded] for b in self.curve]
        save_checkpoint(self.work, checkpoint, {"spent": self.seconds, "curve": curve})
        assert self._journal is not None
        self._journal.begin()

    def _certificate(self, stop: Stop, check: bool) -> Certificate:
        work, told = self.work, self.told
        work.finish()
        bound = work.bound()
        level = confidence_of(work.confidence.radius, work.confidence.level, work.playthroughs)
        facts = {"method": work.method.name, "gap": bound.gap, "confidence": level, "playthroughs": work.playthroughs}
        strategy = strategy_of(told.game, work.trunk, work.kept, {**facts, "seed": work.seed})
        return Certificate(
            game=told.game.address,
            method=work.method.name,
            radius=work.confidence.radius,
            confidence=level,
            bounds=told.bounds,
            groups=told.groups,
            children=told.children,
            playthroughs=work.playthroughs,
            seconds=self.seconds,
            simulator_seconds=work.simulator_seconds,
            solve_seconds=work.solve_seconds,
            stop=stop,
            gap=bound.gap,
            guarantees=(bound.lower, -bound.upper)[: work.trunk.players],
            value_bounds=(bound.lower, bound.upper),
            expanded=bound.expanded,
            trunk=bound.trunk,
            seed=work.seed,
            seeded=told.box.seeded,
            strategy=strategy,
            true_gap=_true_gap(strategy) if check else None,
            failure=self.failure,
            curve=tuple(self.curve),
            work=work,
        )


def _true_gap(strategy: Profile | Policy) -> float | None:
    """Return the NashConv of a strategy whose game can be expanded; None of any other."""
    try:
        profile = strategy.profile() if isinstance(strategy, Policy) else strategy
    except HannanError:
        return None
    return float(evaluate(profile.game, profile).nash_conv)


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Let the first Ctrl-C end the run with what it has; the next one is as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    presses: list[Any] = []
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: Any) -> None:
        presses.append(number)
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(presses)
    finally:
        signal.signal(signal.SIGINT, before)
