"""`compare`: which assumption fits?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from npvar import _input, _npvar
from npvar._api import Callback, _read, _watch
from npvar.graph import Diagnostic, Graph, Verdict


@dataclass(frozen=True)
class ComparedLearner:
    """A learner, its graph, and how well the graph explains rows that it has not seen."""

    name: str
    learner: dict[str, Any]
    assumes: str
    status: str
    seconds: float | None
    graph: Graph | None
    held_out: dict[str, float] | None
    residuals: dict[str, Any] | None
    sentence: str


class Assumption(NamedTuple):
    """An assumption: `kept`, `rejected` or `undecided`, and the evidence; by how many nats doing without it is better."""

    name: str
    verdict: str
    evidence: str
    nats: float | None = None
    error: float | None = None


class ComparedEdge(NamedTuple):
    """Two columns that a learner joined, and what every learner says of them."""

    source: str
    target: str
    votes: dict[str, str]


class Comparison:
    """What `npvar.compare` found: every field is that of `npvar compare --json`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._object: dict[str, Any] = json.loads(text)

    def __repr__(self) -> str:
        return f"<npvar.Comparison of {len(self._object['learners'])} learners: {self.chosen}>"

    def __str__(self) -> str:
        lines = [self.verdict.sentence]
        if self.verdict.next is not None:
            lines.append(f"next: {self.verdict.next}")
        lines += ["", f"{self.n} samples of {len(self.nodes)} columns", "", "learners"]
        lines += [f"  {learner.name}: {learner.sentence}" for learner in self.learners]
        lines += ["", "assumptions"]
        lines += [f"  {row.name}: {row.verdict}; {row.evidence}" for row in self.assumptions]
        arrows = {"directed": "->", "undirected": "--", "bidirected": "<->"}
        lines += ["", f"consensus of {', '.join(self.voices)}"]
        lines += [f"  {edge['from']} {arrows[edge['kind']]} {edge['to']}" for edge in self._object["consensus"]]
        lines += [f"{'warning' if d.level == 'warning' else 'note'}: {d.message}" for d in self.diagnostics]
        return "\n".join(lines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comparison) and self._object == other._object

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> str:
        """The `npvar-compare/1` object."""
        return self._text

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        """Reads an `npvar-compare/1` object, such as `to_json` and `npvar compare --json` write."""
        if json.loads(text).get("format") != "npvar-compare/1":
            raise ValueError("expected an `npvar-compare/1` object")
        return cls(text)

    @property
    def verdict(self) -> Verdict:
        """Which learner to believe, how far, and the call that learns with it; `data` stands for what was given."""
        found = self._object["verdict"]
        return Verdict(found["level"], found["sentence"], found["next"])

    @property
    def chosen(self) -> str | None:
        """The learner that the data support best, with the options that differ from its defaults."""
        return self._object["chosen"]  # type: ignore[no-any-return]

    @property
    def model(self) -> dict[str, str]:
        """The model that makes every assumption that is not rejected: `mean` and `law`."""
        return self._object["model"]  # type: ignore[no-any-return]

    @property
    def nodes(self) -> list[str]:
        """The columns."""
        return self._object["nodes"]  # type: ignore[no-any-return]

    @property
    def n(self) -> int:
        """The number of rows."""
        return self._object["n"]  # type: ignore[no-any-return]

    @property
    def seed(self) -> int:
        """The seed."""
        return self._object["seed"]  # type: ignore[no-any-return]

    @property
    def learners(self) -> list[ComparedLearner]:
        """A row for every learner, whatever became of it."""
        return [
            ComparedLearner(
                name=row["name"],
                learner=row["learner"],
                assumes=row["assumes"],
                status=row["status"],
                seconds=row.get("seconds"),
                graph=None if row["edges"] is None else self._graph(row["edges"]),
                held_out=row["held_out"],
                residuals=row["residuals"],
                sentence=row["sentence"],
            )
            for row in self._object["learners"]
        ]

    @property
    def assumptions(self) -> list[Assumption]:
        """What the data say about every assumption."""
        return [
            Assumption(row["name"], row["verdict"], row["evidence"], row.get("nats"), row.get("error"))
            for row in self._object["assumptions"]
        ]

    @property
    def edges(self) -> list[ComparedEdge]:
        """Every two columns that some learner joined, with the learners' votes."""
        return [ComparedEdge(row["from"], row["to"], row["votes"]) for row in self._object["edges"]]

    @property
    def consensus(self) -> Graph:
        """What the believable graphs have in common."""
        return self._graph(self._object["consensus"])

    @property
    def voices(self) -> list[str]:
        """The learners that have a voice in the consensus."""
        return self._object["voices"]  # type: ignore[no-any-return]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What a reader should know."""
        return [
            Diagnostic(d["level"], d["code"], d["message"], d.get("advice")) for d in self._object["diagnostics"]
        ]

    def _graph(self, edges: list[dict[str, Any]]) -> Graph:
        return Graph.from_edges(self.nodes, [(edge["from"], edge["to"], edge["kind"]) for edge in edges])


def compare(
    data: Any,
    *,
    budget: float | None = None,
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
    progress: bool = False,
    callback: Callback | None = None,
) -> Comparison:
    """Which assumption fits? One learner of each class of assumptions looks at the table, and their graphs are judged.

    `budget` is about how many seconds learners may take (60 unless said otherwise); what would take longer is not begun,
    and what is not done by then is a row that says so. `npvar.learn(data, learner="auto")` takes the chosen learner.

    >>> import npvar
    >>> simulated = npvar.simulate("ER-LIN-1", nodes=4, samples=200, seed=3)
    >>> comparison = npvar.compare(simulated.data, seed=1, budget=5)
    >>> [row.verdict for row in comparison.assumptions if row.name == "linear"]
    ['kept']
    """
    watch, bar = _watch(progress, callback)
    read = _read(columns, exclude, missing, header, separator, decimal, skip_rows, strict)
    try:
        text = _npvar.compare(
            _input.table(data, names),
            read,
            None if budget is None else float(budget),
            seed,
            threads,
            [] if names is None else ["names"],
            watch,
        )
    finally:
        if bar is not None:
            bar.close()
    return Comparison(text)
