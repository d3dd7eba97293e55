"""What a page about a built-in game shows below its rules: facts from the catalogue, and a picture of a small instance.

```{game} kuhn_poker
:picture: kuhn_poker
:depth: 3
```
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from hannan.games.catalogue import Entry, entry


class Game(SphinxDirective):
    """The facts of one game."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "picture": directives.unchanged_required,
        "depth": directives.positive_int,
        "strategy": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """Return the tables and the picture."""
        one = entry(self.arguments[0])
        lines = [f"{one.summary[0].upper()}{one.summary[1:]}.", "", f"**Source.** {one.source}.", ""]
        lines += [*_parameters(one), *_known(one), *_openspiel(one)]
        made: list[nodes.Node] = list(self.parse_text_to_nodes("\n".join(lines)))
        if "picture" in self.options:
            made += self._picture(self.options["picture"])
        return made

    def _picture(self, address: str) -> list[nodes.Node]:
        import hannan as hn

        depth = self.options.get("depth")
        name = f"{self.arguments[0]}.svg"
        folder = Path(self.env.srcdir) / "reference" / "games" / "pictures"
        folder.mkdir(exist_ok=True)
        strategy = hn.solve(address, gap=1e-6).strategy if "strategy" in self.options else None
        _drawn(folder / name, address, strategy, depth)
        first = "" if depth is None else f", its first {depth} moves" if depth > 1 else ", its first move"
        solved = ", with an equilibrium" if strategy is not None else ""
        text = f'`hannan draw "{address}"`{first}{solved}: '
        text += "circles are players, diamonds several players at once, squares chance; a dashed line joins an "
        text += "information set."
        drawing = nodes.image(uri=f"pictures/{name}", alt=f"The tree of {address}{first}{solved}")
        caption = nodes.caption("", "", *self.parse_inline(text)[0])
        return [nodes.figure("", drawing, caption)]


def _drawn(path: Path, address: str, strategy: Any, depth: int | None) -> None:
    import matplotlib

    import hannan as hn

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "hannan"
    from matplotlib import pyplot

    hn.draw(address, path, strategy, depth=depth, title=address)
    pyplot.close("all")


def _parameters(one: Entry) -> list[str]:
    if not one.parameters:
        return ["It has no parameters.", ""]
    lines = ["| parameter | default | values |", "| --- | --- | --- |"]
    for name, default in one.defaults.items():
        written = str(default).lower() if isinstance(default, bool) else default
        shown = "" if default in (inspect.Parameter.empty, None) else f"`{written}`"
        lines.append(f"| `{name}` | {shown} | {one.parameters.get(name, '')} |")
    return [*lines, ""]


def _known(one: Entry) -> list[str]:
    if not one.known:
        return []
    heads = ("instance", "histories", "information sets of each player", "value to player 0", "from")
    lines = [f"| {' | '.join(heads)} |", "| --- | --- | --- | --- | --- |"]
    for address, known in one.known.items():
        histories = "" if known.histories is None else f"{known.histories:,}"
        sets = "" if known.sets is None else ", ".join(f"{count:,}" for count in known.sets)
        value = "" if known.value is None else f"{known.value:.12g}"
        lines.append(f"| `{address}` | {histories} | {sets} | {value} | {known.source} |")
    return [*lines, ""]


def _openspiel(one: Entry) -> list[str]:
    if not one.openspiel:
        return ["OpenSpiel has no game that is exactly the same.", ""]
    lines = ["| here | the same game in OpenSpiel |", "| --- | --- |"]
    return [*lines, *(f"| `{ours}` | `{theirs}` |" for ours, theirs in one.openspiel.items()), ""]


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the directive."""
    app.add_directive("game", Game)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
