"""The documentation site: `make docs` writes it to docs/_build/html; it needs graphviz."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from generate import write_all

write_all()

project = "LLMTabBench as a workflow"
extensions = ["myst_parser", "sphinx.ext.graphviz", "sphinx_copybutton"]
myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "reference/generated"]
html_theme = "furo"
html_title = project
html_static_path = ["images"]
html_show_copyright = False
graphviz_output_format = "svg"
copybutton_exclude = ".linenos, .gp"
