"""Checked calls of plain-Python rules along a play: an error names the path of play."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import islice
from typing import Any, NoReturn

from hannan.errors import STRAY, ChanceError, HannanError, MismatchError, ParameterError, RulesError
from hannan.rules.observations import ambiguous, check_different, not_looked_up, unlasting, worded
from hannan.rules.paths import node_text
from hannan.rules.plain import CHANCE, Rules
from hannan.rules.promises import other_actions, raised, wrong_chance, wrong_gains, wrong_menu, wrong_turn

Menu = tuple[Hashable, ...]


class Inquiry:
    """Calls rules, checks their answers, and numbers their observations: equal observations have the same number."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.menus: dict[tuple[int, int], Menu] = {}
        """The actions at each visited set, by its player's memory and the observation's code."""
        self.codes: dict[Hashable, int] = {}
        self.restored: dict[str, int] = {}
        """Codes of observations that were read from a file and have not occurred yet, by their text."""
        self.named: dict[tuple[int, int], list[str]] = {}
        """The texts of the actions at sets that were read from a file, in the order of the file."""
        self.beginnings = tuple(range(-rules.players, 0))
        """The memory of each player before its first observation and action."""
        self._memories: dict[tuple[int, int, int], int] = {}  # by the memory before, what was seen, and what was done
        self._shared: dict[Menu, Menu] = {}
        self._read: frozenset[str] = frozenset()
        self._texts: dict[int, str] = {}
        self._unlasting: list[Hashable] = []

    def path(self) -> list[int]:
        """Return the numbers of the moves from the root to the current state."""
        return []

    def memory_of(self, before: int, seen: int, place: int) -> int:
        """Return the number of a player's memory after a choice; equal memories have equal numbers."""
        return self._memories.setdefault((before, seen, place), len(self._memories))

    def know(self, other: Inquiry) -> None:
        """Copy the codes, actions and memories of another inquiry into the same rules."""
        self.menus, self._shared, self.named = dict(other.menus), dict(other._shared), dict(other.named)
        self.codes, self.restored, self._read = dict(other.codes), dict(other.restored), other._read
        self._texts, self._unlasting, self._memories = {}, [], dict(other._memories)

    def recall(
        self,
        labels: Sequence[str],
        met: Mapping[Hashable, int] | None = None,
        named: dict[tuple[int, int], list[str]] | None = None,
    ) -> None:
        """Forget everything except the given observations: `labels` are texts by code, `met` codes by observation.

        `named` are the texts of the actions at sets, if known.
        """
        self.menus, self.codes, self.named = {}, dict(met or {}), named or {}
        known = set(self.codes.values())
        self.restored = {text: code for code, text in enumerate(labels) if code not in known}
        if len(self.restored) + len(known) != len(labels):
            raise MismatchError("two observations in the file have the same text")
        self._read = frozenset(self.restored)
        self._texts, self._unlasting = {}, []

    def _gains(self, state: Any) -> Sequence[Any]:
        try:  # here and below without `_ask`: the additional call would take a tenth of a walk's time
            gains = self.rules.gains(state)
        except STRAY as error:
            self._raised("gains", error)
        if (sentence := wrong_gains(gains, self.rules.players)) is not None:
            self._fail(sentence)
        return gains

    def _turn(self, state: Any) -> int | tuple[int, ...]:
        try:
            turn = self.rules.turn(state)
        except STRAY as error:
            self._raised("turn", error)
        if type(turn) is int and CHANCE <= turn < self.rules.players:
            return turn
        if (sentence := wrong_turn(turn, self.rules.players)) is not None:
            self._fail(sentence)
        return tuple(int(player) for player in turn) if isinstance(turn, tuple) else int(turn)

    def _chance(self, state: Any) -> tuple[Menu, list[float]]:
        """Return the outcomes and their probabilities."""
        outcomes = self._ask("chance", self.rules.chance, state)
        if (sentence := wrong_chance(outcomes)) is not None:
            self._fail(sentence, ChanceError)
        return tuple([outcome for outcome, _ in outcomes]), [float(weight) for _, weight in outcomes]

    def _menu(self, state: Any, player: int) -> Menu:
        try:
            menu = tuple(self.rules.actions(state, player))
            sentence = wrong_menu(player, menu)
        except STRAY as error:
            self._raised("actions", error)
        if sentence is not None:
            self._fail(sentence)
        return menu

    def _observed(self, state: Any, player: int) -> tuple[Hashable, int]:
        """Return the observation of a player, and its code."""
        try:
            seen = self.rules.observe(state, player)
        except STRAY as error:
            self._raised("observe", error)
        try:
            code = self.codes.get(seen)
            return seen, self.code(seen) if code is None else code
        except HannanError:
            raise
        except STRAY as error:
            self._fail(not_looked_up(seen, error), cause=error)

    def names_at(self, key: tuple[int, int]) -> list[str] | None:
        """Return the texts of the actions at a set; None if they are unknown or differ between processes."""
        menu = self.menus.get(key)
        if menu is None:
            return self.named.get(key)
        texts = [worded(action) for action in menu]
        return [text for text, _ in texts] if all(lasting for _, lasting in texts) else None

    def _in_order(self, key: tuple[int, int], menu: Menu) -> Menu:
        """Return actions in the order of the file; refuse actions that the file does not have."""
        named = self.named.get(key)
        if named is None or (key in self.menus and self.menus[key] == menu):
            return menu
        texts = [worded(action)[0] for action in menu]
        if sorted(texts) != sorted(named):
            self._fail(f"the actions are {', '.join(texts)}, and in the file {', '.join(named)}")
        return tuple(menu[texts.index(text)] for text in named)

    def _compare(self, key: tuple[int, int], player: int, seen: Hashable, menu: Menu) -> None:
        """Refuse actions that differ from those at the set's other histories."""
        known = self.menus.get(key)
        if known is None:
            self.menus[key] = self._shared.setdefault(menu, menu)
        elif known != menu:
            text = self._ask("observation_text", self.rules.observation_text, player, seen)
            self._fail(other_actions(player, menu, text))

    def code(self, seen: Hashable) -> int:
        """Return the number of an observation; a new observation gets the next number."""
        code = self.codes.get(seen)
        if code is None:
            code = self._taken_over(seen) if self._read else -1
            if code < 0:
                code = len(self.codes) + len(self.restored)
            self.codes[seen] = code
        return code

    def _taken_over(self, seen: Hashable) -> int:
        """Return the code of an observation in the file, or -1 if the file does not have it."""
        text = worded(seen)[0]
        code = self.restored.pop(text, -1)
        if code < 0 and text in self._read:
            self._fail(ambiguous(seen, next(other for other in self.codes if worded(other)[0] == text)))
        return code

    def texts(self) -> list[str]:
        """Return the text of each code's observation, including texts that are not reliable."""
        for seen, code in islice(self.codes.items(), len(self._texts), None):
            self._texts[code], lasting = worded(seen)
            if not lasting:
                self._unlasting.append(seen)
        names = self._texts | {code: text for text, code in self.restored.items()}
        return [names[code] for code in range(len(names))]

    def labels(self) -> list[str]:
        """Return the text of each code's observation, for a file; refuse observations without a reliable text."""
        texts = self.texts()
        if self._unlasting:
            raise ParameterError(unlasting(self._unlasting[0]))
        check_different(self.codes, texts)
        return texts

    def _ask(self, name: str, question: Any, *arguments: Any) -> Any:
        try:
            return question(*arguments)
        except STRAY as error:
            self._raised(name, error)

    def _raised(self, name: str, error: BaseException) -> NoReturn:
        """Raise a RulesError for an error in a function of the rules; a HannanError is raised unchanged."""
        if isinstance(error, HannanError):
            raise error
        self._fail(raised(f"{name}()", error), cause=error)

    def _fail(
        self, sentence: str, kind: type[HannanError] = RulesError, cause: BaseException | None = None
    ) -> NoReturn:
        raise kind(f"{node_text(self.rules, self.path())}: {sentence}") from cause
