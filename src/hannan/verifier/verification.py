"""Check a certificate: the file, the trunk, the arithmetic and, given the box, every playthrough."""

from __future__ import annotations

import sys
from os import PathLike
from typing import Any

from hannan.errors import FileError, ParameterError
from hannan.verifier.arithmetic import Outward, Rational
from hannan.verifier.gap import Numbers, Pseudogame, draws, radii
from hannan.verifier.reader import Arrays, digest, read
from hannan.verifier.rebuild import rebuild
from hannan.verifier.rounds import check_rounds, counted_share, most
from hannan.verifier.schema import check_arrays, check_facts, check_plays
from hannan.verifier.structure import Checked, check
from hannan.verifier.verdict import RejectedError, Verdict, need

COUNTS = (
    "the counts, the groups of chance, the bounds on gains and the names of actions and observations, as the file "
    "states them: nothing was played (a replay checks them)"
)
CHOSEN = (
    "that the actions were not chosen after looking at what each seed draws (reproducing the certification shows it)"
)
MASTER = "that the master seed and the options were fixed beforehand, and not picked among many tries"
BOX = "that the box is the game: that its draws are independent, and its groups, odds and bounds on gains are true"
ROUNDS = (
    "the sums over the rounds of Algorithm 7.2, as the file states them: the gap rests on them, and only reproducing "
    "the certification shows them"
)
UNSEEN = (
    "not replayed: the counts are as the file says, but the claim does not follow from them alone. It rests on sums "
    "over the rounds of Algorithm 7.2, which no replay shows; reproduce the certification (--reproduce)"
)
FAILURES = (
    "that failures of workers did not depend on play, as the caller of certify declared: a playthrough whose worker "
    "was lost was drawn anew"
)
SIMILAR = (
    "that the distributions of chance nodes of one family differ by at most the distance that the file states, at most "
    "{:.9g} in total variation: their draws are counted together"
)
MOMENT = "that the number of playthroughs was fixed beforehand: the radius `paper` holds at one such moment"


def verify(
    path: str | PathLike[str], box: Any = None, *, game: str | None = None, rational: bool = False,
    reproducing: bool = False,
) -> Verdict:  # fmt: skip
    """Check a certificate; with a black box, play every playthrough again and rebuild the trunk.

    Parameters
    ----------
    path
        The file.
    box
        The black box that was certified: the level is then `counts`. A box that is not seeded cannot be played again,
        and the file is then not valid. None: only the arithmetic is checked.
    game
        How the verdict calls the box. Default: its name.
    rational
        Compute with fractions instead of rounding outward; slow.
    reproducing
        The caller reproduces the certification after this, and compares the sums over rounds: a file whose gap rests on
        them then passes a replay.

    Raises
    ------
    FileError
        The file is not a certificate. A certificate that does not show what it claims is rejected by the verdict.
    """
    if box is not None and not all(callable(getattr(box, name, None)) for name in ("reset", "step")):
        raise ParameterError(f"box should be a black box with reset() and step(), not {type(box).__name__}")
    arrays, facts = read(path)
    numbers: Numbers = Rational if rational else Outward
    found: dict[str, Any] = {"level": None, "gap": None, "replayed": 0, "believed": (), "reason": ""}
    try:
        utilities, found["gap"], rests = _arithmetic(arrays, facts, numbers)
        apart = arrays["family_apart"].tolist() if "family_apart" in arrays else []
        found["level"], found["believed"] = "arithmetic", _believed(facts, COUNTS, rests, apart)
        if box is not None:
            _compare_box(facts, box)
            found["replayed"] = rebuild(arrays, facts, utilities, box)
            if rests and not reproducing:
                raise _NotReplayedError(UNSEEN)
            found["level"], found["believed"] = "counts", _believed(facts, BOX, rests, apart)
    except _NotReplayedError as error:
        found |= {"reason": str(error), "believed": ()}
    except RejectedError as error:
        found |= {"reason": str(error), "believed": (), "level": None}
    except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError) as error:
        if "digest" not in facts:
            raise FileError(f"{path} is not a certificate that this verifier can read ({error})") from error
        why = f"the file is incomplete or malformed ({type(error).__name__}: {error})"
        found |= {"reason": why, "believed": (), "level": None}
    named = None if box is None else game or getattr(box, "name", "") or type(box).__name__
    return Verdict(
        file=str(path),
        game=str(facts.get("game")),
        replayed_game=named,
        valid=not found["reason"],
        claimed_gap=_number(facts.get("gap")),
        confidence=_number(facts.get("confidence")),
        radius=facts.get("radius") if isinstance(facts.get("radius"), str) else None,
        playthroughs=_number(facts.get("playthroughs")),
        failures=_number(facts.get("failures")),
        correlated=facts.get("gaps") is not None,
        **found,
    )


class _NotReplayedError(Exception):
    """The arithmetic holds, and the playthroughs could not be played again."""


def _arithmetic(arrays: Arrays, facts: dict[str, Any], numbers: Numbers) -> tuple[int, float, bool]:
    """Check everything that the file alone can show.

    Return how many utilities there are, the gap, rounded up, and whether the claims rest on sums over rounds.
    """
    need(digest(arrays, facts) == facts["digest"], "the file was altered: its digest does not match")
    check_facts(facts)
    summed = facts.get("rounds") is not None
    similar = facts.get("similar", False)
    utilities = check_arrays(arrays, facts["players"], facts["gaps"] is not None, summed, similar)
    check_plays(arrays, facts)
    trunk = check(arrays, facts, utilities)
    check_rounds(arrays, facts)
    counted, gap, rests = _checked_gaps(trunk, facts, numbers)
    need(gap <= facts["gap"], f"the gap is {gap:.9g}, and the file claims {facts['gap']:.9g}")
    rests = rests or counted > facts["gap"]
    return utilities, gap if rests else counted, rests


def _compare_box(facts: dict[str, Any], box: Any) -> None:
    """Reject a file that contradicts what the box states about itself; stop if the box cannot be replayed."""
    if not getattr(box, "seeded", True):
        raise _NotReplayedError(
            "not replayed: the box is not reproducible (seeded = False), so no count can be checked"
        )
    need(facts["seeded"], "the file says that the box is not reproducible, but the box says that it is")
    hidden = getattr(box, "hidden", None)
    need(
        facts["hidden"] == hidden,
        f"the file says hidden={facts['hidden']} (how many different answers can follow one history), but the box says "
        f"hidden={hidden}; the number is the caller's knowledge: give hidden (--hidden N) if you believe it",
    )


def _believed(facts: dict[str, Any], first: str, rests: bool, apart: list[float]) -> tuple[str, ...]:
    """Return what a valid verdict rests on. rests: also on sums over rounds; apart: the distances of families."""
    sentences = [first, ROUNDS] if rests else [first]
    if facts["range"] is not None:
        low, high = facts["range"]
        sentences.append(f"that each player gains {low:.9g} to {high:.9g} in all, as the caller of certify stated")
    if facts["hidden"] is not None:
        sentences.append(f"that at most {facts['hidden']} different answers can follow one history (hidden chance)")
    if facts.get("similar", False):
        sentences.append(SIMILAR.format(max(apart, default=0.0)))
    options = facts.get("options")
    if isinstance(options, dict) and options.get("failures") == "independent":
        sentences.append(FAILURES)
    if first is BOX:
        if facts["groups"] not in ("box", "none"):
            sentences.append(f"that groups={facts['groups']!r} is true of the game: which chance nodes draw alike")
        sentences.append(CHOSEN)
    if facts["radius"] == "paper":
        sentences.append(MOMENT)
    return (*sentences, MASTER)


def _number(fact: Any) -> Any:
    """Return a finite number; None for anything else."""
    known = isinstance(fact, int | float) and not isinstance(fact, bool) and abs(fact) <= sys.float_info.max
    return fact if known else None


def _checked_gaps(trunk: Checked, facts: dict[str, Any], numbers: Numbers) -> tuple[float, float, bool]:
    """Recompute the claims about the strategies.

    Return the gap that follows from counts alone and the gap that is shown, both rounded up, and whether a guarantee
    rests on sums over rounds.
    """
    confidence, playthroughs = facts["confidence"], facts["playthroughs"]
    if facts["radius"] == "paper":
        stated = max(0.0, 1.0 - 2.0 / max(playthroughs, 1) ** 2)
        need(confidence == stated, f"the radius of the paper states {stated:.9g}, not {confidence:.9g}")
    need(0.0 <= confidence < 1.0, f"the confidence is {confidence!r}; it should be at least 0 and below 1")
    rho = radii(trunk, facts["radius"], confidence, counted_share(facts), playthroughs, numbers)
    drawn = draws(trunk, rho, facts["radius"], confidence, playthroughs, numbers)
    game = Pseudogame.of(trunk, drawn, numbers)
    if facts["gaps"] is not None:
        counted = gap = _joint_gap(game, facts)
        rests = False
    else:
        counted, gap, rests = _nash_gaps(game, facts)
    return _up(counted, numbers), _up(gap, numbers), rests


def _up(gap: Any, numbers: Numbers) -> float:
    """Return a number as a float, rounded up."""
    up = float(gap)
    return up if numbers.number(up) >= gap else Outward.add(up, 0.0, up=True)


def _nash_gaps(game: Pseudogame, facts: dict[str, Any]) -> tuple[Any, Any, bool]:
    """Recompute what both strategies guarantee; return the gap by counts, the gap, and whether rounds are needed."""
    trunk, numbers = game.trunk, game.numbers
    need(trunk.players <= 2, "a Nash gap is claimed for more than two players")
    joint = [[trunk.arrays["strategy0"], trunk.arrays["strategy1"]]]
    sure = [game.least(player) for player in (0, 1)]
    counted = [max(-game.best(1 - player, joint), sure[player]) for player in (0, 1)]
    earned = list(counted)
    rounds = facts.get("rounds")
    if rounds is not None:
        summed = [rounds["count"] > 0 and 1 - p < trunk.players for p in (0, 1)]
        proven = [-most(trunk, facts, 1 - p, numbers) if summed[p] else sure[p] for p in (0, 1)]
        gap = -sum(max(proven[p], sure[p]) for p in (0, 1))
        stated = facts.get("rounds_gap")
        need(stated is not None and gap <= stated, f"the rounds give a gap of {float(gap):.9g}, not {stated!r:.40}")
        for player in rounds["of"]:
            earned[player] = max(counted[player], proven[player])
    for player, claimed in enumerate(facts["guarantees"]):
        need(earned[player] >= claimed, f"player {player} is guaranteed {float(earned[player]):.9g}, not {claimed:.9g}")
    lower, upper = facts["value_bounds"]
    need(earned[0] >= lower and -earned[1] <= upper, "the value of the game is not bounded as claimed")
    fewer = any(counted[player] < claimed for player, claimed in enumerate(facts["guarantees"]))
    rests = fewer or counted[0] < lower or -counted[1] > upper
    by_counts, shown = (numbers.add(-both[0], -both[1], up=True) for both in (counted, earned))
    return by_counts, shown, rests


def _joint_gap(game: Pseudogame, facts: dict[str, Any]) -> Any:
    """Recompute what each player could add to correlated play; return the largest."""
    trunk = game.trunk
    rows = [trunk.arrays[f"strategy{player}"] for player in range(trunk.players)]
    many = len(rows[0])
    need(many > 0 and all(len(row) == many for row in rows), "the profiles of correlated play are not whole")
    idle = [[[1.0]] * many] * (trunk.seats - trunk.players)
    joint = [[row[k] for row in (*rows, *idle)] for k in range(many)]
    gaps = [game.gap(player, joint) for player in range(trunk.players)]
    for player, (gap, claim) in enumerate(zip(gaps, facts["gaps"], strict=True)):
        need(gap <= claim, f"player {player} could add {float(gap):.9g}, and the file claims {claim:.9g}")
    return max(gaps)
