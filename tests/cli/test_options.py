"""Every command's options are its function's: names, defaults, types and help come from one declaration."""

from __future__ import annotations

import re
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from hannan.cli import _app, command
from tests.options_page import COMMANDS, own_options, public

COMMAND_ONLY = {
    "solve": {"out", "top", "plot", "json"},
    "search": {"out", "json"},
    "match": {"json"},
    "certify": {"out", "profile", "plot", "json"},
    "evaluate": {"top", "csv", "out", "json"},
    "qre": {"out", "json"},
    "equilibria": {"mixed", "out", "strategy", "json"},
    "sweep": {"pictures", "json"},
}
"""Where a command writes, and what it shows."""

PYTHON_ONLY = {
    "solve": {"curve", "progress"},
    "search": {"progress"},
    "match": {"names", "progress"},
    "certify": {"progress"},
    "evaluate": {"saying"},
    "qre": set(),
    "equilibria": {"progress"},
    "sweep": {"tell"},
}

POSITIONAL = {"game", "players", "file"}

WORDS: dict[Any, tuple[str, set[str]]] = {
    Path: ("x", {"checkpoint", "resume", "log", "start", "locks", "record", "strategy", "data", "out"}),
    int: ("1e3", {"iterations", "seed", "variance", "nodes", "games", "aivat", "playthroughs", "solve_every",
                  "iterates", "hidden", "processes", "batch", "workers", "plays", "walks", "measure_every", "max"}),
    float: ("0.5", {"gap", "seconds", "every", "gamma", "c", "margin", "confidence", "timeout", "value",
                    "epsilon", "lambda_", "max_lambda", "tolerance"}),
    bool: ("", {"trust", "exploration", "measure", "duplicate", "decide", "check", "children", "exact", "baselines",
                "path", "normal", "refinements", "all", "parquet", "dry_run", "race", "similar"}),
    str: ("lp", {"method", "rule", "at", "bounds", "rollout", "evaluation", "response", "on", "forget"}),
}  # fmt: skip
"""For each type of Python: a word of the command line that becomes a value of it, and options of that type."""

CHOICES = {
    ("solve", "updates"), ("search", "tree"), ("search", "returns"), ("search", "explore"), ("search", "unvisited"),
    ("search", "first_visits"),
    ("certify", "equilibrium"), ("certify", "radius"), ("certify", "expansion"), ("certify", "groups"),
    ("certify", "averaging"), ("certify", "sampling"), ("certify", "failures"),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_options_of_a_command_are_those_of_its_function(name: str) -> None:
    function = {p.name: p for p in signature(public(name)).parameters.values() if p.kind is not p.VAR_KEYWORD}
    offered = {p.name: p for p in signature(command(name)).parameters.values() if p.kind is not p.VAR_KEYWORD}
    assert set(own_options(name)) == COMMAND_ONLY[name]
    assert set(function) - set(offered) == PYTHON_ONLY[name]
    shared = set(function) & set(offered)
    assert set(offered) - shared == {"as_json", *COMMAND_ONLY[name]} - {"json"}
    for option in shared - {"strategy"}:  # without it, Python measures what stands in the place of the game
        assert function[option].default == offered[option].default, option


@pytest.mark.parametrize("name", COMMANDS)
def test_words_become_values_of_the_declared_type(name: str) -> None:
    others = {*POSITIONAL, *COMMAND_ONLY[name], "as_json", "parameters"}
    others |= {"strategy"} if name == "evaluate" else set()
    for option in set(signature(command(name)).parameters) - others:
        flag = f"--{option.removesuffix('_').replace('_', '-')}"
        if (name, option) in CHOICES or option == "explore":
            choices = public(name).options[option].words or ("uniform",)
            pairs = [(choice, str, choice) for choice in choices]
        else:
            (kind,) = [kind for kind, (_, options) in WORDS.items() if option in options]
            pairs = [(WORDS[kind][0], kind, None)]
        for word, kind, value in pairs:
            words = [name, "g", *(["s"] if name == "evaluate" else []), *([flag, word] if word else [flag])]
            _, bound, *_ = _app(words).parse_args(words, exit_on_error=False, print_error=False)
            assert set(bound.kwargs) == {option}, words  # what is not given is not handed on
            assert isinstance(bound.kwargs[option], kind), words
            assert value is None or bound.kwargs[option] == value


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_the_declared_meaning(hannan: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    shown = " ".join(re.sub("[│╭╮╰╯─]", " ", hannan(name, "--help").out).split())
    for option in public(name).options.values():
        said = " ".join(option.meaning.replace("`", "").split())
        assert (said in shown) == (not option.python_only), (option.name, said)


@pytest.mark.parametrize(("name", "option"), [(name, o) for name in COMMANDS for o in sorted(PYTHON_ONLY[name])])
def test_options_of_python_alone_are_refused(hannan: Any, name: str, option: str) -> None:
    ran = hannan(name, "kuhn_poker", f"--{option}", "1")
    assert (ran.code, ran.out) == (2, "")
    assert f"--{option}" in ran.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("search biased_rps --from R", "--from is now called --at"),
        ("search biased_rps --from=R", "--from is now called --at"),
        ("solve biased_rps --method bi --from R", "option --from does not exist; did you mean --at?"),
        ("solve kuhn_poker --lock x", "option --lock does not exist; did you mean --locks?"),
        ("inspect kuhn_poker --path 3", "Unknown option"),
        ("certify kuhn_poker --playthrough 5", "Did you mean --playthroughs? hannan certify --help"),
        ("solve kuhn_poker --gap x", "Invalid value for --gap: 'x' is not a number. hannan solve"),
        ("check kuhn_poker --timeout x", "Invalid value for --timeout: 'x' is not a number. hannan check"),
    ],
)
def test_unknown_options_are_named_with_what_was_meant(hannan: Any, words: str, sentence: str) -> None:
    ran = hannan(*words.split())
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err


def test_evaluate_takes_what_python_takes(hannan: Any) -> None:
    """A value that is larger by 1 leaves player 0 short by 1 more, and player 1 by 1 less."""
    words = ("evaluate", "kuhn_poker", "uniform", "--json")
    zero, one = (hannan(*words, "--value", value).record["shortfalls"] for value in ("0", "1"))
    assert [one[0] - zero[0], one[1] - zero[1]] == pytest.approx([1, -1], abs=1e-12)
    played = hannan(*words, "--no-exact", "--plays", "200", "--response", "none").record
    assert (played["exact"], played["nash_conv"]) == (False, None)
    refused = hannan(*words, "--bounds", "2,1")
    assert (refused.code, refused.out) == (2, "")
    assert "should be two numbers, LOW,HIGH" in refused.err
