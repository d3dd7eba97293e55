"""Scanner of Gambit files: quoted texts, whole numbers, fractions and decimals, with their line and column."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from os import PathLike
from typing import NoReturn

from hannan.errors import FileError
from hannan.files import read_bytes
from hannan.rules.plain import MOST_GAIN, MOST_PLAYERS

TEXT = r'"((?:[^"\\]|\\.)*+)"'
"""A quoted text, as a group of a regular expression (with DOTALL)."""
NUMBER = re.compile(r"[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?(?:/\d++)?")
_WORD = re.compile(r"\s*+")
_QUOTED = re.compile(TEXT, re.DOTALL)
_WHOLE = re.compile(r"\d++")
_SHOWN = re.compile(r'[^\s{}",]{1,20}|.', re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\])')

MOST_LETTERS = 400
"""The most letters of a number."""


def source(path: str | PathLike[str]) -> str:
    """Return the text of a file: UTF-8, or else Latin-1."""
    data = read_bytes(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def plain(quoted: str) -> str:
    """Return a quoted text without its backslash escapes."""
    return _ESCAPED.sub(r"\1", quoted) if "\\" in quoted else quoted


def quote(text: str) -> str:
    """Write a text in quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@lru_cache(maxsize=1 << 14)
def exact(number: str) -> Fraction:
    """Return a written number as an exact fraction; raise ValueError if it is not a number or far too large."""
    if len(number) > MOST_LETTERS or NUMBER.fullmatch(number) is None:
        raise ValueError(number)
    above, _, below = number.partition("/")
    _, e, power = above.lower().partition("e")
    if e and abs(int(power)) > MOST_LETTERS:
        raise ValueError(number)
    if below and not int(below):
        raise ValueError(number)
    value = Fraction(above) / int(below) if below else Fraction(above)
    if abs(value) > MOST_GAIN:
        raise ValueError(number)
    return value


class Scanner:
    """A place in a file's text, with methods that read what must come next."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path, self.at = text, path, 0

    def fail(self, sentence: str, at: int | None = None) -> NoReturn:
        """Raise an error that names the line and the column."""
        place = min(self.at if at is None else at, len(self.text))
        line = self.text.count("\n", 0, place) + 1
        column = place - self.text.rfind("\n", 0, place)
        raise FileError(f"{self.path}, line {line}, column {column}: {sentence}")

    def skip(self) -> None:
        """Skip white space."""
        blank = _WORD.match(self.text, self.at)
        assert blank is not None
        self.at = blank.end()

    @property
    def next(self) -> str:
        """The next letter after white space; empty at the end of the file."""
        self.skip()
        return self.text[self.at : self.at + 1]

    def shown(self) -> str:
        """Return the next word, for an error."""
        self.skip()
        word = _SHOWN.match(self.text, self.at)
        return "the end of the file" if word is None else repr(word[0])

    def word(self, word: str, what: str) -> None:
        """Skip a word that must come next."""
        self.skip()
        if not self.text.startswith(word, self.at):
            self.fail(f"{what} should begin with {word}; found {self.shown()}")
        self.at += len(word)

    def sign(self, sign: str, what: str) -> None:
        """Skip a sign that must come next."""
        if self.next != sign:
            self.fail(f"{what} needs {sign!r} here; found {self.shown()}")
        self.at += 1

    def comma(self) -> None:
        """Skip a comma, if one comes next."""
        if self.next == ",":
            self.at += 1

    def quoted(self, what: str) -> str:
        """Return a quoted text that must come next."""
        if self.next != '"':
            self.fail(f"{what} should be a text in quotes; found {self.shown()}")
        match = _QUOTED.match(self.text, self.at)
        if match is None:
            self.fail(f"{what}: the quote is never closed")
        self.at = match.end()
        return plain(match[1])

    def whole(self, what: str) -> int:
        """Return a whole number that must come next."""
        self.skip()
        match = _WHOLE.match(self.text, self.at)
        if match is None:
            self.fail(f"{what} should be a whole number; found {self.shown()}")
        if len(match[0]) > 18:
            self.fail(f"{what} is far too large")
        self.at = match.end()
        return int(match[0])

    def number(self, what: str) -> str:
        """Return a number that must come next, as written in the file."""
        self.skip()
        match = NUMBER.match(self.text, self.at)
        if match is None:
            self.fail(f"{what} should be a number such as 1, -1/2 or 0.25; found {self.shown()}")
        try:
            exact(match[0])
        except ValueError:
            self.fail(f"{what}, {match[0][:20]}, is out of range or divides by 0")
        self.at = match.end()
        return match[0]

    def quotes(self, what: str) -> list[str]:
        """Return the texts of a list in braces."""
        self.sign("{", what)
        texts: list[str] = []
        while self.next != "}":
            texts.append(self.quoted(f"{what}, number {len(texts) + 1},"))
        self.at += 1
        return texts

    def numbers(self, what: str, stop: str = "}") -> list[str]:
        """Return the numbers up to the sign `stop`, or to the end of the file if it is empty; commas are optional."""
        numbers: list[str] = []
        while self.next != stop:
            numbers.append(self.number(f"{what}, number {len(numbers) + 1},"))
            self.comma()
        self.at += 1
        return numbers

    def header(self, kind: str, version: int) -> tuple[str, list[str]]:
        """Return the title and the players' names from the beginning of a file."""
        self.word(kind, "the file")
        at = self.at
        if (given := self.whole("the version of the format")) != version:
            self.fail(f"this is version {given} of the format; only version {version} can be read", at)
        if self.next not in ("R", "D"):
            self.fail(f"R or D (rational or decimal numbers) should follow the version; found {self.shown()}")
        self.at += 1
        title = self.quoted("the title")
        self.skip()
        at = self.at
        players = self.quotes("the list of players")
        if not 1 <= len(players) <= MOST_PLAYERS:
            self.fail(f"there are {len(players)} players; expected 1 to {MOST_PLAYERS}", at)
        return title, players


def different(names: list[str]) -> tuple[str, ...]:
    """Return names that are all different; an empty name becomes its number, counted from 1."""
    result: list[str] = []
    taken = set(names)
    used: set[str] = set()
    for number, name in enumerate(names, 1):
        text = name
        if not name or name in used:
            text = f"{name}#{number}" if name else str(number)
            while text in taken or text in used:
                text += "'"
        used.add(text)
        result.append(text)
    return tuple(result)
