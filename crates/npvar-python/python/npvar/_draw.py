"""Where to draw the nodes of a graph, and the drawing as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

_SWEEPS = 12


class Arrow(NamedTuple):
    """An edge to draw."""

    source: str
    target: str
    kind: str


def places(nodes: Sequence[str], edges: Sequence[Arrow]) -> dict[str, tuple[float, float]]:
    """A place (column, row) for every node: parents left of children, neighbours near each other.

    Undirected and bidirected edges count as running in the order of the nodes.

    >>> places(["a", "b"], [Arrow("a", "b", "directed")])
    {'a': (0.0, 0.0), 'b': (1.0, 0.0)}
    """
    position = {node: i for i, node in enumerate(nodes)}
    parents: dict[str, list[str]] = {node: [] for node in nodes}
    children: dict[str, list[str]] = {node: [] for node in nodes}
    directed = [edge for edge in edges if edge.kind == "directed"]
    for edge in directed:
        parents[edge.target].append(edge.source)
        children[edge.source].append(edge.target)
    depth = _depths(nodes, parents)
    for edge in edges:
        if edge.kind != "directed":
            parents[edge.target].append(edge.source)
            children[edge.source].append(edge.target)
    columns: list[list[str]] = [[] for _ in range(max(depth.values(), default=0) + 1)]
    for node in nodes:
        columns[depth[node]].append(node)
    row = {node: float(i) for column in columns for i, node in enumerate(column)}
    for sweep in range(_SWEEPS):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            near = {}
            for node in column:
                around = parents[node] + children[node]
                near[node] = sum(row[other] for other in around) / len(around) if around else row[node]
            column.sort(key=lambda node: (near[node], position[node]))
            for i, node in enumerate(column):
                row[node] = i - (len(column) - 1) / 2
    top = min(row.values(), default=0.0)
    return {node: (float(depth[node]), row[node] - top) for node in nodes}


def _depths(nodes: Sequence[str], parents: dict[str, list[str]]) -> dict[str, int]:
    """The length of the longest directed path to each node; a cycle is cut where it is met."""
    depth: dict[str, int] = {}
    for start in nodes:
        stack, path = [start], {start}
        while stack:
            node = stack[-1]
            open_parents = [p for p in parents[node] if p not in depth and p not in path]
            if open_parents:
                stack.append(open_parents[0])
                path.add(open_parents[0])
                continue
            known = [depth[p] + 1 for p in parents[node] if p in depth]
            depth.setdefault(node, max(known, default=0))
            path.discard(stack.pop())
    return depth


def svg(nodes: Sequence[str], edges: Sequence[Arrow]) -> str:
    """A drawing without scripts, readable on light and dark pages.

    >>> svg(["a", "b"], [Arrow("a", "b", "directed")]).count("<path")
    3
    """
    place = places(nodes, edges)
    longest = max((len(node) for node in nodes), default=1)
    half = max(18.0, 4.2 * min(longest, 18) + 8.0)
    across, down = 2 * half + 60.0, 46.0
    x = {node: half + 6.0 + across * place[node][0] for node in nodes}
    y = {node: 20.0 + down * place[node][1] for node in nodes}
    width = max(x.values(), default=0.0) + half + 6.0
    height = max(y.values(), default=0.0) + 20.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{min(width, 960.0):.0f}" role="img" aria-label="graph" font-family="sans-serif" font-size="13">',
        '<defs><marker id="npvar-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" fill="#5b6b7f"/></marker>'
        '<marker id="npvar-none"><path d=""/></marker></defs>',
    ]
    for edge in edges:
        start, end = x[edge.source], x[edge.target]
        if end > start:
            start, end = start + half, end - half
        elif end < start:
            start, end = start - half, end + half
        else:  # one column: around the right side
            start, end = start + half, end + half
        bend = across * 0.35 if start != end else half + 14.0
        control = (start + bend, end - bend) if end > start else (start - bend, end + bend)
        if x[edge.source] == x[edge.target]:
            control = (start + bend, end + bend)
        ends = ' marker-end="url(#npvar-head)"' if edge.kind != "undirected" else ""
        ends += ' marker-start="url(#npvar-head)"' if edge.kind == "bidirected" else ""
        title = escape(f"{edge.source} {_SIGNS.get(edge.kind, '→')} {edge.target}")
        parts.append(
            f'<path d="M{start:.1f} {y[edge.source]:.1f} C{control[0]:.1f} {y[edge.source]:.1f} '
            f'{control[1]:.1f} {y[edge.target]:.1f} {end:.1f} {y[edge.target]:.1f}" fill="none" stroke="#5b6b7f" '
            f'stroke-width="1.4"{ends}><title>{title}</title></path>'
        )
    for node in nodes:
        shown = node if len(node) <= 18 else node[:17] + "…"
        parts.append(
            f'<g><title>{escape(node)}</title><rect x="{x[node] - half:.1f}" y="{y[node] - 14:.1f}" '
            f'width="{2 * half:.1f}" height="28" rx="8" fill="#eef3f8" stroke="#2f5d8a"/>'
            f'<text x="{x[node]:.1f}" y="{y[node] + 4.5:.1f}" text-anchor="middle" fill="#12263a">{escape(shown)}'
            "</text></g>"
        )
    parts.append("</svg>")
    return "".join(parts)


_SIGNS = {"directed": "→", "undirected": "–", "bidirected": "↔"}
