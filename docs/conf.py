"""The documentation site: `make docs` builds it into `docs/_build/html`, without network.

Our own extensions are in `_extensions/`: pages of the repository, the API reference, formulas.
"""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

import matplotlib

matplotlib.use("agg")

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS / "_extensions"), str(DOCS.parent)]

project = "disambig"
author = "The disambig developers"
project_copyright = author
version = release = installed_version("disambig")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "api_pages",
    "code_links",
    "mathml",
    "protocol_docs",
    "repository_pages",
    "unbroken_numbers",
]
exclude_patterns = ["_build", "_extensions", "**/*.ipynb", "figures/*.py"]
templates_path = ["_templates"]
nitpicky = True
default_role = "py:obj"
language = "en"
toc_object_entries_show_parents = "hide"

# ---------------------------------------------------------------- Markdown

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

# ---------------------------------------------------------------- API reference

autodoc_typehints = "none"
autodoc_member_order = "groupwise"
# Members are listed in full below the class, so the table of numpydoc would say it twice.
numpydoc_show_class_members = False
numpydoc_use_plots = False

# ---------------------------------------------------------------- gallery

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"/_",
    "within_subsection_order": "gallery_order.example_order",
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "abort_on_example_error": False,
    "only_warn_on_example_error": True,
    "log_level": {"backreference_missing": "debug"},
}

# ---------------------------------------------------------------- HTML

html_theme = "pydata_sphinx_theme"
html_title = "disambig"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_sidebars = {"**": ["site-nav.html"]}
html_theme_options = {
    "navbar_start": ["navbar-logo"],
    "navbar_center": [],
    "navbar_persistent": ["search-button-field"],
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "logo": {"text": "disambig"},
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_show_sphinx = False
html_copy_source = True
html_show_sourcelink = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
