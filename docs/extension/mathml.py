"""Formulas as MathML, which browsers draw themselves: no script, no font, no request."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def formula(text: str, display: str) -> str:
    """Return a formula as MathML; one that cannot be read ends the build."""
    try:
        return convert(text, display=display)
    except Exception as error:  # the library raises many kinds
        raise ExtensionError(f"the formula {text!r} cannot be read: {type(error).__name__} {error}") from error


def inline(self: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(formula(node.astext(), "inline"))
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    self.body.append(f'<div class="math">{formula(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the renderer under the name `mathml`."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
