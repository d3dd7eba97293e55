"""Lines sent to a simulator and received from it: questions as bytes, answers as views (docs/howto/simulators.md)."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import Any

from hannan.errors import RulesError
from hannan.rules.box import FAILED, ChanceMove, Child, SimulatorError, View, misshapen
from hannan.rules.observations import hashed
from hannan.splitmix import MASK

KEYS = {"gains", "bounds", "movers", "actions", "observations", "draw", "children"}
"""The keys that an answer may have."""

GO_ON = b'{"step": []}\n'
"""The question after a chance node."""


def reset(seed: int) -> bytes:
    """Return the question for the root."""
    return b'{"reset": "%016x"}\n' % (seed & MASK)


def step(moves: tuple[Any, ...], menus: Sequence[Sequence[Hashable]]) -> bytes:
    """Return the question that plays these moves, given by their places in the lists of actions."""
    if not moves:
        return GO_ON
    places = [str(menu.index(move)) for menu, move in zip(menus, moves, strict=True)]
    return f'{{"step": [{", ".join(places)}]}}\n'.encode()


def parsed(command: str, line: bytes) -> dict[str, Any]:
    """Parse a line that must hold a JSON object."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SimulatorError(f"{command}: {line[:200]!r:.120} is not JSON") from error
    if not isinstance(answer, dict):
        raise SimulatorError(f"{command}: {answer!r:.120} is not an object")
    return answer


def view(command: str, line: bytes) -> View:
    """Return an answer as a view; lists become tuples, and a chance node gets one more outcome: FAILED."""
    answer = parsed(command, line)
    unknown = answer.keys() - KEYS
    if unknown or "gains" not in answer:
        wrong = f"the key {min(unknown)!r} is not known" if unknown else "the key 'gains' is missing"
        raise SimulatorError(f"{command}: {wrong}: {answer!r:.160}")
    try:
        limits, children = answer.get("bounds"), answer.get("children")
        shown = View(
            list(answer["gains"]),
            None if limits is None else bounds(limits),
            tuple(answer.get("movers", ())),
            [_hashable(menu) for menu in answer.get("actions", ())],
            [_hashable(seen) for seen in answer.get("observations", ())],
            None if answer.get("draw") is None else _draw(answer["draw"]),
            None if children is None else [Child(child["gains"], bounds(child["bounds"])) for child in children],
        )
        if shown.draw is not None and shown.children is not None:
            shown = shown._replace(children=_with_failure(shown))
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        raise SimulatorError(f"{command}: {answer!r:.160} is not a view ({error})") from error
    if (sentence := misshapen(shown)) is not None:
        raise RulesError(f"{command}: {sentence}: {answer!r:.160}")
    return shown


def bounds(told: Any) -> list[tuple[float, float]]:
    """Return bounds as pairs."""
    return [(low, high) for low, high in told]


def _hashable(thing: Any) -> Any:
    thing = hashed(thing)
    try:
        hash(thing)
    except TypeError:
        wrong = "a JSON object cannot be an action or an observation; use a list, a number or a text"
        raise ValueError(wrong) from None
    return thing


def _draw(told: dict[str, Any]) -> ChanceMove:
    """Return a move of chance with the additional outcome FAILED, for a simulator that fails."""
    if told.get("similar") is not None:
        raise ValueError("a program cannot state `similar`: it may fail more often at one node than at another")
    outcomes, most, odds = told.get("outcomes"), told.get("most"), told.get("odds")
    return ChanceMove(
        _hashable(told["outcome"]),
        None if outcomes is None else [*_hashable(outcomes), FAILED],
        most + 1 if isinstance(most, int) else most,
        _hashable(told.get("group")),
        None if odds is None else [*odds, 0.0],
    )


def _with_failure(shown: View) -> Sequence[Child] | None:
    """Return the facts about children, plus a child for FAILED; None if the view has no bounds for it."""
    if shown.bounds is None or shown.children is None:
        return None
    return [*shown.children, Child([0.0] * len(shown.gains), shown.bounds)]
