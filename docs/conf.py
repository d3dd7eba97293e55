"""How Sphinx builds the site: `python -m sphinx -W -b html docs build/site`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))
os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # the notebook kernel's debugger warns otherwise

import hannan  # noqa: E402

project = "hannan"
author = "The hannan developers"
copyright = author
version = release = hannan.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_design",
    "sphinx_copybutton",
    "extension.mathml",
    "extension.names",
    "extension.commands",
    "extension.games",
    "extension.gallery",
]
exclude_patterns = ["extension", "gallery/*.py"]
language = "en"
smartquotes = False  # two dashes begin an option
default_role = "code"  # docstrings write names as Markdown does
nitpicky = False

# Markdown and notebooks
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_show_tb = True
nb_mime_priority_overrides = [("html", "text/html", 0)]

# Docstrings
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

# Pages: no font, script or picture comes from another place.
html_theme = "pydata_sphinx_theme"
html_title = "hannan"
html_static_path = ["static"]
html_css_files = ["hannan.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_sidebars: dict[str, list[str]] = {"index": [], "words": [], "benchmarks": []}
html_theme_options = {
    "logo": {"text": "hannan"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = "$ "
suppress_warnings = [
    "mystnb.unknown_mime_type",
    "misc.highlighting_failure",  # the interface is shown in JSON with comments
    "ref.python",  # a type that is a field elsewhere
]
