"""A real Spark with two cores, one of its workers killed in the middle."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pandas
import pytest

import npvar

pyspark = pytest.importorskip("pyspark")

import npvar.spark
from test_sums import agree

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Two cores; a task may fail three times before the job does.
    builder = pyspark.sql.SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    session = builder.config("spark.driver.memory", "1g").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def table() -> pandas.DataFrame:
    return npvar.simulate("ER-SIN-1", nodes=5, samples=6000, seed=2).data.to_pandas()


@pytest.fixture(scope="module")
def frame(spark: Any, table: pandas.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("spark")
    for i in range(4):
        table.iloc[1500 * i : 1500 * (i + 1)].to_parquet(folder / f"part-{i}.parquet")
    spark.conf.set("spark.sql.files.maxPartitionBytes", str((folder / "part-0.parquet").stat().st_size + 1))
    spark.conf.set("spark.sql.files.openCostInBytes", "1000000")
    return spark.read.parquet(str(folder))


def test_a_frame_gives_the_graph_of_one_machine(frame: Any, table: pandas.DataFrame) -> None:
    assert frame.rdd.getNumPartitions() > 1
    learned = npvar.spark.learn(frame, seed=1)
    agree(learned, npvar.learn(table, seed=1))
    assert learned == npvar.learn(frame, seed=1)
    fewer = npvar.spark.learn(frame, columns=["X1", "X2", "X3"], cutoff=0.01, seed=1)
    agree(fewer, npvar.learn(table, columns=["X1", "X2", "X3"], cutoff=0.01, seed=1))


def test_a_worker_may_die_in_the_middle(frame: Any) -> None:
    undisturbed = npvar.spark.learn(frame, seed=1)

    def killed_at_first(batches: Iterator[Any]) -> Iterator[Any]:
        context = pyspark.TaskContext.get()
        for batch in batches:
            yield batch
            if context.partitionId() == 1 and context.attemptNumber() == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    disturbed = frame.mapInArrow(killed_at_first, frame.schema)
    assert npvar.spark.learn(disturbed, seed=1) == undisturbed
