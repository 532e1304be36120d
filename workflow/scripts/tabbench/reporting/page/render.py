"""Fill in a page's template: whatever comes from data is shown as text."""

from pathlib import Path
from typing import Any

import jinja2


def render(template: str | Path, **values: Any) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    template : a file in one folder with the files that it includes
    values : what it shows; a name that it lacks is an error
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(template).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(Path(template).name).render(**values)
