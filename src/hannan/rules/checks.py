"""Check that a game keeps the promises of `Rules`: play it, and report the first broken promise."""

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
    """The result of a check of rules."""

    histories: int
    """The number of histories that were visited."""
    complete: bool
    """Whether these are all histories of the game."""
    plays: int
    """The number of single plays in addition to the visited histories."""
    decisions: int
    """The number of visited histories at which a player acts."""
    optional: tuple[str, ...]
    """The names of the optional methods that the rules define; the check covers them."""
    alike: int = 0
    """The number of information sets with the same observation as another set of the same player; only the player's own
    past actions distinguish them."""
    example: str = ""
    """Two histories in such sets."""
    warning: str = ""
    """A warning if the rules state other information sets than the ones that methods use; empty if they agree."""
    game: str = ""
    """The address of the game."""
    players: int = 0

    def record(self) -> dict[str, Any]:
        """Return the fields as a dictionary, for JSON."""
        return dict(vars(self))

    def __str__(self) -> str:
        extent = "all of them" if self.complete else "the first ones, level by level"
        words = f"no promise is broken: {self.histories:,} histories ({extent}) and {self.plays} plays to the end"
        if self.optional:
            words += f"; optional methods checked: {', '.join(self.optional)}"
        if self.warning:
            words += f". {self.warning}"
        return words if self.decisions else f"{words}; but no player ever acts"


def check_rules(rules: Rules, *, most: int = 100_000, plays: int = 100, seed: int = 0) -> Check:
    """Play a game and raise a `RulesError` that names the first broken promise with the path of play.

    The check makes `plays` plays to the end: one with first actions only, one with last actions only, then random
    ones. It looks for play that does not end, states that change, and answers that differ when asked again. It then
    visits up to `most` histories, level by level, and checks probabilities, gains, movers, that all histories of an
    information set have the same actions, and that these have different names. Optional methods that the rules define
    (`bounds`, `position`, `chance_group`, `features`) are checked everywhere, too. Compiled rules are compiled.
    """
    if not isinstance(rules, Rules):
        raise RulesError(f"{shown(rules)} is not a Rules object; make the game a subclass of hannan.Rules")
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
    """Count the sets that share observation and actions with another set of the player; name two such histories."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for (player, _, seen, _, _), menu, node in zip(walk.met, walk.menus, walk.first, strict=True):
        groups.setdefault((player, seen, menu), []).append(node)
    shared = [nodes for nodes in groups.values() if len(nodes) > 1]
    if not shared:
        return 0, ""
    one, other = shared[0][:2]
    return sum(map(len, shared)), f"{walk.name_of(one)} and {walk.name_of(other)}"


def recall_warning(rules: Rules, alike: int, example: str = "") -> str:
    """Return a warning that methods distinguish sets that the rules state as one; empty if the rules state no sets.

    Rules state no information sets if their observations hold only the news since the player's last choice.
    """
    if not (alike and rules.observations_name_sets):
        return ""
    return (
        f"The rules say that an observation names its information set (observations_name_sets), and {alike:,} sets "
        f"have the observation of another one{f', such as {example}' if example else ''}. Players forget their own "
        "choices there. Methods distinguish these sets, and so solve another game"
    )


def make_plays(rules: Rules, plays: int, seed: int = 0) -> None:
    """Play several times to the end; raise an error for the first broken promise."""
    for _ in each_play(rules, plays, seed):
        pass


def each_play(rules: Rules, plays: int, seed: int = 0) -> Iterator[tuple[list[int], list[Any]]]:
    """Play several times to the end, choosing moves differently each time; yield the move numbers and the states."""
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
                f"{node_text(rules, path)}: after() changed its argument `state`; return a new state instead"
            )
        again = ask(rules, path, "after", partial(rules.after, state, move))
        if not alike(following, again):
            raise RulesError(
                f"{node_text(rules, path)}: after() returned {shown(following)}, then {shown(again)} for {shown(move)}"
            )
        try:
            if following in seen:
                raise RulesError(f"{node_text(rules, [*path, number])}: a state occurs twice, so play may never end")
            seen.add(state)
        except TypeError:
            pass  # the limit on the number of moves covers states that cannot be hashed
        path.append(number)
        if len(path) >= MOST_MOVES:
            raise RulesError(f"{node_text(rules, path)}: {ENDLESS}")
        state = following
        states.append(state)


def _between(rules: Rules, path: list[int], question: Callable[..., None], *arguments: Any) -> None:
    """Call compiled rules with guarded arrays; an error names the path of play."""
    try:
        question(*arguments)
    except RulesError as error:
        raise RulesError(f"{node_text(rules, path)}: {error}") from error


def _menus(rules: Rules, path: list[int], state: Any, turn: int | tuple[int, ...]) -> list[list[Any]]:
    """Ask for the actions and observations of each mover (or the outcomes of chance), and for their names."""
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
    """Return the move with this number, in the order of a tree: the actions of the last mover vary fastest."""
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
    """Return the entries of an answer as a list; if it is not a collection (such as None), return the answer."""
    return list(answer) if isinstance(answer, Iterable) else answer


def _named(rules: Rules, path: list[int], name: str, question: Callable[[], object]) -> None:
    text = ask(rules, path, name, question)
    if not isinstance(text, str):
        raise RulesError(f"{node_text(rules, path)}: {name}() returned {text!r}, which is not a string")
