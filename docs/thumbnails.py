"""Thumbnails of the figures of a finished run, for the reference's page of artifacts.

    python docs/thumbnails.py results

Writes docs/images/thumbnails/<folder>/<name>.png and removes those of figures that the run lacks.
They are small on purpose: they say what a figure looks like, not what it shows.
"""

import shutil
import sys
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).parent))
from generate import THUMBNAILS, figures

SIZE = 320
"""Pixels of the longer side."""
COLOURS = 32


def write_thumbnail(source: Path, target: Path) -> None:
    """Scale a figure down; its longer side has `SIZE` pixels."""
    with Image.open(source) as image:
        picture = image.convert("RGB")
    picture.thumbnail((SIZE, SIZE), Image.Resampling.LANCZOS)
    target.parent.mkdir(parents=True, exist_ok=True)
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)


def main(results: Path) -> None:
    places = [Path(one.folder) / f"{one.name}.png" for one in figures()]
    found = [place for place in places if (results / place).exists()]
    if not found:
        sys.exit(f"{results} contains no figures: run the workflow first")
    shutil.rmtree(THUMBNAILS, ignore_errors=True)
    for place in found:
        write_thumbnail(results / place, THUMBNAILS / place)
    print(f"{len(found)} thumbnails in {THUMBNAILS}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results"))
