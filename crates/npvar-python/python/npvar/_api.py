"""`learn`, `simulate`, `evaluate`, `diagnose`."""

from __future__ import annotations

import importlib
import json
import operator
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from npvar import _input, _npvar
from npvar._options import as_json
from npvar._progress import Bar
from npvar.graph import MARKS, Diagnostic, Graph, Learned

Callback = Callable[[dict[str, Any]], object]


def learn(
    data: Any,
    learner: str = "npvar",
    *,
    seed: int | None = None,
    threads: int = 0,
    names: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    missing: str = "auto",
    header: bool = True,
    separator: str = "auto",
    decimal: str = "auto",
    skip_rows: int | None = None,
    strict: bool = False,
    order: Sequence[str] | None = None,
    knowledge: Mapping[str, Any] | None = None,
    second_sample: Any = None,
    evidence: bool = False,
    bootstrap: int | None = None,
    resampling: str | None = None,
    progress: bool = False,
    callback: Callback | None = None,
    **options: Any,
) -> Learned:
    """Learns a causal graph from a table.

    `data` is a NumPy array (columns are called X1, X2, … or `names`), a pandas or polars frame, an Arrow table, a
    dictionary of columns, or the path of a CSV, Parquet or Arrow file, a folder, a pattern such as `big/*.parquet`, or a
    list of files. Parquet and Arrow files, and text beyond 256 MB, are read block by block in constant memory. A Dask or
    Spark frame is summed where it is (`npvar.dask`, `npvar.spark`).

    `learner` and `**options` are those of the command line (`npvar.learners()` lists them), with `_` for `-` and `__`
    between the parts of a nested name: `learn(data, cutoff=0.01, estimator__sp=1.5, preset="reference")`.

    `estimator` may also be any object with scikit-learn's `fit` and `predict`; every fit works on a copy of it.

    A table is taken in as the command line takes it in: columns of words are categories, 0 and 1, or left out; `missing`
    is `auto`, `drop-rows` (or `drop`), `drop-columns`, `impute`, `pairwise` (`pc`, `fci`, `ges`) or `error`, `separator`, `decimal`, `header` and `skip_rows` say how a text is laid out where it cannot be found, `strict` refuses
    what is more than plain numbers, and `Learned.intake` tells what was done.

    The answer does not depend on `threads` (0 is all). Without `seed` one is picked; the result holds it. `order` takes an
    order as given and only selects parents; `knowledge` has `required`, `forbidden`, `tiers`, `roots` and `sinks`.

    `evidence` adds the curve of every edge and the standard errors of every step (`Learned.curves`, `Learned.steps`);
    `bootstrap=200` also learns from that many resampled tables and says how often each edge came back
    (`Edge.frequency`, `Learned.bootstrap`, `Learned.consensus`: how stable, not how likely). `resampling` is
    `with-replacement` (unless said otherwise) or `half` (half of the rows, none twice).

    `progress` shows a bar; `callback` is called with a dictionary for every event, and stops the run by returning
    `False` or raising.

    >>> import npvar
    >>> simulated = npvar.simulate("MC-SIN", nodes=3, samples=500, seed=2)
    >>> learned = npvar.learn(simulated.data, cutoff=0.01, seed=1)
    >>> learned.learner["cutoff"]
    0.01
    >>> npvar.learn(simulated.data, cutof=0.01)
    Traceback (most recent call last):
        ...
    npvar.errors.OptionError: `cutof`: unknown field `cutof` (did you mean `cutoff`?), expected one of `eta`, ...
    """
    engine = _engine(data)
    if engine is not None:
        given = {
            "names": names, "knowledge": knowledge, "second_sample": second_sample, "callback": callback,
            "evidence": evidence or None, "bootstrap": bootstrap, "resampling": resampling,
        }  # fmt: skip
        unused = [name for name, value in given.items() if value is not None]
        if unused or learner != "npvar":
            what = f"`{unused[0]}`" if unused else f"the learner `{learner}`"
            raise TypeError(f"{what} needs the table on one machine; this one is spread by {engine.__name__[6:].capitalize()}")
        missing = "error" if missing == "auto" else missing
        spread = engine.learn(data, seed=seed, columns=columns, exclude=exclude, missing=missing, order=order, **options)
        return spread  # type: ignore[no-any-return]
    read = _read(columns, exclude, missing, header, separator, decimal, skip_rows, strict)
    options, own = own_estimator(options)
    second = None if second_sample is None else _input.table(second_sample, names)
    objects = {"names": names, "order": order, "knowledge": knowledge, "second_sample": second_sample, "estimator": own}
    watch, bar = _watch(progress, callback)
    try:
        text = _npvar.learn(
            _input.table(data, names),
            learner,
            as_json(options),
            read,
            seed,
            threads,
            None if order is None else [str(name) for name in order],
            None if knowledge is None else as_json(knowledge),
            second,
            own,
            evidence,
            None if bootstrap is None else operator.index(bootstrap),
            resampling,
            [name for name, value in objects.items() if value is not None],
            watch,
        )
    finally:
        if bar is not None:
            bar.close()
    return Learned(text)


@dataclass(frozen=True)
class Simulated:
    """A sample and the truth about it."""

    data: _npvar.Table
    truth: Graph
    residual_variances: dict[str, float]
    setting: str
    seed: int


def simulate(
    setting: str,
    *,
    nodes: int | None = None,
    samples: int | None = None,
    noise_variance: float | None = None,
    p: float | None = None,
    noise: str | None = None,
    delta: float | None = None,
    seed: int | None = None,
) -> Simulated:
    """Draws a sample with a known graph: the settings of the paper, such as `ER-SIN-4`, and its examples.

    >>> import npvar
    >>> simulated = npvar.simulate("UNEQUAL-HALF", samples=100, seed=1)
    >>> simulated.data
    <npvar.Table: 100 rows, 3 columns (X1, X2, X3)>
    >>> [edge[:2] for edge in simulated.truth.edges]
    [('X1', 'X2'), ('X2', 'X3')]
    """
    given = {
        "nodes": nodes, "samples": samples, "noise-variance": noise_variance, "p": p, "noise": noise, "delta": delta,
    }  # fmt: skip
    options = as_json({name: value for name, value in given.items() if value is not None})
    data, truth, variances, used_seed = _npvar.simulate(setting, options, seed)
    return Simulated(data, Graph(truth), dict(zip(data.columns, variances, strict=True)), setting, used_seed)


@dataclass(frozen=True)
class EdgeScores:
    """How well edges were found."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Evaluation:
    """An estimate compared with the truth."""

    nodes: int
    true_edges: int
    estimated_edges: int
    shd: int
    class_shd: int | None
    sid: int | None
    sid_bounds: tuple[int, int] | None
    directed: EdgeScores
    skeleton: EdgeScores
    order_recovered: bool | None
    violated_edges: int | None
    truth: str = "dag"
    marks: dict[str, int] | None = None

    def __str__(self) -> str:
        lines = [
            f"nodes                               {self.nodes}",
            f"true edges                          {self.true_edges}",
            f"estimated edges                     {self.estimated_edges}",
            f"structural Hamming distance         {self.shd}",
        ]
        if self.class_shd is not None:
            lines.append(f"distance between equivalence classes {self.class_shd}")
        if self.sid is not None:
            lines.append(f"structural intervention distance    {self.sid}")
        elif self.sid_bounds is not None:
            lines.append(f"structural intervention distance    {self.sid_bounds[0]} to {self.sid_bounds[1]}")
        if self.order_recovered is not None:
            lines.append(f"order recovered                     {'yes' if self.order_recovered else 'no'}")
        if self.marks is not None:
            lines.append("marks at common edges               " + ", ".join(f"{k} {v}" for k, v in self.marks.items()))
        for name, scores in (("with direction", self.directed), ("without", self.skeleton)):
            lines.append(
                f"edges {name + ':':29} precision {scores.precision:.3f}, recall {scores.recall:.3f}, F1 {scores.f1:.3f}"
            )
        return "\n".join(lines)


def evaluate(estimate: Any, truth: Any, *, order: Sequence[str] | None = None) -> Evaluation:
    """Compares a learned graph with the true one, nodes matched by name.

    Each is a `Learned` or `Graph`, a path, a NetworkX graph, a pandas adjacency matrix, or an array (nodes X1, X2, …),
    row = parent. The order of a `Learned` is compared too; `order` gives one for other graphs.

    >>> import npvar
    >>> truth = npvar.Graph.from_edges(["a", "b"], [("a", "b")])
    >>> npvar.evaluate(npvar.Graph.from_edges(["b", "a"], [("b", "a")]), truth).shd
    1
    """
    learned = as_graph(estimate)
    if order is None and isinstance(learned, Learned):
        order = learned.order
    text = _npvar.evaluate(
        learned.to_json(), None if order is None else [str(name) for name in order], as_graph(truth).to_json()
    )
    found = json.loads(text)
    bounds, recovery = found.pop("sid_bounds"), found.pop("order")
    scores = {name: EdgeScores(**{k: found[name][k] for k in ("precision", "recall", "f1")})
              for name in ("directed", "skeleton")}  # fmt: skip
    return Evaluation(
        **{**found, **scores},
        sid_bounds=None if bounds is None else (bounds["lower"], bounds["upper"]),
        order_recovered=None if recovery is None else recovery["recovered"],
        violated_edges=None if recovery is None else recovery["violated_edges"],
    )


def as_graph(graph: Any) -> Graph:
    """A graph from whatever describes one."""
    if isinstance(graph, Graph):
        return graph
    if isinstance(graph, (str, os.PathLike)):
        path = os.fspath(graph)
        if path.lower().endswith(".json"):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            return Learned.from_json(text) if "learner" in json.loads(text) else Graph.from_json(text)
        return Graph.read(path)
    if hasattr(graph, "is_directed") and hasattr(graph, "edges"):  # NetworkX
        kind = "directed" if graph.is_directed() else "undirected"
        done: dict[tuple[str, str], str] = {}
        for source, target, facts in graph.edges(data=True):
            found = facts.get("kind", kind)
            if "source" in facts and str(facts["source"]) != str(source):
                continue
            if found == "directed" or (str(target), str(source)) not in done:
                done[str(source), str(target)] = found
        return Graph.from_edges([str(node) for node in graph.nodes], [(*pair, kind) for pair, kind in done.items()])
    import numpy

    names = [str(name) for name in graph.columns] if hasattr(graph, "columns") else None
    matrix = numpy.asarray(graph)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise TypeError(f"cannot read a graph from {type(graph).__name__} of shape {matrix.shape}")
    names = names or [f"X{j + 1}" for j in range(len(matrix))]
    edges: list[tuple[str, ...]] = []
    kinds = {marks: kind for kind, marks in MARKS.items()}
    for i, j in zip(*numpy.nonzero(matrix), strict=True):
        here, there = matrix[i, j], matrix[j, i]
        forwards, turned = kinds.get((there, here)), kinds.get((here, there))
        if there == 0:
            edges.append((names[i], names[j]))
        elif forwards is not None and (i < j or turned is None):
            edges.append((names[i], names[j], forwards))
        elif forwards is None and turned is None and i < j:
            edges.append((names[i], names[j], "undirected"))
    return Graph.from_edges(names, edges)


@dataclass(frozen=True)
class Diagnosis:
    """Are the assumptions believable? Every field is that of `npvar diagnose --json`."""

    n: int
    columns: list[dict[str, Any]]
    order: list[str]
    residual_variance_ratio: float | None
    margins: list[dict[str, Any]]
    var_sortability: float | None
    r2_sortability: float | None
    diagnostics: list[Diagnostic]

    def __str__(self) -> str:
        def number(value: float | None) -> str:
            return "none" if value is None else f"{value:.3g}"

        lines = [f"{self.n} samples of {len(self.columns)} columns"]
        for column in self.columns:
            lines.append(
                f"  {column['name']}: {column['kind']}, variance {number(column['variance'])}, "
                f"R2 {number(column['r_squared'])}, residual variance {number(column['residual_variance'])}"
            )
        lines.append(f"largest by smallest residual variance: {number(self.residual_variance_ratio)}")
        lines.append(f"var-sortability {number(self.var_sortability)}, R2-sortability {number(self.r2_sortability)}")
        lines += [f"{'warning' if d.level == 'warning' else 'note'}: {d.message}" for d in self.diagnostics]
        return "\n".join(lines)


def diagnose(
    data: Any,
    *,
    threads: int = 0,
    names: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    missing: str = "auto",
    header: bool = True,
    separator: str = "auto",
    decimal: str = "auto",
    skip_rows: int | None = None,
    strict: bool = False,
    progress: bool = False,
    callback: Callback | None = None,
) -> Diagnosis:
    """Are the method's assumptions believable for these data? Scale, residual variances, separation, sortability.

    >>> import npvar
    >>> diagnosis = npvar.diagnose(npvar.simulate("ER-SIN-1", nodes=5, seed=1).data)
    >>> diagnosis.n, len(diagnosis.columns)
    (1000, 5)
    """
    watch, bar = _watch(progress, callback)
    read = _read(columns, exclude, missing, header, separator, decimal, skip_rows, strict)
    try:
        found = json.loads(_npvar.diagnose(_input.table(data, names), read, threads, watch))
    finally:
        if bar is not None:
            bar.close()
    found["diagnostics"] = [Diagnostic(d["level"], d["code"], d["message"], d.get("advice")) for d in found["diagnostics"]]
    return Diagnosis(**found)


def learners() -> dict[str, dict[str, Any]]:
    """The learners by name: what each does and assumes, and its options with their defaults.

    >>> import npvar
    >>> npvar.learners()["npvar"]["options"]["cutoff"]["default"]
    0.001
    """
    found = {}
    for learner in json.loads(_npvar.learners()):
        options = {option.pop("name"): option for option in learner.pop("options")}
        found[learner.pop("name")] = {**learner, "options": options}
    return found


def _engine(data: Any) -> Any:
    """The module for tables that are spread over machines, or nothing."""
    modules = {"dask": "npvar.dask", "dask_expr": "npvar.dask", "pyspark": "npvar.spark"}
    name = modules.get(type(data).__module__.partition(".")[0])
    return None if name is None else importlib.import_module(name)


def own_estimator(options: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Takes an estimator of one's own out of the options, where there is one."""
    own = options.get("estimator")
    if isinstance(own, type) or not (hasattr(own, "fit") and hasattr(own, "predict")):
        return options, None
    return {name: value for name, value in options.items() if name != "estimator"}, own


def _read(
    columns: Sequence[str] | None,
    exclude: Sequence[str] | None,
    missing: str,
    header: bool = True,
    separator: str = "auto",
    decimal: str = "auto",
    skip_rows: int | None = None,
    strict: bool = False,
) -> str:
    for name, value in (("columns", columns), ("exclude", exclude)):
        if isinstance(value, str):
            raise TypeError(f"`{name}` is a list of names, got the string {value!r}")
    return as_json(
        {
            "columns": None if columns is None else [str(name) for name in columns],
            "exclude": None if exclude is None else [str(name) for name in exclude],
            "missing": missing,
            "header": header,
            "separator": separator,
            "decimal": decimal,
            "skip_rows": None if skip_rows is None else operator.index(skip_rows),
            "strict": strict,
        }
    )


def _watch(progress: bool, callback: Callback | None) -> tuple[Callback | None, Bar | None]:
    if not progress:
        return callback, None
    bar = Bar()

    def both(event: dict[str, Any]) -> object:
        bar(event)
        return None if callback is None else callback(event)

    return both, bar
