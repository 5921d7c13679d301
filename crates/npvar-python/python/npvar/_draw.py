"""Graphs drawn: where nodes and edges stand, as SVG and with Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from npvar import _npvar

_STYLES = {
    "directed": "-|>", "undirected": "-", "bidirected": "<|-|>",
    "partially-directed": "-|>", "undetermined": "-", "partially-undirected": "-",
}  # fmt: skip
_CIRCLES = {"partially-directed": (0,), "undetermined": (0, -1), "partially-undirected": (0,)}  # points of the route
_PIXELS_PER_INCH = 96.0
_LETTERS = 14.0  # pixels, for which the boxes are made
_LARGEST = 40.0  # inches


class Arrow(NamedTuple):
    """An edge to draw."""

    source: str
    target: str
    kind: str


def places(nodes: Sequence[str], edges: Sequence[Arrow]) -> dict[str, tuple[float, float]]:
    """The middle of every node, in pixels from the left and from the top: parents left of children.

    >>> place = places(["a", "b"], [Arrow("a", "b", "directed")])
    >>> place["a"][0] < place["b"][0]
    True
    """
    boxes, _, _ = _npvar.layout(list(nodes), list(edges))
    return {node: box[:2] for node, box in zip(nodes, boxes, strict=True)}


def svg(nodes: Sequence[str], edges: Sequence[Arrow]) -> str:
    """A drawing without scripts, readable on light and dark pages.

    >>> svg(["a", "b"], [Arrow("a", "b", "directed")]).count("<path")
    2
    """
    return _npvar.graph_svg(list(nodes), list(edges))


def plot(nodes: Sequence[str], edges: Sequence[Arrow], ax: Any = None) -> Any:
    """Draws with Matplotlib, on the given axes or on new ones of the graph's own size."""
    import matplotlib.pyplot as plt
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
    from matplotlib.path import Path

    boxes, routes, (width, height) = _npvar.layout(list(nodes), list(edges))
    margin = 10.0
    if ax is None:
        inches = [(side + 2 * margin) / _PIXELS_PER_INCH for side in (width, height)]
        shrunk = min(1.0, _LARGEST / max(inches))
        default = plt.rcParams["figure.figsize"]
        size = [max(inch * shrunk, least) for inch, least in zip(inches, default, strict=True)]
        _, ax = plt.subplots(figsize=size)
    ax.set_aspect("equal")
    ax.set_xlim(-margin, width + margin)
    ax.set_ylim(height + margin, -margin)
    ax.axis("off")
    room = ax.get_window_extent()
    inches_per_pixel = min(room.width / (width + 2 * margin), room.height / (height + 2 * margin)) / ax.figure.dpi
    points = min(72.0 / _PIXELS_PER_INCH, 72.0 * inches_per_pixel)  # per pixel of the layout, at most its own size
    for edge, route in zip(edges, routes, strict=True):
        codes = [Path.MOVETO] + [Path.CURVE4] * (len(route) - 1)
        ax.add_patch(
            FancyArrowPatch(
                path=Path(route, codes), arrowstyle=_STYLES[edge.kind], mutation_scale=max(6.0, 14.0 * points),
                color="#5b6b7f", linewidth=max(0.5, 1.8 * points), joinstyle="miter", zorder=1,
            )
        )  # fmt: skip
        for end in _CIRCLES.get(edge.kind, ()):
            ax.plot(
                *route[end], marker="o", markersize=max(3.0, 7.0 * points), markerfacecolor="white",
                markeredgecolor="#5b6b7f", markeredgewidth=max(0.5, 1.4 * points), zorder=3,
            )  # fmt: skip
    for x, y, box_width, box_height, lines in boxes:
        ax.add_patch(
            FancyBboxPatch(
                (x - box_width / 2, y - box_height / 2), box_width, box_height, mutation_aspect=1.0,
                boxstyle=f"round,pad=0,rounding_size={min(12.0, box_height / 2)}",
                facecolor="#eef3f8", edgecolor="#2f5d8a", linewidth=max(0.5, 1.5 * points), zorder=2,
            )
        )  # fmt: skip
        ax.text(x, y, "\n".join(lines), ha="center", va="center", fontsize=_LETTERS * points, linespacing=1.05, zorder=3)
    return ax
