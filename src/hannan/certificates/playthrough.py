"""One playthrough of a box: its views, its choices, and the sentences about boxes that break a promise."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hannan.errors import STRAY, BoxError, HannanError, RulesError
from hannan.rules.box import FAILED, Answer, Box, OvertakenError, SimulatorError, View, misshapen
from hannan.rules.plain import MOST_MOVES
from hannan.rules.promises import ENDLESS, raised, told, wrong_menu

Chooser = Callable[[int, Hashable, int], int]
"""A function of a player, its observation and its number of actions that returns the number of its action."""


T = TypeVar("T")
UnderWay = Generator[None, None, T]
"""A generator that waits for answers of a box: it yields after each question, and returns its result."""


@dataclass(slots=True)
class Playthrough:
    """One play of the game from the root to the end."""

    seed: int
    views: list[View] = field(default_factory=list)
    choices: list[tuple[int, ...]] = field(default_factory=list)
    """At each view but the last, the numbers of the movers' actions; () at a draw of chance."""
    simulating: float = 0.0
    """Seconds between the questions and their answers."""
    recalled: bool = False
    """Whether views were read from a journal, which does not hold all that the box showed."""

    @property
    def failed(self) -> bool:
        """Whether a simulator gave no answer after the last view, which counts as the outcome of chance there."""
        return self.views[-1].draw is not None

    @property
    def actions(self) -> list[int]:
        """The numbers of the actions that players took, in order: with the seed, all that a replay needs."""
        return [k for choice in self.choices for k in choice]


def playing(box: Box, seed: int, choose: Chooser) -> UnderWay[Playthrough]:
    """Play from the root to the end; an error of the box names the path of play.

    The caller may do other work between a question and its answer.
    """
    record, name = Playthrough(seed), "reset"
    views, choices, clock = record.views, record.choices, time.perf_counter
    choice: tuple[int, ...]
    moves: tuple[Any, ...]
    answer, number = box.reset_later(seed), box.play_number
    while True:
        before = clock()
        yield
        if box.play_number != number:
            raise OvertakenError(f"{box.name or 'the box'}: another play has begun")
        try:
            view = _answered(box, record, name, answer)
        except SimulatorError as error:
            record.simulating += clock() - before
            views[-1] = _unanswered(box, record, error)
            choices.pop()
            return record
        record.simulating += clock() - before
        views.append(view)
        try:
            choice, moves = (), ()
            for player, menu, seen in zip(view.movers, view.actions, view.observations, strict=True):
                if len(menu) == 0 and (sentence := wrong_menu(player, menu)) is not None:
                    raise broken(box, record, sentence)
                k = choose(player, seen, len(menu))
                choice, moves = (*choice, k), (*moves, menu[k])
            if not choice and view.draw is None:
                return record
        except (TypeError, ValueError, AttributeError, IndexError) as error:
            raise broken(box, record, _odd(view, error)) from error
        choices.append(choice)
        if len(choices) > MOST_MOVES:
            raise broken(box, record, ENDLESS)
        answer, name = box.step_later(moves), "step"


def whole(play: UnderWay[T]) -> T:
    """Run a generator that waits for answers to its end, and return its result."""
    while True:
        try:
            next(play)
        except StopIteration as end:
            result: T = end.value
            return result


def _unanswered(box: Box, record: Playthrough, error: SimulatorError) -> View:
    """Return the last view with "no answer" as the outcome of chance; refuse it if chance cannot draw that."""
    view = record.views[-1]
    draw = view.draw
    if draw is None:
        raise broken(
            box,
            record,
            f"{error}. After a move of players a missing answer is not an outcome of chance; with hidden chance it is",
        )
    if draw.odds is not None or (draw.outcomes is not None and FAILED not in draw.outcomes):
        raise broken(box, record, f"{error}. No answer is not among the outcomes of chance")
    return view._replace(draw=draw._replace(outcome=FAILED))


def replaying(box: Box, record: Playthrough) -> UnderWay[None]:
    """Play once more with the same seed and the same actions; refuse a box that then shows other views."""
    actions = record.actions[::-1]

    def choose(player: int, seen: Hashable, size: int) -> int:
        if not actions or actions[-1] >= size:
            raise broken(box, record, f"with the same seed, {record.seed}, and the same actions play goes on otherwise")
        return actions.pop()

    if record.failed:  # the simulator may answer this time
        return
    again = yield from playing(box, record.seed, choose)
    for depth, (first, second) in enumerate(zip(record.views, again.views, strict=False)):
        if not _alike(first, second):
            raise broken(
                box,
                record,
                f"with the same seed, {record.seed}, and the same actions the box showed {_short(first, second)}; "
                "a box that cannot repeat itself says seeded = False",
                depth,
            )
    if len(again.views) != len(record.views):
        raise broken(box, record, f"with the same seed, {record.seed}, and the same actions play ends elsewhere")


def _alike(first: View, second: View) -> bool:
    return all(_same(getattr(first, name), getattr(second, name)) for name in View._fields)


def _same(one: Any, other: Any) -> bool:
    """Return whether two parts of views are equal, or have equal texts."""
    try:
        return bool(one == other) or repr(one) == repr(other)
    except ValueError:  # arrays compare number by number
        return repr(one) == repr(other)


def _short(first: View, second: View) -> str:
    for name in View._fields:
        one, other = getattr(first, name), getattr(second, name)
        if not _same(one, other):
            return f"other {name} than before: {other!r:.80} instead of {one!r:.80}"
    return "something else than before"


def _odd(view: Any, error: BaseException) -> str:
    """Return what is wrong with a view, given the error that it caused."""
    sentence = None
    with suppress(*STRAY):  # it may not be a view at all
        sentence = misshapen(view)
    return sentence or f"the box showed {view!r:.200}, which is not a view ({told(error)})"


def _answered(box: Box, record: Playthrough, name: str, answer: Answer) -> View:
    try:
        return answer()
    except SimulatorError as error:
        if name == "step":
            raise
        raise broken(box, record, str(error)) from error
    except BoxError:
        raise
    except RulesError as error:
        raise broken(box, record, str(error)) from error
    except HannanError:
        raise
    except STRAY as error:
        raise broken(box, record, raised(f"{name}()", error)) from error


def broken(box: Box, record: Playthrough, sentence: str, depth: int | None = None) -> BoxError:
    """Return the error for a broken promise, with the path of play."""
    last = len(record.choices) if depth is None else depth
    return BoxError(f"node {path_text(box, record.views[: last + 1], record.choices[:last])}: {sentence}")


def path_text(box: Box, views: Sequence[View], choices: Sequence[tuple[int, ...]], most: int = 12) -> str:
    """Return the name of the history after the first choices."""
    words = ["r"]
    for view, choice in zip(views[:most], choices[:most], strict=False):
        words.append(_move_text(box, view, choice))
    return ":".join(words) + (" …" if len(choices) > most else "")


def _move_text(box: Box, view: View, choice: tuple[int, ...]) -> str:
    try:
        if view.draw is not None:
            return box.action_text(-2, view.draw.outcome)
        actions: list[Any] = [menu[k] for menu, k in zip(view.actions, choice, strict=True)]
        texts = [box.action_text(player, action) for player, action in zip(view.movers, actions, strict=True)]
    except STRAY:
        return ",".join(map(str, choice)) or "?"
    return texts[0] if len(texts) == 1 else f"({','.join(texts)})"
