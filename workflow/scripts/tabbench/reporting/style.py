"""The common style of all figures; the only place that assigns colours.

Text is 7 pt or larger at printed size; widths are those of a two-column page (inches).
"""

import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import matplotlib as mpl
import matplotlib.figure
import pandas as pd
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tabbench.core.contexts import CONTEXTS
from tabbench.core.errors import TabBenchError
from tabbench.reporting.glyphs import USUAL, use_fonts_for

COLUMN, PAGE = 3.5, 7.16
"""Width of one and of two columns, inches."""

BASELINE_COLOUR = "#4d4d4d"
DELTA_COLOUR = "#A50026"
CHANCE = 0.5
_SMALLEST_RANGE = 0.2

_MODEL_COLOURS = (  # Okabe and Ito without black and yellow, then three of Paul Tol's
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#332288",
    "#882255",
    "#999933",
)
_MODEL_MARKERS = "osD^vPX<>"

_BASELINE_COLOURS = (  # dark enough for thin lines
    "#4d4d4d",
    "#117733",
    "#AA4499",
    "#0F6F7C",
    "#8C6D1F",
    "#661100",
    "#5A5AA8",
    "#777777",
    "#B03060",
)
_BASELINE_MARKERS = "sD^vPXo<>"

FULL_LOOK: dict[str, Any] = {
    "color": "black",
    "marker": "*",
    "markersize": 6,
    "linestyle": (0, (6, 2)),
    "linewidth": 1,
}
"""Of a baseline that was fitted on all training rows."""
FULL_NOTE = "; black dashes: fitted once on all training rows of the same datasets"

SUITE_LOOKS = {
    "core": {"color": "#9AA5B1", "label": "Classic"},
    "new": {"color": "#6A3D9A", "label": "New"},
}

_MASKED = (0.0, (1.5, 1.5))
FORMAT_LOOKS: dict[str, dict[str, Any]] = {
    "feat_val": {"color": "#00568A", "marker": "o", "linestyle": "-"},
    "feat_val_mask": {"color": "#8FC3E0", "marker": "o", "linestyle": _MASKED},
    "markdown": {"color": "#007A59", "marker": "s", "linestyle": "-"},
    "markdown_mask": {"color": "#8CD1BC", "marker": "s", "linestyle": _MASKED},
    "html": {"color": "#CC79A7", "marker": "^", "linestyle": "-"},
}
"""Looks of the text formats: hue and marker by family, light and dotted where names are masked."""

_LOOK: dict[str, Any] = {
    "figure.dpi": 200,
    "savefig.dpi": 200,
    "font.family": USUAL,
    "text.parse_math": False,  # a title with two "$" is a title
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.prop_cycle": cycler(color=_MODEL_COLOURS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "errorbar.capsize": 2,
    "legend.frameon": False,
    "pdf.fonttype": 42,  # text stays text
    "figure.constrained_layout.use": True,
}

_EMPTY = "nothing is drawn"
EMPTY_MARK = f"tEXtComment\0{_EMPTY}".encode("latin-1")
"""Bytes of a PNG in which nothing is drawn: a chunk of text."""

P = ParamSpec("P")


@dataclass(frozen=True)
class Figure:
    """A drawing and its caption; ``empty``: nothing is drawn, and the caption says why."""

    figure: matplotlib.figure.Figure
    caption: str
    empty: bool = False


@contextmanager
def look() -> Iterator[None]:
    """Apply the common style while drawing or saving, without the user's matplotlib settings."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_LOOK)  # type: ignore[arg-type]
        yield


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Run a figure function under the common look, with fonts for all of its characters."""

    @wraps(draw)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with look():
            drawn = draw(*args, **kwargs)
            lacking = use_fonts_for(drawn.figure)
            return replace(drawn, caption=f"{drawn.caption} {lacking}") if lacking else drawn

    return wrapper


def panels(
    count: int, *, width: float, height: float, per_row: int = 3
) -> tuple[matplotlib.figure.Figure, list[Axes]]:
    """Return a figure with ``count`` panels that share the y axis.

    Parameters
    ----------
    count : number of panels
    width, height : inches of one panel
    per_row : panels in a row, at most
    """
    columns = min(count, per_row)
    rows = -(-count // columns)
    figure = matplotlib.figure.Figure(figsize=(width * columns, height * rows))
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
    axes = list(grid.flat)
    for spare in axes[count:]:
        spare.set_axis_off()
    return figure, axes[:count]


def save(figure: Figure, *, pdf: str | Path, png: str | Path) -> None:
    """Write both files; equal input gives equal bytes (no dates, no versions).

    The PNG of an empty figure holds `EMPTY_MARK`, by which the page of results knows it.
    """
    comment = {"Comment": _EMPTY} if figure.empty else {}
    with look():
        for path, metadata in (
            (pdf, {"CreationDate": None, "Producer": None, "Creator": None}),
            (png, {"Software": None} | comment),
        ):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            figure.figure.savefig(path, format=Path(path).suffix[1:], metadata=metadata)


def svg(figure: Figure) -> str:
    """Return the drawing as SVG, letters as outlines; equal input gives equal text."""
    text = io.StringIO()
    with look(), mpl.rc_context({"svg.hashsalt": "tabbench", "svg.fonttype": "path"}):
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.figure.savefig(text, format="svg", metadata=nothing)
    return text.getvalue()


def model_looks(models: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return colour and marker by model, from its place in the configured order.

    Pass every figure the same complete list of models, so that a model keeps its colour.
    """
    return {
        model: {
            "color": _MODEL_COLOURS[index % len(_MODEL_COLOURS)],
            "marker": _MODEL_MARKERS[index % len(_MODEL_MARKERS)],
        }
        for index, model in enumerate(models)
    }


def baseline_looks(baselines: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the look of each baseline, next to models: thin, dashed, hollow markers."""
    return {
        baseline: {
            "color": _BASELINE_COLOURS[index % len(_BASELINE_COLOURS)],
            "marker": _BASELINE_MARKERS[index % len(_BASELINE_MARKERS)],
            "markerfacecolor": "white",
            "linestyle": (0, (4, 1.5)),
            "linewidth": 1,
        }
        for index, baseline in enumerate(baselines)
    }


def labelled_looks(models: Mapping[str, str], shown: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the look of each model that is ``shown``, with its display name as ``label``."""
    looks = model_looks(models)
    return {model: looks[model] | {"label": models[model]} for model in shown}


def with_data(models: Iterable[str], cells: pd.DataFrame) -> list[str]:
    """Return the models that ``cells`` has a value of, in the configured order.

    Raises
    ------
    TabBenchError
        When there is none, so that no empty figure is drawn.
    """
    found = set(cells["model"])
    shown = [model for model in models if model in found]
    if not shown:
        raise TabBenchError(
            f"nothing to draw: no value of {', '.join(models)} is defined; check the scored rows "
            "and classes of their cells"
        )
    return shown


def context_looks() -> dict[str, dict[str, Any]]:
    """Return colour, marker and line style by context."""
    return {one.name: one.look._asdict() for one in CONTEXTS if one.look}


def sequence_colours(count: int) -> list[Any]:
    """Return ``count`` colours from dark to light, for an ordered quantity such as shots."""
    colours = mpl.colormaps["cividis"]
    return [colours(0.88 * index / max(count - 1, 1)) for index in range(count)]


def reference_line(
    every_axes: Sequence[Axes], y: float, text: str, colour: str = "#777777"
) -> None:
    """Draw a dashed level in each panel; name it to the right of the last column."""
    for axes in every_axes:
        axes.axhline(y, color=colour, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.9)
        place = axes.get_subplotspec()
        if place is not None and place.is_last_col():
            label_at_edge(axes, y, text, colour)


def chance_line(every_axes: Sequence[Axes]) -> None:
    """Draw ROC-AUC 0.5, named "chance"; call it when all data are drawn."""
    reference_line(every_axes, CHANCE, "chance")
    widen(every_axes[0])


def widen(axes: Axes) -> None:
    """Widen the axis to ``_SMALLEST_RANGE`` of ROC-AUC or more, so that noise looks small."""
    low, high = axes.get_ylim()
    lacking = _SMALLEST_RANGE - (high - low)
    if lacking > 0:
        axes.set_ylim(low - lacking / 2, high + lacking / 2)


def label_at_edge(axes: Axes, y: float, text: str, colour: str) -> None:
    """Write ``text`` at height ``y`` just outside the right edge."""
    axes.annotate(
        text,
        (1, y),
        xycoords=("axes fraction", "data"),
        xytext=(3, 0),
        textcoords="offset points",
        va="center",
        fontsize=7,
        color=colour,
        annotation_clip=False,
    )


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Move label heights apart until neighbours are ``gap`` from each other, order kept."""
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    moved = [heights[index] for index in order]
    for place in range(1, len(moved)):
        moved[place] = max(moved[place], moved[place - 1] + gap)
    drift = sum(moved) - sum(heights)
    result = [0.0] * len(heights)
    for index, height in zip(order, moved, strict=True):
        result[index] = height - drift / len(heights)
    return result


def shot_positions(shots: Sequence[int]) -> dict[int, float]:
    """Return where shots stand on a log2 axis; 0 stands one step left of the smallest."""
    smallest = min((k for k in shots if k > 0), default=1)
    return {k: math.log2(k / smallest) + 1 if k else 0.0 for k in shots}


def shot_axis(axes: Axes, shots: Sequence[int], counts: Mapping[int, int]) -> None:
    """Label the log2 axis of shots, the number of datasets under each."""
    positions = shot_positions(shots)
    labels = [f"{k}\n({counts.get(k, 0)})" for k in shots]
    axes.set_xticks([positions[k] for k in shots], labels)
    axes.set_xlim(min(positions.values()) - 0.3, max(positions.values()) + 0.3)


SHOTS_LABEL = "Labelled examples in the prompt, log2 axis (n datasets)"


def legend_above(figure: matplotlib.figure.Figure, axes: Axes, columns: int) -> None:
    """Put the legend of ``axes`` above all panels, outside the data."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=columns)
