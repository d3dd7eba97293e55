"""What people read: messages in words of the game, and pages without lost links, wrong names and old phrases."""

from __future__ import annotations

import math
import re
from functools import cache
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import hannan as hn
from hannan.cli import COMMANDS, command
from hannan.cli.report import counted
from hannan.forms.outline import MOST_LISTED, outline, too_many, walk_size
from hannan.games import catalogue
from hannan.kernels.sampling.records import ALL
from hannan.renames import RENAMES
from hannan.rules.checks import check_rules
from hannan.solvers import METHODS
from hannan.strategies.seats import StrategyPlayer
from tests.phrases import ALLOWED, ROOT, found, pages
from tests.plaingames import Coins

FENCE = re.compile(r"^(`{3,}|:{3,}).*?^\1[`:]*$", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`[^`\n]+`")
NAME = re.compile(r"(?<![\w.])hn((?:\.[A-Za-z_]\w*)+)")
COMMAND = re.compile(r"^(?:\S*bin/|\$ )?hannan ([a-z]\w*)((?:[^\n]|\\\n)*)", re.MULTILINE)
PAGES = pages()


@pytest.mark.parametrize("name", ["gains", "actions", "chance"])
def test_an_answer_that_is_none_was_returned_and_not_raised(name: str) -> None:
    rules: Any = type("Silent", (Coins,), {name: lambda *_: None})()
    for use in (check_rules, hn.load):
        with pytest.raises(hn.errors.RulesError, match=rf"node r[:\w]*: {name}\(\) returned None; it should be a list"):
            use(rules)


def test_wrong_numbers_of_gains_are_counted() -> None:
    rules: Any = type("Short", (Coins,), {"gains": lambda *_: (0,)})()
    with pytest.raises(hn.errors.RulesError, match=r"gains\(\) returned 1 number for 2 players"):
        check_rules(rules)


def test_counted() -> None:
    told = [counted(1, "players"), counted(2, "players"), counted(1, "histories"), counted(1000, "histories")]
    assert told == ["1 player", "2 players", "1 history", "1,000 histories"]


def test_words_of_the_command_line(hannan: Any) -> None:
    for word in ("x", "1.5", "inf", "nan"):
        ran = hannan("solve", "kuhn_poker", "--seed", word)
        assert ran.code == 2
        assert f"--seed: {word!r} is not a whole number. hannan solve --help lists what there is." in ran.err
    ran = hannan("inspect", "kuhn_poker", "leduc_poker")
    assert ran.code == 2
    assert "unexpected argument 'leduc_poker'" in ran.err


def test_one_of_a_thing() -> None:
    locked = hn.lock("kuhn_poker", {0: {0: {"p": 1.0}}})
    assert locked.address == "kuhn_poker with 1 locked set"
    with pytest.raises(hn.errors.ParameterError, match="the game has 2 seats: name 2 players and not 1"):
        hn.match("kuhn_poker", "uniform", games=2)


def test_more_histories_than_a_float_counts() -> None:
    rules = catalogue.make("kuhn_poker", {})
    assert "has more than 1e308 histories (estimated)" in str(too_many(rules, math.inf, "why"))
    assert "has about 1.2e+03 histories (estimated)" in str(too_many(rules, 1234.0, "why"))


def test_a_list_is_taken_for_a_tuple() -> None:
    """Observations that came as JSON have lists; the player finds the same set."""

    class Pairs(Coins):
        def observe(self, state: Any, player: int) -> Any:
            return (state[player], (player, 0))

    policy = hn.Policy.of_profile(hn.profile(Pairs(), {0: {"*": [1, 0]}, 1: {"*": [0, 1]}}))
    player = StrategyPlayer(policy, 1)
    assert player.act(["h", [1, 0]], ["h", "t"]) == "t"
    player.reset()
    assert player.act(("h", (1, 0)), ["h", "t"]) == "t"


def test_large_menus_are_listed_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 cards: three hundred plays would list eighteen million of them."""
    rules, listed = catalogue.make("leduc_poker", {"ranks": 10_000}), [0]
    usual = rules.chance

    def chance(state: Any) -> Any:
        outcomes = usual(state)
        listed[0] += len(outcomes)
        return outcomes

    monkeypatch.setattr(rules, "chance", chance)
    assert outline(rules).histories > 1e12  # 20,000 · 19,999 deals, times 19,998 where the first round is over
    assert listed[0] <= MOST_LISTED + 3 * 20_000
    listed[0] = 0
    assert walk_size(rules, 0, ALL, False) > 3
    assert listed[0] <= MOST_LISTED + 3 * 20_000


@pytest.mark.parametrize("phrase", ALLOWED)
def test_phrases_that_may_not_come_back(phrase: str) -> None:
    """`python -m tests.phrases "PHRASE"` lists the places."""
    places = [f"{path.relative_to(ROOT)}:{line}: {said}" for path, line, said in found(phrase)]
    assert len(places) <= ALLOWED[phrase], f"{phrase!r} came back in one of these places:\n" + "\n".join(places)


def prose(path: Path) -> str:
    """Return a page without its code and its headings."""
    text = re.sub(r"^#.*", "", FENCE.sub("\n`code`\n", path.read_text(encoding="utf-8")), flags=re.MULTILINE)
    return SPAN.sub("`code`", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_words_are_not_doubled(page: Path) -> None:
    doubled = re.findall(r"(?i)(?<![\w'-])([a-z]{2,})(?: +|\n)\1(?![\w'-])", prose(page))
    assert [word for word in doubled if word.lower() not in ("had", "that", "rock")] == []


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and MyST make them."""
    titles = re.findall(r"^#+ (.*?) *$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", title).lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_headings(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8").replace("\\n", "\n")):
        if re.match(r"[a-z]+:", target):
            assert target.startswith("https://"), target
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path) if path else page
        assert there.exists(), target
        assert not anchor or there.suffix != ".md" or anchor in anchors(there.resolve()), target


def known(path: str) -> bool:
    """Return whether `hn.PATH` exists, as far as that shows without running it."""
    place: Any = hn
    for name in path.split("."):
        if name in RENAMES and place is hn:
            return False
        if not hasattr(place, name):
            fields = getattr(place, "__dataclass_fields__", {})
            return not isinstance(place, ModuleType) and (not isinstance(place, type) or name in fields)
        place = getattr(place, name)
    return True


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_names_in_pages_exist(page: Path) -> None:
    paths = set(NAME.findall(page.read_text(encoding="utf-8")))
    assert sorted(path for path in paths if not known(path[1:])) == []


@cache
def flags(name: str) -> frozenset[str] | None:
    """Return the flags of a command; of one that takes the parameters of methods, also those."""
    parameters = signature(command(name)).parameters
    taken = {p.replace("_", "-") for p in parameters} | {"json", "help", "lambda", "flag"}
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        for _, kind in METHODS.values():
            taken |= {p.replace("_", "-") for p in signature(getattr(hn.methods, kind)).parameters}
    return frozenset(taken)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_in_pages_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    code = [match[0] for match in FENCE.finditer(text)] + [
        span.strip("`") for span in SPAN.findall(FENCE.sub("", text))
    ]
    for name, rest in COMMAND.findall("\n".join(code)):
        assert name in COMMANDS, f"hannan {name}"
        for flag in re.findall(r"(?<![\w-])--([a-z][\w-]*)", rest.partition(" #")[0]):
            plain = flag.removeprefix("no-")
            assert {flag, plain} & (flags(name) or set()), f"hannan {name} --{flag}"
