"""Play every playthrough of a certificate again, and rebuild its trunk from what the box shows.

Of the file, only these facts are used: the master seed, the actions that were taken, which playthroughs failed, the
kind of expansion, whether there are families, and the range of gains that the caller of `certify` stated. The result is
compared with the file column by column. Seeds are a fixed function of the master seed and of the number of the
playthrough.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from hannan.verifier.reader import Arrays
from hannan.verifier.trunk import Trunk
from hannan.verifier.verdict import RejectedError, need

FAILED = "no answer"
"""The outcome of a chance step after which a simulator failed."""


def seed_of(master: int, t: int) -> int:
    """Return the seed of playthrough t: eight bytes of BLAKE2b, little end first."""
    return int.from_bytes(blake2b(f"hannan:{master}:{t}".encode(), digest_size=8).digest(), "little")


def rebuild(arrays: Arrays, facts: dict[str, Any], utilities: int, box: Any) -> int:
    """Play all playthroughs again; reject a file that differs from the result; return the number of playthroughs."""
    players = facts["players"]
    need(box.players == players, f"the box has {box.players} players, and the file has {players}")
    trunk = Trunk(players, utilities, facts["expansion"] == "first", facts.get("similar", False))
    actions, place = arrays["actions"].tolist(), 0
    failed = dict(arrays["failed"].tolist()) if "failed" in arrays else {}
    lengths = arrays["lengths"].tolist()
    trunk.begin(_asked(lambda: box.reset(seed_of(facts["seed"], 1)), "the root"), facts["range"])
    for t, length in enumerate(lengths, 1):
        _play(trunk, box, seed_of(facts["seed"], t), actions[place : place + length], failed.get(t), f"playthrough {t}")
        place += length
    trunk.compare(arrays, facts["names"])
    return len(lengths)


def _asked(question: Any, where: str) -> Any:
    """Return the box's answer to a call; reject the file if the box raises."""
    try:
        return question()
    except (Exception, SystemExit) as error:
        raise RejectedError(f"{where}: the box raised {_told(error)}") from error


def _told(error: BaseException) -> str:
    """Return the kind of an error, and its message if it has one that can be read."""
    try:
        return f"{type(error).__name__}: {error}"
    except (Exception, SystemExit):
        return type(error).__name__


def _play(trunk: Trunk, box: Any, seed: int, actions: list[int], failed: int | None, where: str) -> None:
    """Play once more with the recorded actions. At depth `failed` the simulator must still give no answer."""
    try:
        view, node, depth, used = _asked(lambda: box.reset(seed), where), 0, 0, 0
        new = False
        while True:
            whole = not (new and trunk.first_only)  # if not, play goes on only for failures and actions
            if whole:
                new = trunk.visit(node, view, where) or new
            movers = len(view.movers)
            choice = actions[used : used + movers]
            need(len(choice) == movers, f"{where}: play goes on, but the file has no more actions")
            used += movers
            if view.draw is None and not movers:
                need(failed is None, f"{where}: play ended, and the file says that the simulator failed")
                break
            sizes = [len(menu) for menu in view.actions]
            inside = all(0 <= k < size for k, size in zip(choice, sizes, strict=True))
            need(inside, f"{where}: the file has an action that is not in the box's menu")
            if depth == failed:
                _check_failure(box, view, where)
                if whole:
                    trunk.drawn(node, view.draw._replace(outcome=FAILED), where)
                break
            if whole:
                node = trunk.after(node, view, choice, where)
            moves = tuple(menu[k] for menu, k in zip(view.actions, choice, strict=True))
            view, depth = _asked(lambda moves=moves: box.step(moves), where), depth + 1
        need(used == len(actions), f"{where}: play is over, but the file has more actions")
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError) as error:
        raise RejectedError(f"{where}: the box showed something that is not a view ({_told(error)})") from error


def _check_failure(box: Any, view: Any, where: str) -> None:
    """Reject a recorded failure if the simulator answers now: dropping such plays would select among draws."""
    need(view.draw is not None, f"{where}: the file says that the simulator failed where chance does not move")
    listed = view.draw.outcomes is None or FAILED in list(view.draw.outcomes)
    need(listed and view.draw.odds is None, f"{where}: a failure is not among the outcomes of chance")
    try:
        box.step(())
    except (Exception, SystemExit):
        return
    raise RejectedError(f"{where}: the file says that the simulator failed, but it answers")
