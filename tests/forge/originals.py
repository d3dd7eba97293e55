"""Honest certificates of every kind, by number: each must be accepted at every level that its box allows."""

from __future__ import annotations

import random
import signal
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import hannan as hn
from hannan.errors import HannanError
from hannan.forms.boxes import boxed
from hannan.rules.box import Box, View
from hannan.verifier import verify
from tests.forge.auditor import UnsoundError, audited
from tests.forge.games import Played, Small
from tests.forge.kit import opened
from tests.forge.oddities import Odd, Shape
from tests.forge.pseudogame import Pseudogame
from tests.forge.search import SLACK, scale
from tests.forge.truth import true_gap
from tests.reference import grow
from tests.rules.test_hidden import Silent

RESOLVING = ("auto", "cfr", "lp", "induction")
LEARNING = ("mccfr", "online-cfr", "online-cfr+", "online-pcfr+")
BUILT_IN = ("kuhn_poker", "goofspiel(cards=3)", "matching_pennies", "random_game(seed=3)", "random_game(seed=8)")
GENERAL = ("kuhn_poker(players=3)", "chicken", "random_game(seed=5)")
COIN = f"command:{sys.executable} {Path(__file__).parents[1] / 'rules' / 'simulators.py'}"

SURE = 0.99
"""Certificates that promise more than this are compared with the truth. They may be false as often as they say."""

LEVELS = {"with the box": "counts", "made again": "reproduced"}


class Ending(Box):
    """A box that somebody stops after some plays, or that then breaks a promise."""

    def __init__(self, box: Box, plays: int, breaks: bool) -> None:
        self.box, self.plays, self.breaks = box, plays, breaks
        self.players, self.name, self.seeded = box.players, box.name, box.seeded

    def reset(self, seed: int) -> View:
        self.plays -= 1
        if self.plays == -1 and not self.breaks:
            signal.raise_signal(signal.SIGINT)
        return self.box.reset(seed)

    def step(self, moves: tuple[Any, ...]) -> View:
        view = self.box.step(moves)
        if self.plays >= 0 or not self.breaks:
            return view
        return view._replace(gains=[1e12, -1e12, *view.gains[2:]][: self.players])


@dataclass
class Case:
    """A way to make a certificate: the game or box, made anew for each use, and what is told and asked."""

    make: Callable[[], Any]
    options: dict[str, Any]
    told: dict[str, Any] = field(default_factory=dict)
    """The options that the box of a replay needs too."""
    later: int | None = None
    """After how many playthroughs the run is stopped, and resumed from its checkpoint."""
    ends: tuple[int, bool] | None = None
    """After how many plays somebody stops it, or (True) it breaks a promise."""
    rules: Callable[[], Small] | None = None
    """The rules in which the truth is enumerated, where names in the file are theirs."""

    def box(self) -> Box:
        """Return the box for a replay."""
        return boxed(self.make(), **self.told).box

    @cached_property
    def words(self) -> str:
        """What tells this case from others."""
        return f"{self.make()} {self.options} {self.told} {self.later} {self.ends}"

    def certified(self, folder: Path) -> hn.Certificate:
        """Make the certificate."""
        game, options = self.make(), {**self.options, **self.told}
        if self.ends is not None:
            game = Ending(game, *self.ends)
        if self.later is None:
            return hn.certify(game, **options)
        checkpoint = folder / "honest.checkpoint"
        hn.certify(game, checkpoint=checkpoint, **{**options, "playthroughs": self.later})
        return hn.certify(self.make(), resume=checkpoint, **options)


def drawn(number: int) -> Case:
    """Return the case of a number."""
    draw = random.Random(f"honest {number}")
    kind = draw.choices(list(KINDS), [share for share, _ in KINDS.values()])[0]
    case = KINDS[kind][1](draw)
    options = case.options
    options |= {"seed": draw.choice([0, 1, 2**40]), "expansion": draw.choice(["path", "path", "first"])}
    options["playthroughs"] = draw.choice([0, 1, 2, 5, 20, 20, 40, 40, 80])
    if draw.random() < 0.3:
        options["radius"] = "paper"
    elif draw.random() < 0.5:
        options["confidence"] = draw.choice([0.5, 0.9, 0.99, 0.999999])
    if kind != "command":
        if draw.random() < 0.15 and options["playthroughs"] > 2 and _repeats(case):
            case.later = draw.randint(1, options["playthroughs"])
        elif draw.random() < 0.15 and kind in ("box", "silent"):
            case.ends = draw.randint(1, 40), draw.random() < 0.5
    return case


def _repeats(case: Case) -> bool:
    made = case.make()
    return not isinstance(made, Box) or made.seeded


def _method(draw: random.Random, general: bool, solves: int = 20) -> dict[str, Any]:
    """Return which equilibrium is certified, and how."""
    if general or draw.random() < 0.2:
        more = {"iterates": draw.choice([1, 3, 8])} if draw.random() < 0.7 else {}
        return {"equilibrium": "cce", "method": draw.choice(("auto", *LEARNING)), **more}
    method = draw.choice((*RESOLVING, *LEARNING))
    manner: dict[str, Any] = {}
    if method == "mccfr" and draw.random() < 0.5:
        manner = {
            "averaging": draw.choice(["linear", "uniform"]),
            "baselines": draw.choice([True, False]),
            "epsilon": draw.choice([0.1, 0.6, 1.0]),
            "sampling": draw.choice(["uniform", "balanced"]),
        }
    return {"method": method, "solve_every": draw.choice([1, 7, solves]) if method in RESOLVING else None, **manner}


def _small(draw: random.Random, general: bool, induction: bool) -> Callable[[], Small]:
    players = draw.choice([1, 2, 2, 2, 3] if general else [1, 2, 2, 2])
    options: dict[str, Any] = {
        "zero_sum": not general,
        "depth": draw.choice([1, 2, 3, 3, 4]),
        "scale": draw.choice([1.0, 1.0, 1.0, 0.1, 1e-3, 1e6, 1e9]),
        "luck": draw.choice([0.0, 0.4, 0.4, 0.8]),
        "slack": draw.choice([0.0, 0.0, 1.0, 5.0]),
        "perfect": induction or draw.random() < 0.2,
    }
    seed = draw.randrange(10**6)
    return lambda: Small(seed, players, **options)


def _rules(draw: random.Random) -> Case:
    general = draw.random() < 0.25
    options = _method(draw, general)
    make = _small(draw, general, options["method"] == "induction")
    told: dict[str, Any] = {"groups": draw.choice(["none", "history", "rules", "known"])}
    told["bounds"] = draw.choice(["rules", "exact", "auto", "pair"])
    if told["bounds"] == "pair":
        wide = 40.0 * make()._scale
        told["bounds"] = -wide, wide
    elif draw.random() < 0.3:
        told["children"] = True
    case = Case(make, options, told, rules=make)
    if options["method"] in ("auto", "cfr", "lp") and options.get("equilibrium") != "cce" and draw.random() < 0.15:
        options["strategy"] = hn.certify(make(), playthroughs=draw.choice([1, 20]), **told).strategy
    return case


def _box(draw: random.Random) -> Case:
    general = draw.random() < 0.25
    options = _method(draw, general)
    make = _small(draw, general, options["method"] == "induction")
    known = draw.random() < 0.25
    tells: dict[str, Any] = {
        "listed": known or draw.random() < 0.6,
        "grouped": draw.random() < 0.5,
        "known": known,
        "every_bound": draw.random() < 0.7,
        "seeded": draw.random() < 0.8,
        "fails": 0 if known else draw.choice([0, 0, 2, 5]),
    }
    tells["children"] = tells["listed"] and not tells["fails"] and draw.random() < 0.3
    told: dict[str, Any] = {}
    if draw.random() < 0.2:
        wide = 40.0 * make()._scale
        told["bounds"] = -wide, wide
    return Case(lambda: Played(make(), **tells), options, told, rules=make)


def _silent(draw: random.Random) -> Case:
    general = draw.random() < 0.25
    options = _method(draw, general)
    if options["method"] == "induction":
        options["method"] = "cfr"
    make, fails = _small(draw, general, False), draw.choice([0, 2, 5])
    wide = 40.0 * make()._scale
    told = {"hidden": 12, "bounds": (-wide, wide)}
    return Case(lambda: Silent(Played(make(), fails=fails)), options, told, rules=make)


def _compiled(draw: random.Random) -> Case:
    general = draw.random() < 0.25
    options = _method(draw, general)
    if options["method"] == "induction":
        options["method"] = "lp"
    name = draw.choice(GENERAL if general else BUILT_IN)
    told: dict[str, Any] = {"groups": draw.choice(["none", "history", "rules", "known"])}
    if draw.random() < 0.4:
        told["bounds"] = draw.choice(["exact", (-40.0, 40.0)])
    elif draw.random() < 0.3:
        told["children"] = True
    return Case(lambda: name, options, told)


def _command(draw: random.Random) -> Case:
    """A simulator in a process of its own, which may never answer after some draws, or not repeat itself."""
    fault = draw.choice(["none", "draw-babble", "unseeded", "unseeded-draw-babble"])
    options = _method(draw, False)
    if options["method"] == "induction":
        options["method"] = "lp"
    told = {"hidden": 4} if draw.random() < 0.3 else {}
    return Case(lambda: f"{COIN} {fault} - always", options, told)


def _odd(draw: random.Random) -> Case:
    case, seed = _box(draw), draw.randrange(10**6)
    return Case(lambda: Odd(case.make(), seed), case.options, case.told)


def _shape(draw: random.Random) -> Case:
    shape = draw.choice(Shape.SHAPES)
    options = _method(draw, shape == "many")
    if options["method"] == "induction":
        options["method"] = "cfr"
    return Case(lambda: Shape(shape), options, {"groups": draw.choice(["none", "history", "rules", "known"])})


KINDS: dict[str, tuple[float, Callable[[random.Random], Case]]] = {
    "rules": (40, _rules), "box": (25, _box), "silent": (10, _silent), "compiled": (15, _compiled), "odd": (15, _odd),
    "shape": (5, _shape), "command": (1, _command),
}  # fmt: skip
"""Kinds of games and boxes, and how often each comes."""


def attempt(number: int, folder: Path) -> tuple[str, str]:
    """Return how an honest certificate ended (accepted, or a finding), and what there is to say."""
    case, path = drawn(number), folder / "honest.certificate"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        certificate = case.certified(folder)
    certificate.save(path)
    box = case.box()
    try:
        verdicts = {"alone": verify(path)}
        if number % 8 == 0:
            verdicts["in fractions"] = verify(path, rational=True)
        rests = any("sums over the rounds" in sentence for sentence in verdicts["alone"].believed)
        if box.seeded and rests:  # no replay shows that
            replayed = verify(path, box)
            if (replayed.valid, replayed.level) != (False, "arithmetic"):
                return "unsound", f"a replay shows sums over rounds; {case.words}"
        elif box.seeded:
            verdicts["with the box"] = verify(path, box)
        if box.seeded and (rests or number % 4 == 1):
            strategy, hidden = case.options.get("strategy"), case.told.get("hidden")
            verdicts["made again"] = hn.verify(path, case.make(), reproduce=True, hidden=hidden, strategy=strategy)
    except HannanError as error:
        return "rejected", f"{error}; {case.words}"
    finally:
        getattr(box, "close", lambda: None)()
    for how, verdict in verdicts.items():
        if not verdict.valid:
            return "rejected", f"{how}: {verdict.reason}; {case.words}"
        if verdict.level != LEVELS.get(how, "arithmetic"):
            return "rejected", f"{how}: {verdict.level} alone; {case.words}"
    forged = opened(path)
    try:
        audited(forged)
    except UnsoundError as error:
        return "unsound", f"{error}; {case.words}"
    follows, gap = Pseudogame(forged).gap(rests), float(verdicts["alone"].gap or 0.0)
    if abs(gap - follows) > SLACK * scale(forged):
        return "another gap", f"{gap:.9g}, and {follows:.9g} follows; {case.words}"
    if case.rules is not None and certificate.confidence >= SURE:
        truth = true_gap(grow(case.rules()), forged)
        if certificate.gap < truth - SLACK * scale(forged):
            return "false", f"claimed {certificate.gap:.6g}, true {truth:.6g}; {case.words}"
    return "accepted", certificate.stop
