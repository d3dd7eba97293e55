"""Ways of a user's to find responses: what they return is measured in fresh plays, and refused if it cannot play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.forms.classes import thing_at
from hannan.methods import Responder
from tests import own

KUHN = "kuhn_poker"


class Best(Responder):
    """The best response of an expanded game, or what the test wants."""

    def __init__(self, *, answer: Any = None, error: bool = False) -> None:
        self.answer, self.error, self.asked = answer, error, list[tuple[Any, ...]]()

    def find(self, strategy: Any, player: int, seconds: float | None, seed: int) -> Any:
        self.asked.append((player, seconds, seed))
        if self.error:
            raise ValueError("no idea")
        if self.answer is not None:
            return self.answer
        strategies = [*strategy.strategies]
        strategies[player] = hn.best_response(strategy.game, strategy, player).strategy
        return hn.Profile(strategy.game, tuple(strategies))


@pytest.mark.parametrize("player", [0, 1])
def test_a_best_response_gains_what_the_evaluation_says(player: int) -> None:
    """20,000 plays of payoffs in [-2, 2]: the gain is within 0.1 of the exact one, about five standard errors."""
    uniform, responder = hn.uniform(KUHN), Best()
    exact = hn.evaluate(uniform.game, uniform).gains[player]
    found = hn.respond(uniform, player, responder, walks=1, plays=20_000, seed=3)
    assert found.method == "Best"
    assert found.gain == pytest.approx(exact, abs=0.1)
    assert found.lower_bound is not None
    assert 0 < found.lower_bound <= exact
    again = hn.respond(uniform, player, Best, walks=1, plays=20_000, seed=3)
    assert again.gain == found.gain
    ((asked, seconds, seed),) = responder.asked
    assert (asked, seconds) == (player, None)
    assert isinstance(seed, int)


def test_the_time_to_find_it_leaves_some_to_measure_it() -> None:
    responder = Best()
    hn.respond(hn.uniform(KUHN), 0, responder, seconds=0.5, plays=1_000)
    ((_, seconds, _),) = responder.asked
    assert seconds is not None
    assert 0 <= seconds < 0.5


@pytest.mark.parametrize(
    ("responder", "sentence"),
    [
        (Best(answer=7), "Best: find() returned int; expected a strategy, or a player or function"),
        (Best(error=True), "Best: find() raised ValueError: no idea"),
        (Responder, "Responder is not complete: it lacks find()"),
        ("tests.measures.test_responder:Best(answr=1)", "has no parameter 'answr'; did you mean 'answer'?"),
        (Best(answer=hn.uniform("leduc_poker")), "the response is for leduc_poker, not for kuhn_poker"),
    ],
    ids=["number", "raises", "abstract", "parameter", "game"],
)
def test_what_cannot_respond_is_refused(responder: Any, sentence: str) -> None:
    with pytest.raises(hn.HannanError) as raised:
        hn.respond(hn.uniform(KUHN), 0, responder, walks=1, plays=100)
    assert sentence in str(raised.value)


@pytest.mark.parametrize("given", ["an object", "a class", "an address"])
def test_evaluate_takes_one(given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Player 0 of Kuhn poker gains 3/8 over uniform play by always betting; 0.2 is three standard errors."""
    monkeypatch.chdir(tmp_path)
    Path("my_response.py").write_text(own.examples()["my_response.py"])
    habits = thing_at("my_response.py:Habits")
    address = "my_response.py:Habits(tries=200)"
    response = {"an object": habits(tries=200), "a class": habits, "an address": address}
    first = hn.evaluate(hn.uniform(KUHN), response=response[given], plays=1000, walks=1).responses[0]
    assert first.method == "Habits"
    assert first.gain == pytest.approx(3 / 8, abs=0.2)


@pytest.mark.slow
def test_a_command_takes_one_from_a_file(tmp_path: Path, hannan: Any) -> None:
    """Player 0 of Kuhn poker gains 3/8 over uniform play by always betting (docs/howto/own.md)."""
    (tmp_path / "my_response.py").write_text(own.examples()["my_response.py"])
    words = ("evaluate", KUHN, "uniform", "--plays", "4000", "--walks", "1", "--json")
    ran = hannan(*words, "--response", "my_response.py:Habits(tries=500)")
    assert ran.code == 0
    first = ran.record["responses"][0]
    assert first["method"] == "Habits"
    assert first["gain"] == pytest.approx(3 / 8, abs=0.1)
