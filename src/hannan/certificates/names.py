"""Numbers for the objects that a box names: actions, observations, outcomes, groups."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from hannan.errors import ParameterError
from hannan.rules.observations import ambiguous, canonical, unlasting, worded


@dataclass(frozen=True, slots=True)
class Text:
    """A name of which only the text is known, because it was read from a file."""

    text: str


class Names:
    """Numbers for names. Equal names have one number, and a text in files; a name from a file is known by its text."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._codes: dict[Hashable, int] = {}
        self._things: list[Hashable] = [Text(text) for text in texts]
        self._texts = {text: code for code, text in enumerate(texts)}
        """The numbers of names of which only the text is known."""

    def __len__(self) -> int:
        return len(self._things)

    def code(self, thing: Hashable) -> int:
        """Return the number of a name; a new name gets a new number."""
        code = self.known(thing)
        if code is None:
            code = len(self._things)
            self._things.append(thing)
            if isinstance(thing, Text):
                self._texts[thing.text] = code
            else:
                self._codes[thing] = code
        return code

    def since(self, count: int) -> list[Hashable]:
        """Return the names after the first `count`."""
        return self._things[count:]

    def extend(self, things: Sequence[Hashable]) -> None:
        """Number new names, as `since` returns them."""
        for thing in things:
            if isinstance(thing, Text):
                self._texts[thing.text] = len(self._things)
            else:
                self._codes[thing] = len(self._things)
            self._things.append(thing)

    def known(self, thing: Hashable) -> int | None:
        """Return the number of a name; None if it has none."""
        code = self._codes.get(thing)
        if code is None:
            if isinstance(thing, Text):
                code = self._texts.get(thing.text)
                if code is None and self._codes:
                    code = next((known for seen, known in self._codes.items() if canonical(seen) == thing.text), None)
            elif self._texts:
                code = self._recognised(thing)
        return code

    def _recognised(self, thing: Hashable) -> int | None:
        """Return the number of a name of which only the text was known."""
        code = self._texts.pop(canonical(thing), None)
        if code is not None:
            self._codes[thing], self._things[code] = code, thing
        return code

    def __getitem__(self, code: int) -> Hashable:
        return self._things[code]

    def text(self, code: int) -> str:
        """Return the text of a name."""
        thing = self._things[code]
        return thing.text if isinstance(thing, Text) else canonical(thing)

    def texts(self) -> list[str]:
        """Return every text, by number; refuse names whose texts change, or that share a text."""
        texts: dict[str, int] = {}
        for code, thing in enumerate(self._things):
            if isinstance(thing, Text):
                text = thing.text
            else:
                text, lasting = worded(thing)
                if not lasting:
                    raise ParameterError(unlasting(thing))
            if texts.setdefault(text, code) != code:
                raise ParameterError(ambiguous(self._things[texts[text]], thing))
        return list(texts)

    def things(self) -> dict[Hashable, int]:
        """Return the numbers of the names that are known as objects."""
        return dict(self._codes)
