"""Learning in parts: sums over portions of the rows, formed anywhere, added up in a fixed order.

>>> import npvar
>>> data = npvar.simulate("ER-SIN-1", nodes=4, samples=1000, seed=1).data.to_numpy()
>>> halves = data[:500], data[500:]
>>> knots = npvar.knots(halves)
>>> gram = npvar.merge([npvar.partial_gram(half, knots) for half in halves])
>>> npvar.learn_from_gram(gram, seed=1).order == npvar.learn(data, seed=1).order
True

The first pass finds the knots (every column's range, and its values where they are few), the second sums. Both work on
one batch at a time. The sums take memory by the number of columns, not of rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from npvar import _input, _npvar
from npvar._api import Callback, _read, _watch
from npvar._options import as_json
from npvar.graph import Learned

__all__ = ["Knots", "knots", "learn_from_gram", "merge", "merge_knots", "partial_gram"]

Part = TypeVar("Part")


class Knots:
    """What must be known of all rows before any can be summed. Small; pickles; compares."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._object: dict[str, Any] = json.loads(text)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self._object["names"])

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self._object["columns"][0]["n"])

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Every column's smallest and largest value."""
        return {n: (c["min"], c["max"]) for n, c in zip(self.names, self._object["columns"], strict=True)}

    def to_json(self) -> str:
        """The knots as JSON."""
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knots) and self._object == other._object

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Knots, (self._text,)

    def __repr__(self) -> str:
        return f"<npvar.Knots: {len(self.names)} columns, {self.rows} rows>"


def knots(
    batches: Any,
    *,
    k: int | None = None,
    few_valued: str | None = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    missing: str = "error",
    threads: int = 0,
) -> Knots:
    """The knots of a table, or of an iterable of tables with the same columns.

    `k` and `few_valued` are those of the options `selection` and `estimator`; the same must be given to
    `learn_from_gram` where they are not the defaults.
    """
    found = _knots(batches, k=k, few_valued=few_valued, columns=columns, exclude=exclude, missing=missing, threads=threads)
    return merge_knots([] if found is None else [found])


def _knots(batches: Any, *, k: int | None, few_valued: str | None, columns: Sequence[str] | None,
           exclude: Sequence[str] | None, missing: str, threads: int) -> Knots | None:  # fmt: skip
    """As `knots`; nothing where there are no rows."""
    read = _read(columns, exclude, missing)
    parts = (_npvar.knots(_input.table(batch), k, few_valued, read, threads) for batch in each(batches))
    found = [part for part in parts if part is not None]
    return Knots(_npvar.merge_knots(found)) if found else None


def merge_knots(parts: Iterable[Knots | None]) -> Knots:
    """The knots of all parts, in the order given; `None` is a part without rows."""
    return Knots(_npvar.merge_knots([part.to_json() for part in parts if part is not None]))


def partial_gram(
    batches: Any,
    knots: Knots,
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    missing: str = "error",
    threads: int = 0,
) -> bytes:
    """The sum over a table, or over an iterable of tables, as bytes that `merge` understands on any machine."""
    read = _read(columns, exclude, missing)
    text, gram = knots.to_json(), None
    for batch in each(batches):
        gram = _npvar.partial_gram(_input.table(batch), text, gram, read, threads)
    if gram is None:  # no batch at all is the sum over no rows
        gram = _npvar.partial_gram((knots.names, [[] for _ in knots.names]), text, None, _read(None, None, "error"), threads)
    return gram


def merge(parts: Iterable[bytes]) -> bytes:
    """Adds parts up: neighbours first, then neighbours of those, so that the sum depends on the order of the parts alone."""
    return in_pairs(list(parts), merge_two)


def merge_two(first: bytes, second: bytes) -> bytes:
    """The sum of two parts."""
    return _npvar.merge_two(first, second)


def in_pairs(parts: list[Part], add: Callable[[Part, Part], Part]) -> Part:
    """Adds neighbours, then neighbours of those, until one is left."""
    if not parts:
        raise ValueError("there is no part to merge")
    while len(parts) > 1:
        last = [parts[-1]] if len(parts) % 2 else []
        parts = [add(parts[i], parts[i + 1]) for i in range(0, len(parts) - 1, 2)] + last
    return parts[0]


def learn_from_gram(
    gram: bytes,
    *,
    seed: int | None = None,
    threads: int = 0,
    order: Sequence[str] | None = None,
    progress: bool = False,
    callback: Callback | None = None,
    **options: Any,
) -> Learned:
    """NPVAR from the sum over all rows. Options are NPVAR's; those that need the rows themselves are refused."""
    watch, bar = _watch(progress, callback)
    try:
        given = None if order is None else [str(name) for name in order]
        return Learned(_npvar.learn_from_gram(gram, as_json(options), seed, threads, given, watch))
    finally:
        if bar is not None:
            bar.close()


def basis(options: Mapping[str, Any]) -> dict[str, Any]:
    """What a learner's options tell the selection's basis, so that the knots are made for it."""
    selection = json.loads(_npvar.resolve("npvar", as_json(options)))["selection"]
    return {"k": selection["k"], "few_valued": selection["few-valued"]}


def each(batches: Any) -> Iterator[Any]:
    """The tables of an iterable of tables, or the one table."""
    if isinstance(batches, Iterator):
        yield from batches
    elif isinstance(batches, (list, tuple)) and all(_is_table(batch) for batch in batches):
        yield from batches
    else:
        yield batches


def _is_table(batch: Any) -> bool:
    return (
        hasattr(batch, "__arrow_c_stream__")
        or hasattr(batch, "__arrow_c_array__")
        or isinstance(batch, dict)
        or getattr(batch, "ndim", 0) == 2
    )
