"""Strategies of black boxes: shown and exported by the names of their actions, and played through the box."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import UnsuitableError
from hannan.rules.boxplay import BoxPlay
from hannan.rules.plain import CHANCE
from hannan.rules.rulesbox import rules_box
from tests.certificates.boxes import Bandit, Lottery
from tests.games.plain import Kuhn


def kuhn_box() -> hn.Box:
    """Kuhn poker behind a wall: plain rules, of which only playthroughs are seen."""
    return rules_box(Kuhn(), bounds="rules")


@pytest.fixture(scope="module")
def certificate() -> hn.Certificate:
    return hn.certify(kuhn_box(), playthroughs=600, seed=1, bounds=(-2, 2))


def in_the_open(policy: Any) -> hn.Profile:
    """Return a policy of the box as the profile of the same game with its rules known."""
    profile: hn.Profile = replace(policy, game=hn.load(Kuhn()), names=None).profile()
    return profile


def test_sets_and_actions_have_names(certificate: hn.Certificate) -> None:
    policy: Any = certificate.strategy
    profile = in_the_open(policy)
    rows = hn.summary(policy, most=100)
    assert (len(rows), rows.total, rows.exact) == (policy.sets, policy.sets, False)
    actions = {profile.game.action_text(player, 1) for player in (0, 1)} | {
        profile.game.action_text(player, 2) for player in (0, 1)
    }
    for row in rows:
        assert {one.action for one in row.actions} == actions
        assert (row.reach, row.frequency, row.value) == (None, None, None)
        assert policy.at(row.player, row.name) == {one.action: one.probability for one in row.actions}
    assert {row.player for row in hn.summary(policy, player=1)} == {1}
    with pytest.raises(hn.errors.UnknownNameError, match="no set like nothing"):
        hn.summary(policy, places=["nothing"])


def test_a_table_has_every_action_of_every_set(certificate: hn.Certificate, tmp_path: Path) -> None:
    hn.export_csv(certificate.strategy, tmp_path / "k.csv")
    with (tmp_path / "k.csv").open() as file:
        lines = list(csv.DictReader(file))
    policy: Any = certificate.strategy
    assert len(lines) == int(policy.size.sum())
    for line in lines:
        told = policy.at(int(line["player"]), line["set"])[line["action"]]
        assert float(line["probability"]) == pytest.approx(told, abs=1e-12)
        assert line["frequency"] == ""


@pytest.mark.parametrize("duplicate", [True, False])
def test_a_match_through_the_box_scores_what_the_strategies_earn(certificate: hn.Certificate, duplicate: bool) -> None:
    """All bounds hold with probability 0.9999; the exact scores come from the same strategies in the open game."""
    ours, uniform = in_the_open(certificate.strategy), hn.uniform(Kuhn())
    both = []
    for seats in ((ours, uniform), (uniform, ours)):
        mixed = hn.Profile(ours.game, tuple(one.strategies[player] for player, one in enumerate(seats)), {})
        both.append(hn.values(ours.game, mixed))
    exact = (both[0][0] + both[1][1]) / 2
    terms: dict[str, Any] = {"seed": 2, "confidence": 0.9999, "duplicate": duplicate, "bounds": (-2, 2)}
    result = hn.match(kuhn_box(), certificate.strategy, "uniform", games=4000, **terms)
    assert result.half_widths is not None
    assert abs(result.scores[0] - exact) < result.half_widths[0] < 0.2
    again, other = (hn.match(kuhn_box(), certificate.strategy, "uniform", games=200, **terms) for _ in range(2))
    assert again.scores == other.scores


def test_files_and_rules_play_through_the_box(certificate: hn.Certificate, tmp_path: Path) -> None:
    certificate.save(tmp_path / "k.cert")
    hn.save(certificate.strategy, tmp_path / "k.strategy")
    scores = [
        hn.match(kuhn_box(), one, lambda sight: sight.actions[-1], games=40, seed=3, names=["one", "two"]).scores
        for one in (certificate.strategy, tmp_path / "k.cert", hn.read(tmp_path / "k.strategy", kuhn_box()))
    ]
    assert scores[0] == scores[1] == scores[2]


def test_what_needs_more_than_plays_is_refused(certificate: hn.Certificate) -> None:
    box = kuhn_box()
    with pytest.raises(UnsuitableError, match="leave aivat out"):
        hn.match(box, certificate.strategy, "uniform", games=2, aivat=10)
    for method in ("cfr+", "mccfr-es(iterations=1)", "search"):
        with pytest.raises(UnsuitableError, match=r"black box|is boxed"):
            hn.match(box, certificate.strategy, method, games=2)


def test_a_box_goes_on_from_its_newest_state_alone() -> None:
    play = BoxPlay(Lottery())
    first = play.start()
    assert play.turn(first) == CHANCE
    ((outcome, weight),) = play.chance(first)
    second = play.after(first, outcome)
    assert weight == 1.0
    assert play.turn(second) == 0
    with pytest.raises(UnsuitableError, match="can only be played from the start"):
        play.after(first, outcome)
    play.seed = 5
    assert play.start() == Lottery().reset(5)
    assert hn.boxes.BoxedGame(Bandit(sure=(0.5,))).stepped().address == "bandit"


def test_correlated_play_is_shown_as_one_who_does_not_know_the_draw_sees_it() -> None:
    certificate = hn.certify(kuhn_box(), playthroughs=300, seed=1, bounds=(-2, 2), equilibrium="cce")
    strategy: Any = certificate.strategy
    members = strategy.members()
    assert len(members) > 1
    for row in hn.summary(strategy, most=100):
        weight, plays = 0.0, np.zeros(len(row.actions))
        for share, member in members:
            number = next(
                j for j in range(member.sets) if member.set(j).name == row.name and member.owner[j] == row.player
            )
            reach, above = share, int(member.parent[number])
            while above >= 2:
                reach *= float(member.probability[above])
                above = int(member.parent[int(np.searchsorted(member.base, above, side="right")) - 1])
            weight, plays = weight + reach, plays + reach * np.array(list(member.at(row.player, number).values()))
        if weight > 0:
            assert [one.probability for one in row.actions] == pytest.approx((plays / weight).tolist(), abs=1e-9)


def test_correlated_play_is_drawn_once_for_all_seats() -> None:
    """Against itself it earns the mean of its members' values; within bounds that hold with probability 0.9999."""
    certificate = hn.certify(kuhn_box(), playthroughs=300, seed=1, bounds=(-2, 2), equilibrium="cce")
    strategy: Any = certificate.strategy
    value = sum(share * hn.values(Kuhn(), in_the_open(member))[0] for share, member in strategy.members())
    result = hn.match(kuhn_box(), strategy, strategy, games=3000, seed=4, confidence=0.9999, bounds=(-2, 2))
    assert result.half_widths is not None
    assert abs(result.seats[0][0] - value) < 2 * result.half_widths[0]
    luck = 12345
    assert strategy.sit(0, 2 * luck).policy is strategy.sit(1, 2 * luck + 1).policy


MODULE = """
from hannan.rules.rulesbox import rules_box
from tests.games.plain import Kuhn


def make():
    return rules_box(Kuhn(), bounds="rules")
"""


def test_the_commands(hannan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("kuhnbox.py").write_text(MODULE)
    box = "module:kuhnbox.py:make"
    assert hannan("certify", box, "--playthroughs", "200", "--bounds=-2,2", "--out", "k.cert").code == 0
    shown = json.loads(hannan("show", box, "k.cert", "--player", "1", "--json").out)
    assert {row["player"] for row in shown["sets"]} == {1}
    assert all(row["frequency"] is None for row in shown["sets"])
    assert "estimated" not in hannan("show", box, "k.cert").out
    told = json.loads(hannan("export", box, "k.cert", "--out", "k.csv", "--json").out)
    assert told["bytes"] == Path("k.csv").stat().st_size > 0
    refused = hannan("export", box, "k.cert", "--out", "k.efg")
    assert (refused.code, ".csv" in refused.err) == (2, True)
    assert json.loads(hannan("match", box, "k.cert", "uniform", "--games", "20", "--json").out)["games"] == 20
    lines: Iterator[str] = iter(["1", "1", "1", "1", "1", "1"])
    monkeypatch.setattr("builtins.input", lambda question: next(lines))
    played = hannan("play", box, "k.cert", "--games", "2", "--seed", "1", "--json")
    assert json.loads(played.out)["games"] == 2
    alone = hannan("play", box)
    assert (alone.code, "name an opponent" in alone.err) == (2, True)


def test_uniform_play_of_a_box_knows_no_set() -> None:
    assert hn.match(kuhn_box(), "uniform", "uniform", games=4).games == 4
    assert len(hn.summary(hn.Policy.uniform(hn.load(kuhn_box()).stepped()))) == 0


def test_a_certificate_stands_for_its_strategy_in_a_box(certificate: hn.Certificate) -> None:
    """What a player does is told by set and by way alike, under the same names; a certificate takes a seat itself."""
    first = next(one for one in certificate.strategy if one.player == 0 and not one.places)  # type: ignore[attr-defined]
    seen, action = first.seen, next(iter(first.actions))
    assert certificate.strategy.distribution(0, seen) == first.actions
    with pytest.raises(hn.errors.UnknownNameError, match="has no action 'nothing' there; it has"):
        certificate.strategy.distribution(0, seen, "nothing", seen)
    assert action in first.actions
    assert hn.match(kuhn_box(), certificate, "uniform", games=20).games == 20
    with pytest.raises(hn.errors.UnsuitableError, match="with --strategy measures a given strategy"):
        hn.evaluate(certificate)


def test_correlated_play_says_where_its_tables_are() -> None:
    uniform = hn.uniform("kuhn_poker")
    with pytest.raises(hn.errors.UnsuitableError, match=r"is correlated play; take one of its `strategies`"):
        hn.certify("kuhn_poker", strategy=hn.CorrelatedPlay([uniform, uniform]), playthroughs=10)
