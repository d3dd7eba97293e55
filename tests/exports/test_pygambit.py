"""Beside pygambit, where it is installed: the same trees, the same equilibria, profiles there and back."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.exports.gambit.profiles import from_pygambit, to_pygambit
from hannan.exports.gambit.text import efg_text, export_game, nfg_text
from hannan.forms.loader import load_expanded
from tests.delegating import Delegating
from tests.interop.fuzz import FILES

gbt: Any = pytest.importorskip("pygambit")

TREES = [path for path in sorted(FILES.glob("*.efg")) if path.stem not in ("absent", "alike", "forgets", "over")]


def read_there(path: Path) -> Any:
    """Read a file with pygambit: as it is, or as we write it, where it leaves names out."""
    return gbt.read_efg(io.StringIO(efg_text(path)) if path.stem == "dialect" else path)


def test_a_game_and_a_profile_of_pygambits_are_taken_as_they_are() -> None:
    theirs = gbt.read_efg(io.StringIO(efg_text("kuhn_poker")))
    assert load_expanded(theirs).form.hash == load_expanded("kuhn_poker").form.hash
    equilibrium = gbt.nash.lcp_solve(theirs).equilibria[0]
    for given in ((equilibrium,), (theirs, equilibrium), ("kuhn_poker", equilibrium)):
        assert hn.evaluate(*given).nash_conv == pytest.approx(0.0, abs=1e-12)
    assert hn.match(theirs, equilibrium, "uniform", games=4).games == 4
    table = gbt.read_nfg(io.StringIO(nfg_text("chicken")))
    assert hn.values(table, hn.uniform(table)) == pytest.approx((15 / 4, 15 / 4), abs=1e-12)


@pytest.mark.parametrize("path", TREES, ids=lambda path: path.name)
def test_a_file_is_the_same_game_there(path: Path, tmp_path: Path) -> None:
    ours, theirs = load_expanded(path), read_there(path)
    profile = hn.random_profile(ours, seed=7)
    behaviour = to_pygambit(profile, theirs)
    earned = [behaviour.payoff(player) for player in theirs.players]
    assert hn.values(ours, profile) == pytest.approx(earned, abs=1e-12)
    back = from_pygambit(ours, behaviour)
    for one, other in zip(profile.strategies, back.strategies, strict=True):
        assert other == pytest.approx(one, abs=1e-12)
    (tmp_path / "theirs.efg").write_text(theirs.to_efg(), encoding="utf-8")
    again = load_expanded(tmp_path / "theirs.efg")
    assert again.form.hash == ours.form.hash


@pytest.mark.parametrize("address", ["kuhn_poker", "goofspiel(cards=3)", str(FILES / "poker.efg")])
def test_the_equilibria_are_theirs(address: str) -> None:
    ours, theirs = load_expanded(address), gbt.read_efg(io.StringIO(efg_text(address)))
    solvers = [gbt.nash.lp_solve] if "goofspiel" in address else [gbt.nash.lp_solve, gbt.nash.lcp_solve]
    value = hn.solve(ours, "lp").values[0]  # their lcp does not come to an end on goofspiel
    for solver in solvers:
        equilibrium = solver(theirs, rational=False).equilibria[0]
        profile = from_pygambit(ours, equilibrium)
        assert hn.evaluate(ours, profile).nash_conv < 1e-7
        assert hn.values(ours, profile)[0] == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize("name", ["named.nfg", "dims.nfg"])
def test_equilibria_of_tables(name: str, tmp_path: Path) -> None:
    ours, theirs = load_expanded(FILES / name), gbt.read_nfg(FILES / name)
    equilibria = gbt.nash.enummixed_solve(theirs, rational=False).equilibria
    assert equilibria
    for equilibrium in equilibria:
        profile = from_pygambit(ours, equilibrium)
        assert hn.evaluate(ours, profile).nash_conv < 1e-9
        there = to_pygambit(profile, theirs)
        assert [there.payoff(p) for p in theirs.players] == pytest.approx(hn.values(ours, profile), abs=1e-12)
    (tmp_path / "theirs.nfg").write_text(theirs.to_nfg(), encoding="utf-8")
    assert load_expanded(tmp_path / "theirs.nfg").form.hash == ours.form.hash


def test_written_tables_are_read_there() -> None:
    theirs = gbt.read_nfg(io.StringIO(nfg_text("kuhn_poker")))
    assert theirs.is_const_sum
    assert gbt.nash.lp_solve(theirs, rational=False).equilibria[0].payoff(next(iter(theirs.players))) == pytest.approx(
        -1 / 18
    )


def test_probabilities_of_openspiels_games_are_exact() -> None:
    pytest.importorskip("pyspiel")
    text = efg_text("openspiel:kuhn_poker")
    assert text.count("\nt ") == 30
    assert text.count(" 1/3 ") == 3
    game = gbt.read_efg(io.StringIO(text))
    value = gbt.nash.lp_solve(game, rational=True).equilibria[0].payoff(next(iter(game.players)))
    assert float(value) == pytest.approx(-1 / 18, abs=1e-15)


def test_recall_is_judged_alike(tmp_path: Path) -> None:
    for path in set(FILES.glob("*.efg")) - {FILES / "alike.efg"}:  # pygambit wants different names of sets
        forgetful = isinstance(hn.load(path), hn.views.ForgetfulGame)
        assert read_there(path).is_perfect_recall == (not forgetful), path.name
    export_game(f"{FILES / 'forgets.efg'}(recall=split)", tmp_path / "split.efg")
    assert gbt.read_efg(tmp_path / "split.efg").is_perfect_recall


def test_profiles_where_somebody_forgets() -> None:
    for name in ("absent", "forgets"):
        path = FILES / f"{name}.efg"
        theirs = gbt.read_efg(path)
        behaviour = theirs.random_behavior_profile()
        profile = from_pygambit(path, behaviour)
        earned = [behaviour.payoff(player) for player in theirs.players]
        assert hn.values(path, profile) == pytest.approx([float(gain) for gain in earned], abs=1e-12)
        back = to_pygambit(profile, theirs)
        assert [back.payoff(player) for player in theirs.players] == pytest.approx(hn.values(path, profile), abs=1e-12)


def test_other_games_are_refused() -> None:
    with pytest.raises(hn.errors.MismatchError, match="another shape"):
        from_pygambit("goofspiel(cards=3)", gbt.read_efg(FILES / "poker.efg").mixed_behavior_profile())
    with pytest.raises(hn.errors.UnsuitableError, match="is not a table"):
        from_pygambit("kuhn_poker", gbt.read_nfg(FILES / "named.nfg").mixed_strategy_profile())


class Lines(Delegating):
    """Names of actions have two lines, which some versions of pygambit do not take."""

    def action_text(self, player: int, action: Any) -> str:
        return f"{super().action_text(player, action)}\nline"


def test_names_that_it_does_not_take_are_a_sentence_or_no_trouble() -> None:
    profile = hn.random_profile(Lines(hn.load("kuhn_poker").played().rules), seed=1)
    try:
        theirs = to_pygambit(profile)
    except hn.errors.UnsuitableError:
        theirs = to_pygambit(profile, gbt.read_efg(io.StringIO(efg_text("kuhn_poker"))))
    values = hn.evaluate(profile.game, profile).values
    assert [float(theirs.payoff(player)) for player in theirs.game.players] == pytest.approx(values, abs=1e-12)


def test_names_that_pygambit_does_not_take() -> None:
    game = hn.matrix_game([[1, -1], [-1, 1]])
    profile = hn.uniform(game)
    assert hn.interop.to_pygambit(profile) is not None
    with pytest.raises(hn.errors.ParameterError, match="is not a pygambit game"):
        hn.interop.to_pygambit(profile, game)
    with pytest.raises(hn.errors.ParameterError, match="is not a pygambit profile"):
        hn.interop.from_pygambit(game, profile)
