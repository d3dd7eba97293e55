"""Checking a certificate: the file, the trunk, the arithmetic and, given the box, every playthrough."""

from __future__ import annotations

import sys
from os import PathLike
from typing import Any

from hannan.errors import FileError, ParameterError
from hannan.verifier.arithmetic import Outward, Rational
from hannan.verifier.gap import Numbers, Pseudogame, radii
from hannan.verifier.reader import Arrays, digest, read
from hannan.verifier.replaying import recount
from hannan.verifier.structure import Checked, check, need
from hannan.verifier.verdict import RejectedError, Verdict

ASSUMED = (
    "The counts, the groups of chance and the bounds on gains are believed as the file states them; replay (--replay, "
    "or the box in Python) checks the counts."
)
REPLAYED = "The bounds on gains and the groups of chance are believed as the box tells them."
UNSEEDED = (
    "The box cannot repeat itself, so the counts, the groups and the bounds are believed as the file states them."
)


def verify(path: str | PathLike[str], box: Any = None, *, rational: bool = False) -> Verdict:
    """Check a certificate. With a black box every playthrough is played again and recounted.

    Floats are rounded outward; `rational` computes with fractions instead, slowly. A file that cannot be read as a
    certificate raises an error; one that does not prove what it claims is rejected.
    """
    if box is not None and not all(callable(getattr(box, name, None)) for name in ("reset", "step")):
        raise ParameterError(f"box should be a black box with reset() and step(), not {type(box).__name__}")
    arrays, facts = read(path)
    numbers: Numbers = Rational if rational else Outward
    verdict: dict[str, Any] = {"proved": None, "gap": None, "replayed": 0}
    try:
        need(digest(arrays, facts) == facts.get("digest"), "the file was altered: its digest does not match")
        _check_claims(facts)
        trunk = check(arrays, facts["players"])
        verdict["gap"] = gap = _checked_gap(trunk, arrays, facts, numbers)
        need(gap <= facts["gap"], f"the gap is {gap:.9g}, and the file claims {facts['gap']:.9g}")
        verdict["proved"], reason = "arithmetic", ASSUMED
        if box is not None:
            if facts["seeded"]:
                verdict["replayed"] = recount(trunk, arrays, facts, box)
                verdict["proved"], reason = "counts", REPLAYED if facts["range"] is None else _ranged(facts["range"])
            else:
                reason = UNSEEDED
        valid = True
    except RejectedError as error:
        valid, reason, verdict["proved"] = False, str(error), None
    except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError) as error:
        if "digest" not in facts:
            raise FileError(f"{path} is not a certificate that this verifier can read ({error})") from error
        valid, reason, verdict["proved"] = False, f"the file is not whole ({type(error).__name__}: {error})", None
    return Verdict(
        file=str(path),
        game=str(facts.get("game")),
        valid=valid,
        claimed_gap=_number(facts.get("gap")),
        confidence=_number(facts.get("confidence")),
        radius=facts.get("radius") if isinstance(facts.get("radius"), str) else None,
        playthroughs=_number(facts.get("playthroughs")),
        reason=reason,
        correlated=facts.get("gaps") is not None,
        **verdict,
    )


def _ranged(bounds: list[float]) -> str:
    """Say what is believed beside the counts where whoever made the certificate gave bounds on all gains."""
    return (
        f"That each player gains {bounds[0]:.9g} to {bounds[1]:.9g} in all is believed as the file states it, the rest "
        "of the bounds and the groups of chance as the box tells them."
    )


def _number(fact: Any) -> Any:
    """Return a finite number; None where it is anything else."""
    known = isinstance(fact, int | float) and not isinstance(fact, bool) and abs(fact) <= sys.float_info.max
    return fact if known else None


def _check_claims(facts: dict[str, Any]) -> None:
    """Refuse claims that are no numbers: such a claim says nothing, and compares with everything in its own way."""
    for name in ("gap", "confidence", "playthroughs", "players"):
        need(_number(facts[name]) is not None, f"its {name} is {facts[name]!r:.40}, which is no finite number")
    for name in ("playthroughs", "players"):
        need(isinstance(facts[name], int), f"its {name} is {facts[name]!r:.40}, which is no whole number")
    if facts.get("gaps") is None:
        need(len(facts["guarantees"]) >= facts["players"], "it does not say what each player is guaranteed")


def _checked_gap(trunk: Checked, arrays: Arrays, facts: dict[str, Any], numbers: Numbers) -> float:
    """Recompute what is claimed of the strategies, and return the gap, rounded up."""
    confidence, radius, playthroughs = facts["confidence"], facts["radius"], facts["playthroughs"]
    need(radius in ("anytime", "paper"), f"the radius {radius!r} is not known")
    if radius == "paper":
        stated = max(0.0, 1.0 - 2.0 / max(playthroughs, 1) ** 2)
        need(confidence == stated, f"the radius of the paper states {stated:.9g}, not {confidence:.9g}")
    need(0.0 <= confidence < 1.0, f"{confidence!r} is no confidence")
    need(len(arrays["lengths"]) == playthroughs, "the playthroughs are not as many as the file says")
    need(int(arrays["lengths"].sum()) == len(arrays["actions"]), "the actions are not as many as the playthroughs took")
    game = Pseudogame.of(trunk, radii(trunk, radius, confidence, playthroughs, numbers), numbers)
    gap = _joint_gap(game, facts) if facts.get("gaps") is not None else _nash_gap(game, facts)
    up = float(gap)
    return up if numbers.number(up) >= gap else Outward.add(up, 0.0, up=True)


def _nash_gap(game: Pseudogame, facts: dict[str, Any]) -> Any:
    """Recompute what both strategies guarantee; return the gap."""
    trunk, numbers = game.trunk, game.numbers
    need(trunk.utilities == 1 and trunk.players <= 2, "a Nash gap is claimed, and gains are not zero-sum for two")
    joint = [[trunk.arrays["strategy0"], trunk.arrays["strategy1"]]]
    earned = [max(-game.best(1 - player, joint), game.least(player)) for player in (0, 1)]
    for player, claimed in enumerate(facts["guarantees"][: trunk.players]):
        need(earned[player] >= claimed, f"player {player} is guaranteed {float(earned[player]):.9g}, not {claimed:.9g}")
    lower, upper = facts["value_bounds"]
    need(earned[0] >= lower and -earned[1] <= upper, "the value of the game is not bounded as claimed")
    return numbers.add(-earned[0], -earned[1], up=True)


def _joint_gap(game: Pseudogame, facts: dict[str, Any]) -> Any:
    """Recompute what each player could add to correlated play; return the largest."""
    trunk = game.trunk
    rows = [trunk.arrays[f"strategy{player}"] for player in range(trunk.players)]
    many = len(rows[0])
    need(many > 0 and all(len(row) == many for row in rows), "the profiles of correlated play are not whole")
    idle = [[[1.0]] * many] * (trunk.seats - trunk.players)
    joint = [[row[k] for row in (*rows, *idle)] for k in range(many)]
    claimed = facts["gaps"]
    need(len(claimed) == trunk.players and max(claimed) == facts["gap"], "the gap is not the largest of the players'")
    gaps = [game.gap(player, joint) for player in range(trunk.players)]
    for player, (gap, claim) in enumerate(zip(gaps, claimed, strict=True)):
        need(gap <= claim, f"player {player} could add {float(gap):.9g}, and the file claims {claim:.9g}")
    return max(gaps)
