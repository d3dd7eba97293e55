"""A picture and the script that makes it, which the build runs.

    ```{gallery} convergence
    ```

runs docs/gallery/convergence.py in a process of its own. The script writes `convergence.svg` into its folder.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FOLDER = Path("gallery")
DRAWN = FOLDER / "pictures"


class Gallery(SphinxDirective):
    """One picture, its text and its code."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the picture, what it shows, and the script."""
        name = self.arguments[0]
        path = Path(self.env.srcdir) / FOLDER / f"{name}.py"
        self.env.note_dependency(str(path))
        source = path.read_text(encoding="utf-8")
        said = ast.get_docstring(ast.parse(source)) or ""
        code = source.split('"""', 2)[2].strip()
        title, _, text = said.partition("\n")
        picture = nodes.image(uri=f"/{DRAWN.as_posix()}/{name}.svg", alt=title)
        block = nodes.literal_block(code, code, language="python")
        return [picture, *self.parse_text_to_nodes(text.strip()), block]


def drawn(app: Sphinx) -> None:
    """Run every script of the gallery, two at a time; one that fails ends the build."""
    folder = Path(app.srcdir) / DRAWN
    folder.mkdir(parents=True, exist_ok=True)
    scripts = sorted((Path(app.srcdir) / FOLDER).glob("*.py"))
    style = Path(app.srcdir, FOLDER, "matplotlibrc").resolve()
    environment = {**os.environ, "MPLBACKEND": "agg", "MATPLOTLIBRC": str(style)}
    for first in range(0, len(scripts), 2):
        running = [
            (script, subprocess.Popen([sys.executable, str(script)], cwd=folder, env=environment))
            for script in scripts[first : first + 2]
        ]
        for script, process in running:
            if process.wait() != 0:
                raise RuntimeError(f"{script} failed")


def setup(app: Sphinx) -> dict[str, bool]:
    """Run the scripts before the build, and offer the directive."""
    app.connect("builder-inited", drawn)
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
