"""A real Dask cluster: two worker processes, one of them killed in the middle."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pandas
import pytest

import npvar

dask = pytest.importorskip("dask")
import dask.array
import dask.dataframe
from dask.distributed import Client, LocalCluster

import npvar.dask
from test_sums import agree

pytestmark = [pytest.mark.dask, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def frame() -> pandas.DataFrame:
    return npvar.simulate("ER-SIN-1", nodes=5, samples=6000, seed=2).data.to_pandas()


def test_a_frame_and_an_array_give_the_graph_of_one_machine(client: Any, frame: pandas.DataFrame) -> None:
    expected = npvar.learn(frame, seed=1)
    learned = npvar.dask.learn(dask.dataframe.from_pandas(frame, npartitions=7), seed=1)
    agree(learned, expected)
    assert learned == npvar.dask.learn(dask.dataframe.from_pandas(frame, npartitions=7), seed=1)
    array = dask.array.from_array(frame.to_numpy(), chunks=(1000, 2))
    from_array = npvar.dask.learn(array, seed=1)
    assert from_array.nodes == expected.nodes
    agree(from_array, expected)
    reference = npvar.dask.learn(dask.dataframe.from_pandas(frame, npartitions=3), preset="reference", seed=1)
    agree(reference, npvar.learn(frame, preset="reference", seed=1))
    assert npvar.learn(dask.dataframe.from_pandas(frame, npartitions=7), seed=1) == learned
    with pytest.raises(TypeError, match="a Dask data frame"):
        npvar.dask.learn(frame)
    with pytest.raises(TypeError, match="the learner `pc` needs the table on one machine; this one is spread by Dask"):
        npvar.learn(array, "pc")


def _killed_once(part: pandas.DataFrame, marker: str, victim: float) -> pandas.DataFrame:
    """Kills its own worker the first time that it sees the second pass over the victim's partition."""
    if len(part) and part.iloc[0, 0] == victim:
        if os.path.exists(marker + ".first") and not os.path.exists(marker + ".killed"):
            open(marker + ".killed", "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        open(marker + ".first", "w").close()
    return part


def test_a_worker_may_die_in_the_middle(client: Any, frame: pandas.DataFrame, tmp_path: Any) -> None:
    parts = dask.dataframe.from_pandas(frame, npartitions=6)
    undisturbed = npvar.dask.learn(parts, seed=1)
    victim = float(frame.iloc[3000, 0])
    marker = str(tmp_path / "marker")
    disturbed = parts.map_partitions(_killed_once, marker, victim, meta=frame.iloc[:0])
    learned = npvar.dask.learn(disturbed, seed=1)
    assert os.path.exists(marker + ".killed")
    assert learned == undisturbed


def test_a_study_is_spread_over_the_cluster(client: Any) -> None:
    cells = [
        {"setting": "ER-SIN-1", "nodes": 4, "samples": 200, "seed": seed, "learner": learner}
        for seed in (1, 2)
        for learner in ("npvar", "eqvar")
    ]
    found = npvar.dask.map_study(cells)
    assert [cell["learner"] for cell in found] == ["npvar", "eqvar"] * 2
    for cell, result in zip(cells, found, strict=True):
        here = npvar.dask.study_cell(dict(cell))
        assert {k: v for k, v in here.items() if k != "seconds"} == {k: v for k, v in result.items() if k != "seconds"}


def test_partitions_without_rows_do_not_matter(client: Any, frame: pandas.DataFrame) -> None:
    parts = dask.dataframe.from_pandas(frame, npartitions=4)
    some = parts.map_partitions(lambda part: part[part.index < 2000], meta=frame.iloc[:0])
    agree(npvar.dask.learn(some, seed=1), npvar.learn(frame.iloc[:2000], seed=1))
