"""NPVAR on Spark: a PySpark data frame, summed in place by `mapInArrow`.

Two passes over the partitions (knots, sums). Rows never leave their executors; the driver receives one Gram matrix per
partition and adds them up in the order of the partitions, whichever task ends first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from npvar import sums as _sums
from npvar.graph import Learned

__all__ = ["learn", "partial_gram"]

_SCHEMA = "partition int, part binary"


def learn(
    frame: Any,
    *,
    seed: int | None = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    missing: str = "error",
    order: Sequence[str] | None = None,
    **options: Any,
) -> Learned:
    """NPVAR on a PySpark data frame.

    The graph is that of `npvar.learn` on all rows; numbers agree to about ten digits, because sums are formed within
    partitions first. Partitions must come out the same in both passes: a frame read from files does, and one that is
    drawn at random or shuffled should be cached or written first.
    """
    gram = partial_gram(frame, columns=columns, exclude=exclude, missing=missing, **_sums.basis(options))
    return _sums.learn_from_gram(gram, seed=seed, order=order, **options)


def partial_gram(
    frame: Any,
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    missing: str = "error",
    k: int | None = None,
    few_valued: str | None = None,
) -> bytes:
    """The sum over all partitions, for `npvar.learn_from_gram`."""
    read = {"columns": columns, "exclude": exclude, "missing": missing, "threads": 1}

    def first_pass(batches: Iterator[Any]) -> Iterator[Any]:
        found = _sums._knots(batches, k=k, few_valued=few_valued, **read)  # type: ignore[arg-type]
        if found is not None:
            yield _row(found.to_json().encode())

    knots = _sums.merge_knots(_sums.Knots(part.decode()) for part in _collected(frame, first_pass))

    def second_pass(batches: Iterator[Any]) -> Iterator[Any]:
        yield _row(_sums.partial_gram(batches, knots, **read))  # type: ignore[arg-type]

    return _sums.merge(_collected(frame, second_pass))


def _row(part: bytes) -> Any:
    """One row for the driver."""
    import pyarrow
    from pyspark import TaskContext

    context = TaskContext.get()
    partition = context.partitionId() if context is not None else 0
    schema = pyarrow.schema([("partition", pyarrow.int32()), ("part", pyarrow.binary())])
    return pyarrow.RecordBatch.from_arrays([pyarrow.array([partition], pyarrow.int32()), pyarrow.array([part])], schema=schema)


def _collected(frame: Any, function: Any) -> list[bytes]:
    """What the function yields, in the order of the partitions."""
    rows = frame.mapInArrow(function, _SCHEMA).collect()
    return [bytes(row["part"]) for row in sorted(rows, key=lambda row: row["partition"])]
