"""A picture of a branch of quantal response equilibria: the probability of each action by λ, on a logarithmic axis."""

from __future__ import annotations

from math import ceil
from os import PathLike

from hannan.arguments import shown
from hannan.errors import ParameterError
from hannan.pictures.figures import blank, broken, check_target, set_title, write_figure
from hannan.runs.qre import Quantal

MOST_PANELS, COLUMNS = 24, 3
"""The most choices that are drawn, and the number of panels in a row."""

MOST_NAMED = 8
"""The most actions of a choice that a legend names."""

CONFIDENT = 1.96
"""The number of standard errors that are shaded on each side of a fitted λ: 95 % of a normal distribution."""


def draw_branch(path: str | PathLike[str], result: Quantal) -> None:
    """Draw the branch of a result, one panel per choice, and mark a fitted λ; the file is written atomically."""
    kind = check_target(path)
    if not isinstance(result, Quantal):
        raise ParameterError(f"{shown(result)} is not a result of hannan.qre")
    branch = result.branch
    if branch is None:
        raise ParameterError("this result has no branch to draw: call hannan.qre with path=True")
    panels = min(len(branch.choices), MOST_PANELS)
    columns = min(panels, COLUMNS)
    rows = ceil(panels / columns)
    figure = blank((4 * columns, 2.6 * rows + 0.4))
    axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    seen = branch.lambdas > 0
    for choice, ax in enumerate(axes):
        if choice >= panels:
            ax.set_axis_off()
            continue
        begin, end = int(branch.begin[choice]), int(branch.begin[choice + 1])
        for action in range(begin, end):
            ax.plot(branch.lambdas[seen], branch.probabilities[seen, action], label=branch.actions[action])
        if result.observations is not None:
            ax.axvline(result.lambda_, color="grey", linestyle="--")
            if result.standard_error is not None:
                half = CONFIDENT * result.standard_error
                low = max(result.lambda_ - half, float(branch.lambdas[seen].min()))
                ax.axvspan(low, result.lambda_ + half, color="grey", alpha=0.15)
        ax.set(xscale="log", ylim=(-0.02, 1.02))
        ax.set_title(broken(branch.choices[choice], 36), fontsize="small", parse_math=False)
        ax.grid(visible=True, alpha=0.3)
        if end - begin <= MOST_NAMED:
            for text in ax.legend(fontsize="x-small").get_texts():
                text.set_parse_math(False)
        if choice + columns >= panels:
            ax.set_xlabel("λ")
    more = len(branch.choices) - panels
    fitted = "" if result.observations is None else f", fitted λ = {result.lambda_:.4g}"
    left = f", the first {panels} of {panels + more} choices" if more else ""
    set_title(figure, axes[0], f"{result.game}: quantal response{fitted}{left}")
    write_figure(path, figure, kind)
