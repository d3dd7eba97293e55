"""Checking a certificate: the file, the trunk, the arithmetic and, given the box, every playthrough."""

from __future__ import annotations

from os import PathLike
from typing import Any

from hannan.errors import FileError
from hannan.verifier.arithmetic import Outward, Rational
from hannan.verifier.gap import Numbers, chances, guarantee, narrowed, radii
from hannan.verifier.reader import Arrays, digest, read
from hannan.verifier.replaying import recount
from hannan.verifier.structure import LEAF, Checked, check, need
from hannan.verifier.verdict import RejectedError, Verdict

ASSUMED = (
    "The counts, the groups of chance and the bounds on gains are believed as the file states them; give the box to "
    "have the counts replayed."
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
    arrays, facts = read(path)
    numbers: Numbers = Rational if rational else Outward
    verdict: dict[str, Any] = {"proved": None, "gap": None, "replayed": 0}
    try:
        need(digest(arrays, facts) == facts.get("digest"), "the file was altered: its digest does not match")
        trunk = check(arrays, int(facts["players"]))
        verdict["gap"] = gap = _checked_gap(trunk, arrays, facts, numbers)
        need(gap <= facts["gap"], f"the gap is {gap:.9g}, and the file claims {facts['gap']:.9g}")
        verdict["proved"], reason = "arithmetic", ASSUMED
        if box is not None:
            if facts["seeded"]:
                verdict["replayed"] = recount(trunk, arrays, facts, box)
                verdict["proved"], reason = "counts", REPLAYED
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
        claimed_gap=facts.get("gap"),
        confidence=facts.get("confidence"),
        radius=facts.get("radius"),
        playthroughs=facts.get("playthroughs"),
        reason=reason,
        **verdict,
    )


def _checked_gap(trunk: Checked, arrays: Arrays, facts: dict[str, Any], numbers: Numbers) -> float:
    """Recompute both guarantees, compare them with those that are claimed, and return the gap, rounded up."""
    confidence, radius, playthroughs = facts["confidence"], facts["radius"], facts["playthroughs"]
    need(radius in ("anytime", "paper"), f"the radius {radius!r} is not known")
    if radius == "paper":
        stated = max(0.0, 1.0 - 2.0 / max(playthroughs, 1) ** 2)
        need(confidence == stated, f"the radius of the paper states {stated:.9g}, not {confidence:.9g}")
    need(0.0 <= confidence < 1.0, f"{confidence!r} is no confidence")
    need(len(arrays["lengths"]) == playthroughs, "the playthroughs are not as many as the file says")
    need(int(arrays["lengths"].sum()) == len(arrays["actions"]), "the actions are not as many as the playthroughs took")
    rho, bounds = radii(trunk, radius, confidence, playthroughs, numbers), narrowed(trunk, numbers)
    chance = chances(trunk, numbers)
    lists = trunk.arrays
    root = numbers.number(0 if lists["node_kind"][0] == LEAF else lists["node_gain"][0])
    earned = []
    for player in (0, 1):
        trivial = bounds[0][0] if player == 0 else -bounds[1][0]
        trivial = numbers.add(root if player == 0 else -root, trivial, up=False)
        mine = guarantee(trunk, player, lists[f"strategy{player}"], rho, bounds, chance, numbers)
        earned.append(max(mine, trivial))
    for player, claimed in enumerate(facts["guarantees"][: trunk.players]):
        need(earned[player] >= claimed, f"player {player} is guaranteed {float(earned[player]):.9g}, not {claimed:.9g}")
    lower, upper = facts["value_bounds"]
    need(earned[0] >= lower and -earned[1] <= upper, "the value of the game is not bounded as claimed")
    gap = numbers.add(-earned[0], -earned[1], up=True)
    up = float(gap)
    return up if numbers.number(up) >= gap else Outward.add(up, 0.0, up=True)
