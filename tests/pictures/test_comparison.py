"""`hannan.plot` and `hannan plot`: runs in one picture and in one table."""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.pictures.tabulars import Form, tabular
from hannan.runs.progress import Point

pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def closed() -> Any:
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def logged(method: str = "cfr", game: str = "kuhn_poker", **parameters: Any) -> hn.records.LoggedRun:
    curve = tuple(Point(k, k / 10, 1 / k, 1 / k) for k in (1, 2, 4, 8))
    return hn.records.LoggedRun({"game": game, "method": method, "parameters": parameters}, curve, "iterations")


def labels(axes: Any) -> list[str]:
    """Return the labels of the legend, on one line each."""
    return [text.get_text().replace("\n", "") for text in axes.figure.legends[0].get_texts()]


def test_logs_results_and_paths_are_drawn_together(tmp_path: Path) -> None:
    result = hn.solve("kuhn_poker", "cfr+", iterations=20, log=tmp_path / "x.log")
    axes = hn.plot([result, logged(), tmp_path / "x.log"], title="three", xlabel="steps", ylabel="distance")
    assert labels(axes) == ["cfr+ (run 1)", "cfr", f"cfr+ ({tmp_path / 'x.log'})"]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.figure.get_suptitle()) == ("steps", "distance", "three")
    first, second, third = axes.lines
    assert list(second.get_xdata()) == [1, 2, 4, 8]
    assert list(second.get_ydata()) == [1, 0.5, 0.25, 0.125]
    assert list(first.get_xdata()) == [point.iteration for point in result.curve]
    assert list(first.get_ydata()) == list(third.get_ydata()) == [point.gap for point in result.curve]


def test_a_dictionary_names_its_runs_and_both_gives_two_axes(tmp_path: Path) -> None:
    from matplotlib import pyplot

    left, right = hn.plot({"ours": logged(), "$theirs": logged("cfr+")}, tmp_path / "x.pdf", x="both")
    assert labels(left) == ["ours", "$theirs"]
    assert (left.get_xlabel(), right.get_xlabel()) == ("iterations", "seconds")
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")
    assert pyplot.get_fignums() == []  # a script that writes files opens no windows


def test_a_result_plots_itself(tmp_path: Path) -> None:
    result = hn.solve("kuhn_poker", "cfr", iterations=20)
    axes = result.plot(tmp_path / "x.png", x="seconds", size=(3, 3))
    assert list(axes.lines[0].get_xdata()) == [max(point.seconds, 1e-6) for point in result.curve]
    assert list(axes.figure.get_size_inches()) == [3, 3]
    from matplotlib.figure import Figure

    mine = Figure().subplots()
    assert result.plot(ax=mine) is mine
    assert [text.get_text() for text in mine.get_legend().get_texts()] == ["cfr"]


def test_a_certificate_and_a_search_are_runs() -> None:
    certificate = hn.certify("kuhn_poker", playthroughs=200)
    axes = hn.plot(certificate)
    assert list(axes.lines[0].get_ydata()) == [bound.gap for bound in certificate.curve]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("playthroughs", "proven gap")
    with pytest.raises(hn.errors.ParameterError, match="plot its log"):
        hn.plot(certificate, x="seconds")
    found = hn.search("goofspiel(cards=3,information=open)", iterations=40)
    assert [point.gap for point in found.curve] == list(found.plot().lines[0].get_ydata())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"runs": []}, "nothing to plot"),
        ({"runs": 7}, "7 is not a run"),
        ({"runs": {"a": None}}, "None is not a run"),
        ({"runs": logged(), "x": "time"}, "x='time' is not known"),
        ({"runs": logged(), "y": "variance"}, "holds no variance"),
        ({"runs": logged(), "ax": 3}, "should be axes"),
        ({"runs": logged(), "path": "x.gif"}, "a picture is written as"),
        ({"runs": "nowhere.log"}, "nowhere.log"),
    ],
)
def test_refusals(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(hn.HannanError, match=sentence.replace("(", r"\(")):
        hn.plot(**arguments)


LEGENDS = {
    "short": ["a", "b"],
    "one long": ["a name " * 60],
    "long without spaces": ["x" * 400, "y"],
    "wide letters": ["W" * 100] * 2,
    "many": [f"run {k} of a method with some parameters" for k in range(40)],
    "lines of their own": ["a\nb", "c"],
}


@pytest.mark.slow
@pytest.mark.parametrize("size", [None, (2.5, 2.5), (12, 3)])
@pytest.mark.parametrize("case", LEGENDS)
def test_no_legend_and_no_title_is_cut(case: str, size: Any) -> None:
    """What is drawn of the legend and of the title lies inside the figure, and so inside the file."""
    names = [f"{name} {k}" for k, name in enumerate(LEGENDS[case])]
    axes = hn.plot({name: logged() for name in names}, size=size, title="A long title " * 40)
    figure = axes.figure
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.draw_without_rendering()
    assert len(figure.legends) == 1
    for artist in (figure.legends[0], figure._suptitle):
        box = artist.get_window_extent()
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
    shown = " ".join(labels(axes))
    assert all("".join(name.split()) in "".join(shown.split()).replace("\\n", "") for name in names if "\n" not in name)
    assert size is None or figure.get_figwidth() == size[0]
    assert case != "short" or size is None or figure.get_figheight() == size[1]
    assert axes.get_window_extent().height > 0.2 * figure.dpi  # the curves have room


@pytest.mark.slow
@pytest.mark.parametrize("case", LEGENDS)
def test_a_legend_on_given_axes_stays_inside_them(case: str) -> None:
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(4, 3))
    axes = figure.subplots()
    hn.plot({f"{name} {k}": logged() for k, name in enumerate(LEGENDS[case])}, ax=axes)
    figure.draw_without_rendering()
    inner, outer = axes.get_legend().get_window_extent(), axes.get_window_extent()
    assert outer.x0 <= inner.x0 < inner.x1 <= outer.x1
    assert outer.y0 <= inner.y0 < inner.y1 <= outer.y1


HEADER = ["method", "gap", "steps"]
ROWS: list[list[Any]] = [["a_b & 50% of $x$ {~^} \\ #1 <|>", 1.25e-5, 12_000], ["plain", None, 7]]


def test_latex_is_escaped_and_has_rules() -> None:
    lines = tabular("latex", HEADER, ROWS).splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}"
    assert [lines[1], lines[3], lines[6]] == [r"\toprule", r"\midrule", r"\bottomrule"]
    assert lines[4] == (
        r"a\_b \& 50\% of \$x\$ \{\textasciitilde{}\textasciicircum{}\} \textbackslash{} \#1 "
        r"\textless{}|\textgreater{} & $1.25 \times 10^{-5}$ & $12{,}000$ \\"
    )
    assert lines[5] == r"plain &  & $7$ \\"


def test_markdown_and_csv_hold_the_same_cells() -> None:
    lines = tabular("markdown", HEADER, ROWS).splitlines()
    assert lines[1] == "| --- | ---: | ---: |"
    assert all(len(line.replace(r"\|", "").split("|")) == 5 for line in lines)
    read = list(csv.reader(io.StringIO(tabular("csv", HEADER, ROWS))))
    assert read == [HEADER, [str(ROWS[0][0]), "1.25e-05", "12000"], ["plain", "", "7"]]


@pytest.mark.parametrize("form", ["latex", "markdown", "csv"])
def test_the_command_prints_a_table(form: Form, hannan: Any) -> None:
    for method in ("cfr", "dcfr"):
        hn.solve("kuhn_poker", method, iterations=9, log=f"{method}_1.log")
    ran = hannan("plot", "cfr_1.log", "dcfr_1.log", "--table", form)
    assert ran.code == 0
    record = hannan("plot", "cfr_1.log", "dcfr_1.log", "--json").record
    keys = ["log", "game", "method", "iterations", "seconds", "gap", "nash_conv", "stop"]
    rows = [[run[key] for key in keys] for run in record["runs"]]
    assert ran.out == tabular(form, [*keys[:6], "NashConv", "stop"], rows)
    refused = hannan("plot", "cfr_1.log", "--table", form, "--json")
    assert (refused.code, "--table and --json" in refused.err) == (2, True)


@pytest.mark.parametrize("size", ["3", "a,b", "0,1", "1,2,3"])
def test_a_size_on_the_command_line_is_checked(size: str, hannan: Any) -> None:
    hn.solve("kuhn_poker", "cfr", iterations=9, log="x.log")
    ran = hannan("plot", "x.log", "--out", "x.png", "--size", size)
    assert (ran.code, ran.out, Path("x.png").exists()) == (2, "", False)
    assert "inches" in ran.err
