"""Graphs with named nodes, and what was learned."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from npvar import _draw, _npvar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Curve", "Diagnostic", "Edge", "Graph", "Learned", "Step"]

_SIGNS = {
    "directed": "->", "undirected": "--", "bidirected": "<->",
    "partially-directed": "o->", "undetermined": "o-o", "partially-undirected": "o--",
}  # fmt: skip
# The marks at source and target as the adjacency matrix writes them: 2 arrowhead, 3 circle, 4 tail.
MARKS = {"bidirected": (2, 2), "partially-directed": (3, 2), "undetermined": (3, 3), "partially-undirected": (3, 4)}
_MOST_DRAWN = 60


class Edge(NamedTuple):
    """One edge, with the evidence for it where there is some."""

    source: str
    target: str
    kind: str = "directed"
    p_value: float | None = None
    strength: float | None = None
    frequency: float | None = None
    weight: float | None = None


class Diagnostic(NamedTuple):
    """Something that did not stop the computation but that a reader of the result should know."""

    level: str
    code: str
    message: str
    advice: str | None = None


class Verdict(NamedTuple):
    """Whether an answer can be believed: `believable`, `directions-doubtful` or `not-usable`, why, and what to do next."""

    level: str
    sentence: str
    next: str | None


class Step(NamedTuple):
    """One step of the order search: the ancestral set, η, and the residual variance of every remaining node.

    Standard errors and the winner's lead (`winner`, `runner_up`, `lead`, `standard_error`) are there with evidence.
    """

    given: list[str]
    eta: float
    residual_variances: dict[str, float]
    standard_errors: dict[str, float] | None = None
    margin: dict[str, Any] | None = None


class Curve(NamedTuple):
    """A parent's fitted effect on a child, with mean zero over the data, and a band of 1.96 standard errors."""

    source: str
    target: str
    x: list[float]
    fit: list[float]
    lower: list[float] | None
    upper: list[float] | None


class Graph:
    """A graph whose nodes have names. Edges are directed, undirected, bidirected, or, in what FCI finds, partially-directed
    (`o->`), undetermined (`o-o`) or partially-undirected (`o--`).

    >>> graph = Graph.from_edges(["rain", "wet"], [("rain", "wet")])
    >>> print(graph.to_dot())
    digraph {
      "rain";
      "wet";
      "rain" -> "wet";
    }
    <BLANKLINE>
    >>> graph == Graph.from_json(graph.to_json())
    True
    """

    _text: str
    _object: dict[str, Any]

    def __init__(self, text: str) -> None:
        self._text = text
        self._object = json.loads(text)

    # -- made from --------------------------------------------------------------------------------------------------

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Reads an object with `nodes` and `edges`."""
        return cls(_npvar.convert(text, "json", "json"))

    @classmethod
    def from_edges(cls, nodes: list[str], edges: list[tuple[str, ...]]) -> Self:
        """Nodes, and edges as pairs or as triples with the kind of the edge."""
        listed = [dict(zip(("from", "to", "kind"), (*edge, "directed")[:3], strict=False)) for edge in edges]
        return cls.from_json(json.dumps({"nodes": list(nodes), "edges": listed}))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a .json, .csv, .dot, .gv or .graphml file."""
        return cls(_npvar.read_graph(os.fspath(path)))

    # -- what it says -----------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> list[str]:
        """The names of the nodes."""
        return list(self._object["nodes"])

    @property
    def edges(self) -> list[Edge]:
        """The edges."""
        return [
            Edge(e["from"], e["to"], e["kind"], *map(e.get, ("p_value", "strength", "frequency", "weight")))
            for e in self._object["edges"]
        ]

    def parents(self, node: str) -> list[str]:
        """The nodes with an edge to `node`."""
        return [edge.source for edge in self.edges if edge.target == node and edge.kind == "directed"]

    def adjacency(self) -> NDArray[np.int8]:
        """The adjacency matrix, row = parent, column = child.

        1 stands for an edge, a 1 in both entries of a pair for an undirected one. Any other edge is written by its two marks,
        each in the entry of its end's column: 2 for an arrowhead, 3 for a circle, 4 for a tail.
        """
        import numpy as np

        position = {node: i for i, node in enumerate(self.nodes)}
        matrix = np.zeros((len(position), len(position)), dtype=np.int8)
        for edge in self.edges:
            i, j = position[edge.source], position[edge.target]
            if edge.kind in MARKS:
                matrix[j, i], matrix[i, j] = MARKS[edge.kind]
            else:
                matrix[i, j] = 1
                matrix[j, i] = edge.kind == "undirected"
        return matrix

    # -- written as -------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The graph as JSON."""
        return self._text

    def to_dot(self) -> str:
        """The graph in the language of Graphviz."""
        return _npvar.convert(self._text, "json", "dot")

    def to_graphml(self) -> str:
        """The graph as GraphML."""
        return _npvar.convert(self._text, "json", "graphml")

    def to_csv(self) -> str:
        """The adjacency matrix as CSV."""
        return _npvar.convert(self._text, "json", "csv")

    def to_edge_list(self) -> str:
        """The edges as CSV, one row each."""
        return _npvar.edge_list(self._text)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a file in the format that its ending names: .json, .csv (the adjacency matrix), .edges.csv or edges.csv
        (one row for every edge), .dot, .gv, .graphml, .svg, .png or .pdf.
        """
        path = os.fspath(path)
        writers: dict[str, Callable[[], str | bytes]] = {
            ".json": self.to_json, ".csv": self.to_csv, ".dot": self.to_dot, ".gv": self.to_dot,
            ".graphml": self.to_graphml, ".svg": self.to_svg, ".png": self.to_png, ".pdf": self.to_pdf,
            ".edges.csv": self.to_edge_list,
        }  # fmt: skip
        ending = os.path.splitext(path)[1].lower()
        if f".{os.path.basename(path).lower()}".endswith(".edges.csv"):
            ending = ".edges.csv"
        if ending not in writers:
            raise ValueError(f"{path}: a graph file ends in {', '.join(writers)}")
        content = writers[ending]()
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)

    def to_networkx(self) -> Any:
        """A `networkx.DiGraph` with `kind`, `p_value`, `strength`, `frequency` and `weight` on its edges.

        Every edge that is not directed becomes one edge in each direction, with its `kind`; where the two ends have different
        marks, `source` says where the edge begins.
        """
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.nodes)
        for edge in self.edges:
            facts = {name: value for name, value in edge._asdict().items() if value is not None}
            source, target = facts.pop("source"), facts.pop("target")
            graph.add_edge(source, target, **facts)
            if edge.kind != "directed":
                if edge.kind.startswith("partially"):
                    facts["source"] = graph.edges[source, target]["source"] = source
                graph.add_edge(target, source, **facts)
        return graph

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with one row per edge."""
        import pandas

        return pandas.DataFrame(self.edges, columns=list(Edge._fields))

    def to_svg(self) -> str:
        """A drawing, as SVG."""
        return _draw.svg(self.nodes, [_draw.Arrow(*edge[:3]) for edge in self.edges])

    def to_png(self) -> bytes:
        """A drawing, as PNG with 300 dots to the inch."""
        return _npvar.graph_png(self.nodes, [_draw.Arrow(*edge[:3]) for edge in self.edges])

    def to_pdf(self) -> bytes:
        """A drawing, as PDF with its font inside and text that can be selected."""
        return _npvar.graph_pdf(self.nodes, [_draw.Arrow(*edge[:3]) for edge in self.edges])

    def plot(self, ax: Any = None) -> Any:
        """Draws the graph with Matplotlib; returns the axes."""
        return _draw.plot(self.nodes, [_draw.Arrow(*edge[:3]) for edge in self.edges], ax)

    # -- as a Python object -----------------------------------------------------------------------------------------

    def _compared(self) -> Any:
        return self._object["nodes"], sorted(edge[:3] for edge in self.edges)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._compared() == other._compared()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._text,)

    def __repr__(self) -> str:
        return f"<npvar.{type(self).__name__}: {_count(len(self.nodes), 'node')}, {_count(len(self.edges), 'edge')}>"

    def __str__(self) -> str:
        lines = [f"{_count(len(self.edges), 'edge')} between {_count(len(self.nodes), 'node')}"]
        if self.edges:
            lines += _aligned([self._row(edge) for edge in self._shown_edges()])
        return "\n".join(lines)

    def _shown_edges(self) -> list[Edge]:
        return self.edges

    @staticmethod
    def _row(edge: Edge) -> list[str]:
        row = [edge.source, _SIGNS[edge.kind], edge.target]
        if edge.p_value is not None:
            row.append(f"p {_p_value(edge.p_value, '= ')}")
        if edge.strength is not None:
            row.append(f"strength {edge.strength:.3f}")
        if edge.weight is not None:
            row.append(f"weight {edge.weight:.4g}")
        if edge.frequency is not None:
            row.append(f"frequency {edge.frequency:.2f}")
        return row

    def _repr_html_(self) -> str:
        drawing = self.to_svg() if len(self.nodes) <= _MOST_DRAWN else ""
        weighted = any(e.weight is not None for e in self.edges)
        rows = "".join(
            f"<tr><td>{escape(e.source)}</td><td>{escape(_SIGNS[e.kind])}</td><td>{escape(e.target)}</td>"
            f"<td>{'' if e.p_value is None else escape(_p_value(e.p_value))}</td>"
            f"<td>{'' if e.strength is None else f'{e.strength:.3f}'}</td>"
            f"{'' if not weighted else '<td></td>' if e.weight is None else f'<td>{e.weight:.4g}</td>'}"
            f"{'' if e.frequency is None else f'<td>{e.frequency:.2f}</td>'}</tr>"
            for e in self._shown_edges()
        )
        frequency = "<th>frequency</th>" if any(e.frequency is not None for e in self.edges) else ""
        weight = "<th>weight</th>" if weighted else ""
        head = f"<tr><th>from</th><th></th><th>to</th><th>p-value</th><th>strength</th>{weight}{frequency}</tr>"
        table = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>" if rows else "<p>no edges</p>"
        return f'<div class="npvar-graph">{self._verdict_html()}{drawing}{table}{self._remarks_html()}</div>'

    def _verdict_html(self) -> str:
        return ""

    def _remarks_html(self) -> str:
        return ""


class Learned(Graph):
    """What was learned, with everything a reader needs to judge it.

    >>> import npvar
    >>> simulated = npvar.simulate("MC-SIN", nodes=4, seed=1)
    >>> learned = npvar.learn(simulated.data, seed=1)
    >>> len(learned.order), learned.seed
    (4, 1)
    >>> Learned.from_json(learned.to_json()) == learned
    True
    """

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Reads an `npvar-graph/1` object, such as `to_json` and `npvar learn --json` write."""
        return cls(_npvar.document(text, True))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Reads an `npvar-graph/1` object from a file."""
        with open(path, encoding="utf-8") as file:
            return cls.from_json(file.read())

    @classmethod
    def from_edges(cls, nodes: list[str], edges: list[tuple[str, ...]]) -> Self:
        """Not for what was learned: use `Graph.from_edges`."""
        raise TypeError("edges alone make a Graph, not something that was learned: use Graph.from_edges")

    @property
    def order(self) -> list[str] | None:
        """The order behind the graph, source first; `None` for learners without one."""
        return self._object["order"]  # type: ignore[no-any-return]

    @property
    def layers(self) -> list[list[str]] | None:
        """The layers behind the order."""
        return self._object["layers"]  # type: ignore[no-any-return]

    @property
    def steps(self) -> list[Step] | None:
        """Every step of the order search."""
        steps = self._object["steps"]
        if steps is None:
            return None
        more = ("standard_errors", "margin")
        return [Step(s["given"], s["eta"], s["residual_variances"], *map(s.get, more)) for s in steps]

    @property
    def tests(self) -> list[dict[str, Any]] | None:
        """Every test of the parent selection, edge or not: `from`, `to`, `p_value`, `statistic`, `edf`."""
        return self._object["tests"]  # type: ignore[no-any-return]

    @property
    def curves(self) -> list[Curve] | None:
        """The curve of every edge; `None` unless evidence was asked for."""
        found = self._object.get("curves")
        if found is None:
            return None
        return [Curve(c["from"], c["to"], c["x"], c["fit"], c.get("lower"), c.get("upper")) for c in found]

    @property
    def bootstrap(self) -> dict[str, Any] | None:
        """What resampled tables say: `replicates`, `edges` with their `frequency`, `positions` of every node."""
        return self._object.get("bootstrap")

    @property
    def consensus(self) -> Graph | None:
        """The edges found in at least half of the bootstrap samples, the directed ones without a cycle."""
        if self.bootstrap is None:
            return None
        consensus: list[tuple[str, ...]] = [
            (edge["from"], edge["to"], edge["kind"]) for edge in self.bootstrap["consensus"]
        ]
        return Graph.from_edges(self.nodes, consensus)

    def plot_curve(self, source: str, target: str, ax: Any = None) -> Any:
        """Draws the curve of an edge and its band with Matplotlib; returns the axes."""
        import matplotlib.pyplot as plt

        found = [curve for curve in self.curves or [] if curve[:2] == (source, target)]
        if not found:
            why = "ask for it with learn(..., evidence=True)" if self.curves is None else "there is no such edge"
            raise ValueError(f"no curve from {source} to {target}: {why}")
        curve = found[0]
        if ax is None:
            _, ax = plt.subplots()
        if curve.lower is not None and curve.upper is not None:
            ax.fill_between(curve.x, curve.lower, curve.upper, color="#2f5d8a", alpha=0.2, linewidth=0)
        ax.plot(curve.x, curve.fit, color="#2f5d8a")
        ax.set_xlabel(source)
        ax.set_ylabel(f"effect on {target}")
        return ax

    @property
    def verdict(self) -> Verdict | None:
        """Whether to believe it, why, and the call to go on with; `None` for objects written before there was one.

        In `next`, `data` and other names without quotes stand for what this call was given.
        """
        found = self._object.get("verdict")
        return None if found is None else Verdict(found["level"], found["sentence"], found["next"])

    @property
    def intake(self) -> list[dict[str, str | None]]:
        """What was done to the table to read it as numbers: `column` (or nothing), `did` and `why`."""
        return list(self._object.get("intake", []))

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What a reader should know."""
        return [Diagnostic(d["level"], d["code"], d["message"], d.get("advice")) for d in self._object["diagnostics"]]

    @property
    def learner(self) -> dict[str, Any]:
        """The learner's full configuration; `algorithm` is its name."""
        return dict(self._object["learner"])

    @property
    def seed(self) -> int:
        """The seed every random choice derived from."""
        return int(self._object["seed"])

    @property
    def version(self) -> str:
        """The version of the library that learned this."""
        return str(self._object["version"])

    @property
    def timing(self) -> dict[str, float] | None:
        """How long it took, in seconds."""
        return self._object.get("timing")

    @property
    def residual_variances(self) -> dict[str, float] | None:
        """Each node's residual variance when it joined the order; `None` for learners without such steps."""
        steps, layers = self.steps, self.layers
        if steps is None or layers is None:
            return None
        found = {}
        for step, layer in zip(steps, layers, strict=False):
            found.update({node: step.residual_variances[node] for node in layer if node in step.residual_variances})
        return {node: found[node] for node in self.nodes if node in found}

    def p_values(self) -> NDArray[np.float64]:
        """The p-values of the parent selection as a matrix, row = candidate, column = child; NaN where none was tested."""
        import numpy as np

        position = {node: i for i, node in enumerate(self.nodes)}
        matrix = np.full((len(position), len(position)), np.nan)
        for test in self.tests or []:
            matrix[position[test["from"]], position[test["to"]]] = test["p_value"]
        return matrix

    def weights(self) -> NDArray[np.float64]:
        """The weighted adjacency matrix of a linear learner, row = parent, column = child; 0 where there is no edge.

        A weight is the parent's least-squares coefficient among all the child's parents; NaN stands for an edge without
        one: learners of other relations, and children with an edge whose direction is open.
        """
        import numpy as np

        position = {node: i for i, node in enumerate(self.nodes)}
        matrix = np.zeros((len(position), len(position)))
        for edge in self.edges:
            i, j = position[edge.source], position[edge.target]
            matrix[i, j] = np.nan if edge.weight is None else edge.weight
            if edge.kind != "directed":
                matrix[j, i] = np.nan
        return matrix

    def to_json(self, timing: bool = True) -> str:
        """The `npvar-graph/1` object; without timing, equal runs give equal bytes (as `npvar learn --json --no-timing`)."""
        return self._text if timing else _npvar.document(self._text, False)

    def _compared(self) -> Any:
        # The verdict follows from the rest, and names the file that was read.
        return {key: value for key, value in self._object.items() if key not in ("timing", "verdict")}

    def _shown_edges(self) -> list[Edge]:
        if self.order is None:
            return self.edges
        place = {node: i for i, node in enumerate(self.order)}
        return sorted(self.edges, key=lambda edge: (place[edge.target], place[edge.source]))

    def __repr__(self) -> str:
        verdict = "" if self.verdict is None else f", {self.verdict.level.replace('-', ' ')}"
        return f"{super().__repr__()[:-1]}{verdict}>"

    def __str__(self) -> str:
        lines = []
        if self.verdict is not None:
            lines.append(self.verdict.sentence)
            lines += [] if self.verdict.next is None else [f"next: {self.verdict.next}"]
        lines.append(super().__str__())
        if self.order is not None:
            lines.append(f"order: {', '.join(self.order)}")
        if self.layers is not None and any(len(layer) > 1 for layer in self.layers):
            lines.append(f"layers: {' | '.join(', '.join(layer) for layer in self.layers)}")
        lines += [f"{'warning' if d.level == 'warning' else 'note'}: {d.message}" for d in self.diagnostics]
        return "\n".join(lines)

    def _verdict_html(self) -> str:
        if self.verdict is None:
            return ""
        next_ = "" if self.verdict.next is None else f"<br/>next: <code>{escape(self.verdict.next)}</code>"
        return f"<p><b>{escape(self.verdict.sentence)}</b>{next_}</p>"

    def _remarks_html(self) -> str:
        remarks = []
        if self.order is not None:
            remarks.append(f"<p>order: {escape(', '.join(self.order))}</p>")
        remarks += [f"<p><b>{escape(d.level)}</b>: {escape(d.message)}</p>" for d in self.diagnostics]
        return "".join(remarks)


def _p_value(p: float, equals: str = "") -> str:
    """A p-value too small to be written is not zero."""
    return "< 1e-300" if p < 1e-300 else f"{equals}{p:.2g}"


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max((len(row[j]) for row in rows if j < len(row)), default=0) for j in range(max(map(len, rows)))]
    return [
        ("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))).rstrip() for row in rows
    ]
