"""Does a game keep the promises that `Rules` makes? Play it and name the first one that is broken."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from operator import itemgetter
from typing import Any

from hannan.arguments import count, shown, whole
from hannan.arguments import seed as checked_seed
from hannan.errors import ChanceError, RulesError, SizeError
from hannan.rules.compiled import OPTIONAL, CompiledRules
from hannan.rules.guarded import Guarded
from hannan.rules.optional import Answers, OptionalWalk, check_play
from hannan.rules.paths import node_text
from hannan.rules.plain import CHANCE, END, MOST_MOVES, Rules, movers
from hannan.rules.promises import (
    ENDLESS,
    UNORDERED,
    check_players,
    too_many_joint,
    wrong_chance,
    wrong_gains,
    wrong_menu,
    wrong_turn,
)
from hannan.rules.questions import alike, ask, snapshot, twice, written_alike
from hannan.rules.walk import PlainWalk


@dataclass(frozen=True)
class Check:
    """What a check has seen."""

    histories: int
    """How many histories were visited."""
    complete: bool
    """Whether these are all there are."""
    plays: int
    """How many single plays were made besides."""
    decisions: int
    """At how many of the histories a player decides."""
    optional: tuple[str, ...]
    """The optional methods that the rules write, and that were checked with the others."""
    alike: int = 0
    """How many information sets have the same observation as another set of the same player: only the player's own past
    choices distinguish them."""
    example: str = ""
    """Two histories that lie in such sets."""
    warning: str = ""
    """What the rules say of information sets and methods do not do; empty if there is no such difference."""
    game: str = ""
    """The address of the game."""
    players: int = 0

    def record(self) -> dict[str, Any]:
        """Return the facts for machines."""
        return dict(vars(self))

    def __str__(self) -> str:
        extent = "all of them" if self.complete else "the first ones, level by level"
        words = f"no promise is broken: {self.histories:,} histories ({extent}) and {self.plays} plays to the end"
        if self.optional:
            words += f"; checked besides: {', '.join(self.optional)}"
        if self.warning:
            words += f". {self.warning}"
        return words if self.decisions else f"{words}; but nobody ever decides"


def check_rules(rules: Rules, *, most: int = 100_000, plays: int = 100, seed: int = 0) -> Check:
    """Play a game and raise a `RulesError` that names the first broken promise with the path of play.

    Makes `plays` plays to the end (the first and the last action always, then random ones), looking for lines
    without end, states that change, and answers that differ when asked again; then visits up to `most` histories,
    level by level, checking probabilities, gains, movers and that actions agree inside each information set and have
    different names. Optional methods that are written (`bounds`, `position`, `chance_group`, `features`) are checked
    everywhere, too. Compiled rules are compiled.
    """
    if not isinstance(rules, Rules):
        raise RulesError(f"{shown(rules)} is no Rules object; make the game a subclass of hannan.Rules")
    most, plays, seed = count("most", most), whole("plays", plays, 0), checked_seed(seed)
    check_players(rules)
    answers = Answers(rules)
    for path, states in each_play(rules, plays, seed):
        check_play(answers, path, states)
    if isinstance(rules, CompiledRules):
        rules.compiled()
        for name in OPTIONAL:
            rules.compiled_optional(name)
    walk = OptionalWalk(rules, answers)
    complete = True
    while walk.frontier and complete:
        try:
            walk.level(most)
        except SizeError:
            complete = False
    walk.conclude()
    decisions = sum(turn > 0 for turn in walk.turn)
    alike, example = _presented_alike(walk)
    warning = recall_warning(rules, alike, example)
    return Check(
        len(walk.turn), complete, plays, decisions, answers.written, alike, example, warning, players=rules.players
    )


def _presented_alike(walk: PlainWalk) -> tuple[int, str]:
    """Count the sets at which a player observes the same, and may do the same, as at another one; name two of them."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for (player, _, seen, _, _), menu, node in zip(walk.met, walk.menus, walk.first, strict=True):
        groups.setdefault((player, seen, menu), []).append(node)
    shared = [nodes for nodes in groups.values() if len(nodes) > 1]
    if not shared:
        return 0, ""
    one, other = shared[0][:2]
    return sum(map(len, shared)), f"{walk.name_of(one)} and {walk.name_of(other)}"


def recall_warning(rules: Rules, alike: int, example: str = "") -> str:
    """Say that methods keep sets apart which the rules state as one; empty if the rules state no such sets.

    Rules whose observations hold what is new since the player's last choice state no sets: there is nothing to say.
    """
    if not (alike and rules.observations_name_sets):
        return ""
    return (
        f"The rules say that an observation names its information set (observations_name_sets), and {alike:,} sets "
        f"have the observation of another one{f', such as {example}' if example else ''}. Players forget their own "
        "choices there; methods keep these sets apart, and so solve another game"
    )


def make_plays(rules: Rules, plays: int, seed: int = 0) -> None:
    """Play to the end several times, and name the first promise that is broken."""
    for _ in each_play(rules, plays, seed):
        pass


def each_play(rules: Rules, plays: int, seed: int = 0) -> Iterator[tuple[list[int], list[Any]]]:
    """Play to the end several times, each with another way of choosing; yield the numbers of moves, and the states."""
    draw = random.Random(seed)
    choose: list[Callable[[Sequence[Any]], Any]] = [itemgetter(0), itemgetter(-1), *[draw.choice] * plays]
    for way in choose[:plays]:
        yield _play(rules, way)


def _play(rules: Rules, choose: Callable[[Sequence[Any]], Any]) -> tuple[list[int], list[Any]]:
    path: list[int] = []
    state = twice(rules, path, "start", rules.start, alike)
    guarded = Guarded(rules) if isinstance(rules, CompiledRules) and not rules.ours else None
    if guarded is not None:
        _between(rules, path, guarded.start)
    states, seen = [state], set()
    while True:
        before = snapshot(state)
        turn = twice(rules, path, "turn", partial(rules.turn, state))
        if (sentence := wrong_turn(turn, rules.players)) is not None:
            raise RulesError(f"{node_text(rules, path)}: {sentence}")
        gains = twice(rules, path, "gains", partial(_gains, rules, state), written_alike)
        if (sentence := wrong_gains(gains, rules.players)) is not None:
            raise RulesError(f"{node_text(rules, path)}: {sentence}")
        menus = [] if turn == END else _menus(rules, path, state, turn)
        if guarded is not None:
            _between(rules, path, guarded.node, state)
        if turn == END:
            return path, states
        if (sentence := too_many_joint(many := prod(map(len, menus)))) is not None:
            raise RulesError(f"{node_text(rules, path)}: {sentence}")
        number = choose(range(many))
        move = _move(menus, number, joint=isinstance(turn, tuple))
        following = ask(rules, path, "after", partial(rules.after, state, move))
        if guarded is not None:
            _between(rules, path, guarded.move, state, move if isinstance(turn, tuple) else (move,))
        if before is not None and snapshot(state) != before:
            raise RulesError(
                f"{node_text(rules, path)}: after() changed the state it was given; return a new state instead"
            )
        again = ask(rules, path, "after", partial(rules.after, state, move))
        if not alike(following, again):
            raise RulesError(
                f"{node_text(rules, path)}: after() returned {shown(following)}, then {shown(again)} for {shown(move)}"
            )
        try:
            if following in seen:
                raise RulesError(f"{node_text(rules, [*path, number])}: a state comes back, so play need not end")
            seen.add(state)
        except TypeError:
            pass  # states that cannot be hashed are only watched for their number
        path.append(number)
        if len(path) >= MOST_MOVES:
            raise RulesError(f"{node_text(rules, path)}: {ENDLESS}")
        state = following
        states.append(state)


def _between(rules: Rules, path: list[int], question: Callable[..., None], *arguments: Any) -> None:
    """Ask compiled rules between guards, and name the path of play where they break them."""
    try:
        question(*arguments)
    except RulesError as error:
        raise RulesError(f"{node_text(rules, path)}: {error}") from error


def _menus(rules: Rules, path: list[int], state: Any, turn: int | tuple[int, ...]) -> list[list[Any]]:
    """Ask what each mover can do (or chance) and what it sees, and how all this is called."""
    if turn == CHANCE:
        outcomes = twice(rules, path, "chance", partial(_outcomes, rules, state), written_alike)
        if (sentence := wrong_chance(outcomes)) is not None:
            raise ChanceError(f"{node_text(rules, path)}: {sentence}")
        menus = {CHANCE: [outcome for outcome, _ in outcomes]}
    else:
        menus = {}
        for player in movers(turn):
            menus[player] = twice(rules, path, "actions", partial(_listed, rules, state, player))
            sentence = ask(rules, path, "actions", partial(wrong_menu, player, menus[player]))
            if sentence is not None:
                raise RulesError(f"{node_text(rules, path)}: {sentence}")
            seen = twice(rules, path, "observe", partial(rules.observe, state, player))
            _named(rules, path, "observation_text", partial(rules.observation_text, player, seen))
    for player, menu in menus.items():
        for action in menu:
            _named(rules, path, "action_text", partial(rules.action_text, player, action))
    return list(menus.values())


def _move(menus: list[list[Any]], number: int, joint: bool) -> Any:
    """Return the move with this number, in the order of a tree: the last mover's actions run fastest."""
    move: list[Any] = []
    for menu in reversed(menus):
        number, k = divmod(number, len(menu))
        move.append(menu[k])
    return tuple(reversed(move)) if joint else move[0]


def _listed(rules: Rules, state: Any, player: int) -> Any:
    return _copied(rules.actions(state, player))


def _outcomes(rules: Rules, state: Any) -> Any:
    outcomes = rules.chance(state)
    return [(outcome, weight) for outcome, weight in outcomes] if isinstance(outcomes, Iterable) else outcomes


def _gains(rules: Rules, state: Any) -> Any:
    gains = rules.gains(state)
    return gains if isinstance(gains, UNORDERED) else _copied(gains)


def _copied(answer: Any) -> Any:
    """Return a list of what an answer holds; the answer itself if it holds nothing, as None does."""
    return list(answer) if isinstance(answer, Iterable) else answer


def _named(rules: Rules, path: list[int], name: str, question: Callable[[], object]) -> None:
    text = ask(rules, path, name, question)
    if not isinstance(text, str):
        raise RulesError(f"{node_text(rules, path)}: {name}() returned {text!r}, which is not a string")
