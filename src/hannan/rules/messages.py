"""Lines that go to a simulator and come from it: questions as bytes, answers as views (docs/howto/simulators.md)."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import Any

from hannan.errors import RulesError
from hannan.rules.box import FAILED, ChanceMove, Child, SimulatorError, View, misshapen
from hannan.rules.observations import hashed
from hannan.splitmix import MASK

KEYS = {"gains", "bounds", "movers", "actions", "observations", "draw", "children"}
"""What an answer may tell."""

GO_ON = b'{"step": []}\n'
"""Chance has drawn."""


def reset(seed: int) -> bytes:
    """Return the question for the root."""
    return b'{"reset": "%016x"}\n' % (seed & MASK)


def step(moves: tuple[Any, ...], menus: Sequence[Sequence[Hashable]]) -> bytes:
    """Return the question that goes on by these moves: their places in the lists of actions."""
    if not moves:
        return GO_ON
    places = [str(menu.index(move)) for menu, move in zip(menus, moves, strict=True)]
    return f'{{"step": [{", ".join(places)}]}}\n'.encode()


def parsed(command: str, line: bytes) -> dict[str, Any]:
    """Return what a line says, which must be a JSON object."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SimulatorError(f"{command}: {line[:200]!r:.120} is not JSON") from error
    if not isinstance(answer, dict):
        raise SimulatorError(f"{command}: {answer!r:.120} is not an object")
    return answer


def view(command: str, line: bytes) -> View:
    """Return an answer as a view; lists become tuples, and chance gets one more outcome: no answer."""
    answer = parsed(command, line)
    unknown = answer.keys() - KEYS
    if unknown or "gains" not in answer:
        wrong = f"the key {min(unknown)!r} is not known" if unknown else "there are no gains"
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
        wrong = "an object cannot be an action or an observation; take a list, a number or a text"
        raise ValueError(wrong) from None
    return thing


def _draw(told: dict[str, Any]) -> ChanceMove:
    """Return a move of chance with one more outcome, for a simulator that fails."""
    if told.get("similar") is not None:
        raise ValueError("a program may fail at one node more often than at another, so it cannot tell `similar` nodes")
    outcomes, most, odds = told.get("outcomes"), told.get("most"), told.get("odds")
    return ChanceMove(
        _hashable(told["outcome"]),
        None if outcomes is None else [*_hashable(outcomes), FAILED],
        most + 1 if isinstance(most, int) else most,
        _hashable(told.get("group")),
        None if odds is None else [*odds, 0.0],
    )


def _with_failure(shown: View) -> Sequence[Child] | None:
    """Return what is told of children with one more for no answer; nothing where no bounds say what it is worth."""
    if shown.bounds is None or shown.children is None:
        return None
    return [*shown.children, Child([0.0] * len(shown.gains), shown.bounds)]
