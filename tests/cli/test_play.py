"""`hannan play`: a person who is told what its seat sees, and what its choices cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.cli.person import understood
from hannan.rules.paths import moves_at


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Type lines at the prompt; after the last one the input ends, or an error comes."""

    def typed(*lines: Any) -> None:
        left: Iterator[Any] = iter(lines)

        def line(question: str) -> str:
            print(question)
            word = next(left, EOFError)
            if isinstance(word, type):
                raise word
            return str(word(question) if callable(word) else word)

        monkeypatch.setattr("builtins.input", line)

    return typed


def first(question: str) -> str:
    """Take the first action of the menu."""
    return question.removesuffix(" > ").split("  ")[0].split(" ")[-1]


def earned(address: str, moves: list[str]) -> list[float]:
    """What everybody earns on a path of play, by the rules alone."""
    rules = hn.load(address).played().rules
    state = rules.start()
    total = np.array(rules.gains(state), float)
    for text in moves:
        (move,) = [move for move, name in moves_at(rules, state) if name == text]
        state = rules.after(state, move)
        total += np.array(rules.gains(state), float)
    assert rules.turn(state) == hn.END
    return [float(gain) for gain in total]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "opponents"),
    [
        ("kuhn_poker", ()),
        ("leduc_poker", ("cfr(iterations=20)",)),
        ("goofspiel(cards=4)", ("uniform",)),
        ("kuhn_poker(players=3)", ("cfr(iterations=20)", "uniform")),
        ("goofspiel(cards=3,information=open)", ("search(iterations=50)",)),
    ],
)
def test_plays_follow_the_rules(hannan: Any, typing: Any, address: str, opponents: tuple[str, ...]) -> None:
    """Every play is one of the game, the person earns what its seat does there, and took what was typed."""
    typing(*[first] * 200)
    ran = hannan("play", address, *opponents, "--games", "6", "--seed", "4", "--json")
    record, players = ran.record, hn.load(address).players
    assert (ran.code, record["stop"], record["games"]) == (0, "games", 6)
    assert [one["seat"] for one in record["plays"]] == [k % players for k in range(6)]
    for one in record["plays"]:
        assert earned(address, one["moves"])[one["seat"]] == one["earned"]
    assert record["total"] == sum(one["earned"] for one in record["plays"])
    assert record["mean"] == pytest.approx(record["total"] / 6)


@pytest.mark.parametrize("action", ["p", "b"])
@pytest.mark.parametrize("seed", range(4))
def test_costs_are_what_changing_the_strategy_loses(hannan: Any, typing: Any, action: str, seed: int) -> None:
    """The first choice in Kuhn poker, which is come to in a third of all plays, against a random profile."""
    profile = hn.random_profile("kuhn_poker", seed=seed)
    hn.save(profile, "random.strategy")
    typing(action, *["1"] * 9)
    record = hannan("play", "kuhn_poker", "random.strategy", "--games", "1", "--seat", "0", "--json").record
    first = record["plays"][0]["choices"][0]
    assert (first["seen"] in "JQK", first["action"]) == (True, action)
    values = {
        one: hn.evaluate("kuhn_poker", profile.with_({0: {first["seen"]: {one: 1}}})).values[0] for one in ("p", "b")
    }
    best = max(values, key=lambda one: values[one])
    assert first["best"] == best
    assert first["cost"] == pytest.approx(3 * (values[best] - values[action]), abs=1e-12)


@pytest.mark.parametrize(("opponents", "judged"), [(("cfr(iterations=20)",), True), (("uniform", "cfr"), False)])
def test_choices_are_judged_where_all_others_play_one_strategy(
    hannan: Any, typing: Any, opponents: tuple[str, ...], judged: bool
) -> None:
    """What a choice costs depends on all of them, and the numbers are those of one profile."""
    typing(*["1"] * 9)
    record = hannan("play", "kuhn_poker(players=3)", *opponents, "--games", "1", "--seat", "0", "--json").record
    assert all((choice["cost"] is not None) == judged for choice in record["plays"][0]["choices"])
    assert (record["cost"] is not None) == judged


def test_a_seat_sees_its_own_and_is_told_the_rest_afterwards(hannan: Any, typing: Any) -> None:
    typing("hint", "what", "?", "b", "quit")
    ran = hannan("play", "kuhn_poker", "uniform", "--seed", "7", "--seat", "0")
    before, after = ran.out.split("the play: ", 1)
    card = after.split()[0]
    assert f"you are player 0\nyou see: {card}\n" in before
    assert "the strategy: p 0.500  b 0.500" in before
    assert "'what' is not one of your actions" in before
    assert before.count("type an action, its number or how it begins") == 3
    assert "in 1 play\n" in after
    assert "your choices cost" in after
    assert ran.code == 0


@pytest.mark.parametrize(("end", "stop"), [(EOFError, "quit"), (KeyboardInterrupt, "interrupted"), ("quit", "quit")])
def test_whoever_has_enough_gets_the_score_so_far(hannan: Any, typing: Any, end: Any, stop: str) -> None:
    """The play that is under way does not count."""
    typing("p", "p", "p", "p", end)
    ran = hannan("play", "kuhn_poker", "cfr", "--seed", "1", "--record", "plays.jsonl", "--json")
    assert (ran.code, ran.record["stop"]) == (0, stop)
    kept = [json.loads(line) for line in Path("plays.jsonl").read_text().splitlines()]
    assert kept == ran.record["plays"]
    assert 0 < len(kept) < 5


def test_nothing_played_is_nothing_lost(hannan: Any, typing: Any) -> None:
    typing()
    assert hannan("play", "kuhn_poker", "uniform", "--json").record["games"] == 0
    typing()
    assert hannan("play", "kuhn_poker", "uniform").code == 0


def test_the_same_seed_is_the_same_play(hannan: Any, typing: Any) -> None:
    plays = []
    for seed in ("5", "5", "6"):
        typing(*["1"] * 40)
        record = hannan("play", "leduc_poker", "uniform", "--games", "5", "--seed", seed, "--json").record
        plays.append(record["plays"])
    assert plays[0] == plays[1] != plays[2]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("kuhn_poker", "uniform", "uniform"), "2 opponents for 1 seat: give one, or one for each"),
        (("kuhn_poker", "uniform", "--seat", "2"), "player"),
        (("kuhn_poker", "uniform", "--games", "0"), "games"),
        (("kuhn_poker", "nobody"), "'nobody' is neither a file nor a player"),
        (("kuhn_poker", "uniform", "--record", "nowhere/x"), "there is no folder nowhere"),
        (("kuhn_pokr",), "kuhn_poker"),
        (("kuhn_poker", "k.strategy", "--record", "k.strategy"), "--record names k.strategy, which is read"),
    ],
)
def test_refusals(hannan: Any, words: tuple[str, ...], sentence: str) -> None:
    hn.save(hn.uniform("kuhn_poker"), "k.strategy")
    ran = hannan("play", *words)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err


@pytest.mark.parametrize(
    ("word", "names", "place"),
    [
        ("b", ["p", "b"], 1),
        ("2", ["p", "b"], 1),
        ("3", ["p", "b"], None),
        ("2", ["1", "2", "3"], 1),
        ("2", ["4", "2"], 1),
        ("1", ["4", "2"], None),
        ("ra", ["fold", "raise", "call"], 1),
        ("r", ["raise", "run"], None),
        ("quit", ["quit", "go"], 0),
        (":quit", ["quit", "go"], "quit"),
        ("Hint", ["p", "b"], "hint"),
        ("", ["p"], None),
        ("a", ["a", "a"], None),
        ("²", ["p", "b"], None),
    ],
)
def test_what_is_typed(word: str, names: list[str], place: int | str | None) -> None:
    assert understood(word, names) == place


def test_the_board_is_shown_and_actions_are_explained(hannan: Any, typing: Any) -> None:
    typing("b")
    told = hannan("play", "kuhn_poker", "uniform", "--seed", "3", "--games", "1", "--seat", "0").out.splitlines()
    assert "your card Q; no player has bet, the pot is 2" in told
    assert "  b: bet one chip; after a bet, call it" in told
    typing("help", "right", "quit")
    told = hannan("play", "tron", "uniform", "--seed", "3", "--games", "1", "--seat", "0").out.splitlines()
    assert told[told.index("@ you, o the other, # walls:") + 1] == "@ . ."
    assert told.count("  right, down: one cell in this direction") == 2  # at once, and after the word help
