"""Gambit's files: what is in them, what is wrong with them, and what comes back when they are written."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hannan as hn
from hannan.exports.gambit.numbers import fraction, odds
from hannan.exports.gambit.text import efg_text, export_game, nfg_text
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded
from hannan.interop.gambit.efg import parse_efg, read_efg
from hannan.interop.gambit.nfg import parse_nfg, read_nfg
from hannan.interop.gambit.record import CHANCE, TERMINAL, EfgGame, NfgGame, StatedSet
from hannan.interop.gambit.rules import EfgRules
from hannan.rules.walk import PlainWalk
from tests.delegating import Delegating
from tests.interop.fuzz import FILES, fuzz

TREES = sorted(path.name for path in FILES.glob("*.efg"))
TABLES = sorted(path.name for path in FILES.glob("*.nfg"))
FORGETFUL = ("absent.efg", "forgets.efg")

POKER = (FILES / "poker.efg").read_text(encoding="utf-8")


def ends(game: EfgGame) -> Any:
    """List what each end of play pays, gains on the way included, by a recursion of its own."""
    rules = EfgRules(game)

    def below(node: int, so_far: tuple[Fraction, ...]) -> list[tuple[Fraction, ...]]:
        here = tuple(a + b for a, b in zip(so_far, rules.exact_gains(node), strict=True))
        if game.player[node] == TERMINAL:
            return [here]
        return [end for child in game.children(node) for end in below(child, here)]

    return below(0, (Fraction(0),) * len(game.players))


def test_what_the_dialects_say() -> None:
    game = read_efg(FILES / "dialect.efg")
    F = Fraction
    assert ends(game) == [(F(3, 2), F(0)), (F(-1), F(-1)), (F(1, 2), F(-1)), (F(-5, 3), F(-7, 3))]
    assert [stated.name for stated in game.sets] == ["", "named later"]
    assert game.sets[0].odds == (F(1, 4), F(3, 4))
    assert game.labels == {1: "here"}
    assert ends(read_efg(FILES / "three.efg")) == [
        (1, 1, 2), (0, 2, -1), (0, 2, -1), (2, 0, 1), (0, 0, 0),
    ]  # fmt: skip
    comment = read_efg(FILES / "thirds.efg").comment
    assert comment == 'Chance is thirds and sevenths; "quoted", a backslash \\ and a line\nbreak stand in this comment.'
    assert ends(read_efg(FILES / "alike.efg")) == [(1, 2), (F(-1, 10), F(1, 2)), (1, 2), (F(-1, 10), F(1, 2)), (0, 0)]
    assert ends(read_efg(FILES / "over.efg")) == [(2, -3)]


def test_what_the_tables_say() -> None:
    F = Fraction
    dims, named, outcomes = (read_nfg(FILES / name) for name in TABLES)
    assert dims.strategies == [("1", "2"), ("1", "2", "3")]
    assert [dims.at(k) for k in range(6)] == [(1, 1), (0, 2), (0, 2), (1, 1), (F(1, 3), F(-1, 3)), (F(1, 2), F(-1, 2))]
    assert (named.comment, named.strategies[0]) == ("A comment.", ("ballet", "fight"))
    game = load_expanded(FILES / "outcomes.nfg")
    second = (-1.0, 2.5, 1 / 3)
    expected = {"a c e": (1, 1, 1), "a d e": second, "b c f": second, "b d f": (1, 1, 1)}
    for joint in ((a, b, c) for a in "ab" for b in "cd" for c in "ef"):
        assert tuple(game.rules.gains(joint)) == expected.get(" ".join(joint), (0, 0, 0))
    assert outcomes.outcomes is not None


@pytest.mark.parametrize("name", TREES)
def test_a_tree_comes_back_as_it_was(name: str) -> None:
    record = read_efg(FILES / name)
    again = parse_efg(efg_text(FILES / name))
    for field in ("title", "players", "comment", "player", "set_of", "outcome_of", "child", "labels", "sets"):
        assert getattr(again, field) == getattr(record, field), field
    assert ends(again) == ends(record)
    assert (again.outcome_names, again.outcome_numbers) == (record.outcome_names, record.outcome_numbers)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_comes_back_as_it_was(name: str) -> None:
    assert parse_nfg(nfg_text(FILES / name)) == read_nfg(FILES / name)


def same_game(one: ExpandedGame, other: ExpandedGame) -> None:
    """Both have the same sets, with the same actions, and the same value of every profile."""
    assert one.sizes.sets == other.sizes.sets
    for seed in range(3):
        profile = hn.random_profile(one, seed=seed)
        places: Any = {
            player: {
                j: profile.strategies[player][plex.begin[j] : plex.begin[j + 1]].tolist() for j in range(plex.sets)
            }
            for player, plex in enumerate(one.form.treeplexes)
        }
        names: Any = {
            player: {
                other.find_set(player, name): plays
                for name, plays in ((one.set_text(player, j), plays) for j, plays in sets.items())
            }
            for player, sets in places.items()
        }
        ours, theirs = hn.evaluate(one, profile), hn.evaluate(other, hn.profile(other, names))
        assert theirs.values == pytest.approx(ours.values, abs=1e-12)  # the same numbers, added in another order
        assert theirs.gains == pytest.approx(ours.gains, abs=1e-12)


@pytest.mark.parametrize("address", ["kuhn_poker(players=3)", "goofspiel(cards=3)", "random_game(seed=3)", "sheriff"])
def test_any_expanded_game_is_written_and_read(address: str, tmp_path: Path) -> None:
    game = load_expanded(address)
    export_game(game, tmp_path / "game.efg")
    again = load_expanded(tmp_path / "game.efg")
    assert again.sizes.histories == game.sizes.serialised
    same_game(game, again)


def test_the_normal_form_is_written_and_read(tmp_path: Path) -> None:
    export_game("kuhn_poker", tmp_path / "kuhn.nfg")
    table = hn.solve(tmp_path / "kuhn.nfg", "lp")
    assert table.values == pytest.approx((-1 / 18, 1 / 18), abs=1e-9)  # Kuhn (1950)
    export_game("rock_paper_scissors", tmp_path / "rps.nfg")
    assert load_expanded(tmp_path / "rps.nfg").actions_at(0, 0) == ["rock", "paper", "scissors"]


@given(st.integers(0, 10**9))
def test_made_trees_come_back(seed: int) -> None:
    record = made(random.Random(seed))
    from hannan.exports.gambit.text import _efg_lines

    again = parse_efg("".join(_efg_lines(record)))
    assert again == record


@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=9))
def test_probabilities_are_written_exactly(weights: list[float]) -> None:
    given_odds = [weight / math.fsum(weights) for weight in weights]
    fractions = odds(given_odds)
    assert sum(fractions) == 1
    assert [float(odd) for odd in fractions] == pytest.approx(given_odds, rel=1e-12)


def test_short_fractions_are_found() -> None:
    assert odds([1 / 3, 1 / 3, 1 / 3]) == (Fraction(1, 3),) * 3
    assert odds([0.1] * 10) == (Fraction(1, 10),) * 10
    for number in (0.0, -2.5, 1 / 7, 1e-17, 123456.789, 2**0.5, 1e100):
        assert float(fraction(number)) == number


@given(st.integers(0, 10**9))
def test_made_tables_come_back(seed: int) -> None:
    from hannan.exports.gambit.text import _nfg_lines

    draw = random.Random(seed)
    menus = [tuple(f'{k} "' for k in range(draw.randrange(1, 4))) for _ in range(draw.randrange(1, 4))]
    cells, players = math.prod(map(len, menus)), ["p\\"] * len(menus)
    rows = [tuple(Fraction(draw.randrange(-9, 9), 7) for _ in menus) for _ in range(cells)]
    table = NfgGame("t", players, menus, payoffs=rows)
    assert parse_nfg("".join(_nfg_lines(table))) == table
    named = [("", rows[0]), ("o", rows[-1])]
    outcomes = NfgGame("t", players, menus, "c", named, [draw.randrange(3) for _ in range(cells)])
    assert parse_nfg("".join(_nfg_lines(outcomes))) == outcomes


def made(draw: random.Random) -> EfgGame:
    """Return a random tree with odd names and numbers."""

    def name() -> str:
        return draw.choice(['a "b" {', "", "x\\", "é,", "two\nlines", "c", "p 1"]) + draw.choice(
            ["", str(draw.random())]
        )

    def number() -> str:
        return draw.choice(["0", "-1/3", "2.50", "1e-3", ".5", "7", str(draw.randrange(-99, 99))])

    players = draw.randrange(1, 4)
    game = EfgGame(name(), [name() for _ in range(players)], name())
    for place in range(draw.randrange(1, 5)):
        game.payoffs.append(", ".join(number() for _ in range(players)))
        if draw.random() < 0.5:
            game.outcome_names[place] = "outcome " + name()
    used: list[int] = []

    def grow(depth: int) -> None:
        node = len(game.player)
        if draw.random() < 0.3:
            game.labels[node] = "label " + name()
        game.child_begin.append(len(game.child))
        fresh = len(used) < len(game.payoffs)
        outcome = draw.choice([-1, len(used) if fresh else draw.choice(used), *used])
        if outcome >= 0 and outcome not in used:
            used.append(outcome)
        game.outcome_of.append(outcome)
        player = TERMINAL if depth == 0 else draw.randrange(TERMINAL, players + 1)
        game.player.append(player)
        if player == TERMINAL:
            game.set_of.append(-1)
            return
        mine = [k for k, stated in enumerate(game.sets) if stated.player == player]
        if mine and draw.random() < 0.5:
            place = draw.choice(mine)
        else:
            place, many = len(game.sets), draw.randrange(1, 4)
            shares = [Fraction(draw.randrange(0, 5) + 1) for _ in range(many)] if player == CHANCE else None
            chances = None if shares is None else tuple(share / sum(shares) for share in shares)
            actions = tuple(name() for _ in range(many))
            game.sets.append(StatedSet(player, 10 * len(mine) + 1, name(), actions, chances))
        game.set_of.append(place)
        first, many = len(game.child), len(game.sets[place].actions)
        game.child.extend([0] * many)
        for k in range(many):
            game.child[first + k] = len(game.player)
            grow(depth - 1)

    grow(4)
    del game.payoffs[len(used) :]
    game.outcome_names = {place: text for place, text in game.outcome_names.items() if place < len(used)}
    return game


def test_exact_gaps_are_those_of_the_fractions_in_the_file() -> None:
    # uniform play: the guesser is right once in three, whatever was seen
    uniform = hn.exact_gap(FILES / "thirds.efg", hn.uniform(FILES / "thirds.efg"))
    third = Fraction(1, 3)
    value = third * Fraction(3, 7) - 2 * third * third
    assert abs(uniform.values[0] - value) < Fraction(1, 10**15)  # the float 1/3 is not a third
    pure: Any = {0: {"saw a": {"a": 1}, "saw b": {"b": 1}, "saw c": {"c": 1}, "blind": {"a": 1}}, 1: {"hide": {"b": 1}}}
    gap = hn.exact_gap(FILES / "thirds.efg", hn.profile(FILES / "thirds.efg", pure))
    assert gap.values[0] == third * Fraction(3, 7) - 2 * third * third  # right where it sees, a third of the time
    assert gap.best_values[0] == Fraction(3, 7)
    assert gap.best_values[1] == -gap.values[0]  # hiding at c is as good
    table = hn.profile(FILES / "dims.nfg", {0: {0: {"1": 1}}, 1: {0: {"3": 1}}})
    assert hn.exact_gap(FILES / "dims.nfg", table).values == (third, -third)


def test_forgetting_is_named() -> None:
    for name, words in (("absent.efg", "absent-minded"), ("forgets.efg", "imperfect recall")):
        game = hn.load(FILES / name)
        assert isinstance(game, hn.views.ForgetfulGame)
        with pytest.raises(hn.errors.UnsuitableError, match=words) as refused:
            hn.solve(game, "lp")
        assert "recall=split" in str(refused.value)
        for method in ("mccfr-os", "einr", *(["cfr", "auto"] if name == "absent.efg" else [])):
            with pytest.raises(hn.errors.UnsuitableError, match=words):
                hn.solve(game, method, iterations=1)
    for name in set(TREES) - set(FORGETFUL):
        assert isinstance(hn.load(FILES / name), ExpandedGame), name


def test_a_file_in_which_a_player_forgets_is_solved(tmp_path: Path) -> None:
    """The forgetful player wins if its two choices differ from what the other guesses: by hand, 0 at a half each."""
    forgets = FILES / "forgets.efg"
    result = hn.solve(forgets, "cfr+", iterations=500, gap=0.0)
    assert result.values == pytest.approx((0, 0), abs=1e-2)
    strategy = result.profile.strategies[0]
    assert strategy[3:5] == pytest.approx(strategy[5:7], abs=0)  # the second choice is the same after either first one
    assert result.record()["abstract_gains"] == pytest.approx((0, 0), abs=2e-2)
    hn.save(result.profile, tmp_path / "f.strategy")
    measured = hn.evaluate(forgets, tmp_path / "f.strategy")
    assert measured.gains == pytest.approx(result.record()["abstract_gains"], abs=1e-12)


def test_values_where_somebody_forgets() -> None:
    driver = FILES / "absent.efg"
    for on in (0.0, 0.25, 2 / 3, 1.0):  # on with probability q pays 4 q (1 - q) + q q; q = 2/3 is best, and pays 4/3
        profile = hn.profile(driver, {0: {"junction": {"exit": 1 - on, "on": on}}})
        assert hn.values(driver, profile) == pytest.approx((4 * on * (1 - on) + on * on,), abs=1e-12)
    assert hn.values(driver, hn.uniform(driver)) == pytest.approx((1.25,), abs=1e-12)
    split = hn.solve(f"{driver}(recall=split)", gap=1e-3)
    assert split.values[0] == pytest.approx(4, abs=2e-3)
    with pytest.raises(hn.errors.UnsuitableError, match="remembers"):
        hn.values(driver, split.profile)
    forgets = FILES / "forgets.efg"
    profile = hn.profile(forgets, {0: {"*": [1, 0], "second": {"l": 1}}, 1: {"1": {"a": 0.75, "b": 0.25}}})
    assert hn.values(forgets, profile) == pytest.approx((0.5, -0.5), abs=1e-12)
    with pytest.raises(hn.errors.UnknownNameError, match="no information set 'third'"):
        hn.profile(forgets, {0: {"third": [1, 0]}})


@pytest.mark.parametrize("name", TREES)
def test_the_quick_walk_is_the_plain_one(name: str) -> None:
    rules = EfgRules(read_efg(FILES / name), parameters={"recall": "split"})
    quick, plain = PlainWalk(rules), PlainWalk(Delegating(rules))  # asks as it asks anybody's rules
    for walk in (quick, plain):
        while walk.frontier:
            walk.level(10**6)
    names = ("parent", "children", "turn", "slot_begin", "slots", "probability", "gain_node", "gain", "depth_begin")
    for field in (*names, "met", "first", "menus", "sets", "lowest", "highest", "serial_extra"):
        assert getattr(quick, field) == getattr(plain, field), field


def test_the_refinement_is_another_game(tmp_path: Path) -> None:
    split = load_expanded(f"{FILES / 'forgets.efg'}(recall=split)")
    assert split.sizes.sets == (3, 1)  # the second choice, after either of the first
    export_game(split, tmp_path / "split.efg")
    same_game(split, load_expanded(tmp_path / "split.efg"))


ERRORS = [
    ("EFG 2 R", "EFG 3 R", 1, 4, "version 3"),
    ('"Red" 1/2', '"Red" 1/3', 4, 12, "sum to 5/6, not 1"),
    ('{ "Raise" "Fold" } 0\np "" 2', '{ "Raise" 1 } 0\np "" 2', 5, 26, "an action"),
    ("{ 2, -2 }", "{ 2, x }", 7, 23, "should be a number"),
    ("{ 2, -2 }", "{ 2 }", 7, 19, "there should be a payoff for each player, 2 in all, not 1"),
    ("{ 2, -2 }", "{ 2, 1/0 }", 7, 23, "divides by 0"),
    ('p "" 1 2', 'p "" 3 2', 10, 6, "player 3 is out of range"),
    ('t "" 2 "Win" { 1, -1 }\nt "" 2', 't "" 2 "Win" { 1, -3 }\nt "" 2', 9, 15, "other payoffs"),
    ('t "" 4 "Lose" { -1, 1 }\n', "", 14, 1, "one node is missing"),
    ('t "" 4 "Lose" { -1, 1 }\n', 't "" 4 "Lose" { -1, 1 }\nt "" 0\n', 15, 1, "the tree is complete"),
    ('"Lose Big" { -2, 2 }', '"Lose Big { -2, 2 }', 13, 4, "a node should follow"),
    ('1 "red" { "Raise" "Fold" }', '1 "red"', 5, 8, "has no actions"),
    ('2 1 "raised" { "Meet" "Pass" } 0\nt "" 3', '2 1 "raised" { "Pass" "Meet" } 0\nt "" 3', 11, 20, "other actions"),
    ('2 1 "raised" { "Meet" "Pass" } 0\nt "" 3', '2 1 "lifted" 0\nt "" 3', 11, 11, "another name"),
    ('t "" 3 "Lose Big" { -2, 2 }', 't "" 3', 12, 6, "outcome 3 has no payoffs"),
    ('t "" 3 "Lose Big" { -2, 2 }', 't "" 0 "Lose Big" { -2, 2 }', 12, 20, "outcome 0"),
    ('"Red" 1/2 "Black" 1/2', '"Red" -1/2 "Black" 3/2', 4, 18, "negative"),
]


@pytest.mark.parametrize(("before", "after", "line", "column", "words"), ERRORS, ids=[case[4] for case in ERRORS])
def test_errors_say_where(before: str, after: str, line: int, column: int, words: str) -> None:
    assert before in POKER
    with pytest.raises(hn.errors.FileError) as error:
        parse_efg(POKER.replace(before, after, 1), "poker.efg")
    assert words in str(error.value)
    assert str(error.value).startswith(f"poker.efg, line {line}, column {column}: ")


def test_broken_files_are_refused_with_a_position() -> None:
    refused, read = fuzz(3000)
    assert refused > 2000
    assert read > 100


def test_parameters_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rounded.efg"
    path.write_text(POKER.replace('"Red" 1/2 "Black" 1/2', '"Red" 0.333 "Black" 0.666'), encoding="utf-8")
    with pytest.raises(hn.errors.FileError, match="chance=scaled"):
        hn.load(path)
    assert load_expanded(f"{path}(chance=scaled)").tree.probability[1] == pytest.approx(1 / 3, abs=1e-15)
    with pytest.raises(hn.errors.UnknownNameError, match="did you mean 'recall'"):
        hn.load(f"{path}(recal=split)")
    with pytest.raises(hn.errors.ParameterError, match="stated or split"):
        hn.load(f"{path}(recall=perfect)")
    with pytest.raises(hn.errors.FileError, match="there is no file"):
        hn.load(tmp_path / "nothing.efg")
    with pytest.raises(hn.errors.FileError, match=r"ends in \.efg or \.nfg"):
        export_game("kuhn_poker", tmp_path / "kuhn.txt")


def test_strategies_of_a_file_are_saved_and_read(tmp_path: Path) -> None:
    poker = FILES / "poker.efg"
    result = hn.solve(poker)
    assert result.values == pytest.approx((1 / 3, -1 / 3), abs=1e-12)  # Myerson (1991), section 4.4
    assert result.profile.at(0, "black") == pytest.approx({"Raise": 1 / 3, "Fold": 2 / 3}, abs=1e-9)
    hn.save(result.profile, tmp_path / "poker.strategy")
    assert hn.evaluate(poker, hn.read(tmp_path / "poker.strategy", poker)).nash_conv < 1e-12
    sampled = hn.methods.OutcomeSampling(hn.load(poker), over="rules", seed=1)
    sampled.run(20_000)
    assert hn.evaluate(poker, sampled.average()).nash_conv < 0.1


def test_the_commands(hannan: Any) -> None:
    absent, poker = str(FILES / "absent.efg"), str(FILES / "poker.efg")
    assert hannan("inspect", absent, "--json").record["forgets"].startswith("player 0 forgets")
    assert "information sets of the refinement" in hannan("inspect", absent).out
    assert hannan("evaluate", absent, "uniform", "--json").record["values"] == [1.25]
    assert hannan("solve", absent).code == 2
    assert hannan("solve", poker, "--json").record["values"] == pytest.approx([1 / 3, -1 / 3])
    assert hannan("export", "kuhn_poker", "--out", "kuhn.efg", "--json").record["out"] == "kuhn.efg"
    assert hannan("solve", "kuhn.efg", "--json").record["values"][0] == pytest.approx(-1 / 18)
    assert hannan("export", "kuhn_poker", "--out", "kuhn.gbt").code == 2
