"""NPVAR on Dask: data frames and arrays that are spread over a cluster, and many learnings at once.

Two passes over the partitions (knots, sums), each a task per partition; the sums are added up on the workers, neighbours
first, in an order that does not depend on which worker is quick. What moves is one Gram matrix per partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from npvar import sums as _sums
from npvar._api import evaluate, learn as _learn_here, simulate
from npvar.graph import Learned

__all__ = ["learn", "map_study", "partial_gram"]


def learn(
    data: Any,
    *,
    seed: int | None = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    missing: str = "error",
    order: Sequence[str] | None = None,
    **options: Any,
) -> Learned:
    """NPVAR on a Dask data frame or a two-dimensional Dask array.

    The graph is that of `npvar.learn` on all rows; numbers agree to about ten digits, because sums are formed within
    partitions first. The same partitions give the same bytes.
    """
    gram = partial_gram(data, columns=columns, exclude=exclude, missing=missing, **_sums.basis(options))
    return _sums.learn_from_gram(gram, seed=seed, order=order, **options)


def partial_gram(
    data: Any,
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    missing: str = "error",
    k: int | None = None,
    few_valued: str | None = None,
) -> bytes:
    """The sum over all partitions, for `npvar.learn_from_gram`."""
    import dask

    read = {"columns": columns, "exclude": exclude, "missing": missing}
    parts = _partitions(data)
    # One thread per task: the cluster decides how many tasks a worker does at once.
    first = [dask.delayed(_sums._knots)(part, k=k, few_valued=few_valued, threads=1, **read) for part in parts]
    knots = _sums.merge_knots(dask.compute(*first))
    sums = [dask.delayed(_sums.partial_gram)(part, knots, threads=1, **read) for part in parts]
    merged = _sums.in_pairs(sums, dask.delayed(_sums.merge_two))
    (gram,) = dask.compute(merged)
    return bytes(gram)


def map_study(cells: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Simulates, learns and evaluates every cell of a study, one task per cell; results in the order of the cells.

    A cell has the keywords of `npvar.simulate` (`setting`, `nodes`, `samples`, `seed`, …), `learner`, and `options`.
    Its result is the cell with `shd`, `sid`, `order_recovered`, `precision`, `recall` and `seconds`.
    """
    import dask

    return list(dask.compute(*[dask.delayed(study_cell)(dict(cell)) for cell in cells]))


def study_cell(cell: dict[str, Any]) -> dict[str, Any]:
    """One cell of a study."""
    simulation = {key: value for key, value in cell.items() if key not in ("setting", "learner", "options")}
    simulated = simulate(cell["setting"], **simulation)
    learned = _learn_here(
        simulated.data, cell.get("learner", "npvar"), seed=simulated.seed, threads=1, **cell.get("options", {})
    )
    found = evaluate(learned, simulated.truth)
    return {
        **cell,
        "seed": simulated.seed,
        "shd": found.shd,
        "sid": found.sid,
        "order_recovered": found.order_recovered,
        "precision": found.directed.precision,
        "recall": found.directed.recall,
        "seconds": (learned.timing or {}).get("total_seconds"),
    }


def _partitions(data: Any) -> list[Any]:
    """The delayed partitions, each with all columns."""
    if hasattr(data, "partitions") and hasattr(data, "columns"):
        return list(data.to_delayed())
    if hasattr(data, "chunks") and data.ndim == 2:
        return [row[0] for row in data.rechunk({1: -1}).to_delayed().tolist()]
    raise TypeError(f"a Dask data frame or a two-dimensional Dask array was expected, got {type(data).__name__}")
