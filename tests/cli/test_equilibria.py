"""The command `hannan equilibria`: what it prints, what it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hannan as hn
from hannan.cli import main
from hannan.solvers.general.methods import METHODS

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "equilibria.md"


def ran(words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run a command line; return the exit code and what it printed."""
    with pytest.raises(SystemExit) as ending:
        main(words.split())
    printed = capsys.readouterr()
    return int(ending.value.code or 0), printed.out, printed.err


def test_all_equilibria_of_chicken(capsys: pytest.CaptureFixture[str]) -> None:
    """Payoffs 6,6 2,7 7,2 0,0: two pure equilibria and a mixed one, in which each dares with probability 1/3."""
    code, out, _ = ran("equilibria chicken --all --json", capsys)
    found = json.loads(out)
    assert code == 0
    assert found["complete"] is True
    assert found["components"] == 3
    assert sorted(one["payoffs"] for one in found["equilibria"]) == [[2, 7], [pytest.approx(14 / 3)] * 2, [7, 2]]
    assert sum(one["index"] for one in found["equilibria"]) == 1
    mixed = next(one for one in found["equilibria"] if not one["strict"])
    assert sorted(map(sorted, mixed["fractions"])) == [["1/3", "2/3"], ["1/3", "2/3"]]


def test_proofs_and_a_strategy_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proofs, strategy = tmp_path / "k.json", tmp_path / "k.strategy"
    code, out, _ = ran(f"equilibria kuhn_poker --refinements --mixed --out {proofs} --strategy {strategy}", capsys)
    assert code == 0
    assert "-1/18" in out  # the value of Kuhn poker to its first player
    assert "plans of equilibrium 1" in out
    assert "subgame-perfect" in out
    assert hn.evaluate(hn.read(strategy)).nash_conv == pytest.approx(0.0, abs=1e-12)
    assert ran(f"verify {proofs} --replay", capsys)[0] == 0
    text = proofs.read_text(encoding="utf-8")
    proofs.write_text(text.replace('"2/3"', '"3/5"', 1), encoding="utf-8")
    assert '"2/3"' in text
    assert ran(f"verify {proofs}", capsys)[0] in (1, 2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("equilibria kuhn_poker(players=3) --method vertices", "2 players"),
        ("equilibria chicken --method lemkehowson", "did you mean 'lemke-howson'"),
        ("equilibria chicken --max 0", "max=0"),
        ("equilibria leduc_poker --refinements", "sequences"),
        ("equilibria goofspiel(cards=13)", "goofspiel"),
    ],
)
def test_wrong_words(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ran(words, capsys)
    assert code == 2
    assert said in err
    assert out == ""


def test_the_page_lists_every_method() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, method in METHODS.items():
        assert f"| `{name}` | {method.meaning}" in text


def test_what_was_not_judged_in_time_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """The 24 extreme equilibria of Kuhn poker take several seconds to judge."""
    ran("equilibria kuhn_poker --all --json", capsys)  # compiled from now on
    code, out, err = ran("equilibria kuhn_poker --all --refinements --seconds 0.5 --json", capsys)
    assert code == 0
    assert json.loads(out)["equilibria"][-1]["refinements"] is None
    assert "of 24 equilibria were known" in err
