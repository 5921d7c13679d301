"""Data larger than memory: 100 million rows × 20 columns of Parquet, on one machine, on Dask and on Spark.

    python benchmarks/large.py make FOLDER --rows 100000000        # 50 files, 8 GB; made piece by piece
    python benchmarks/large.py run FOLDER --program target/release/npvar --engines cli,python,dask,dask-1,spark

`run` prints a Markdown table: elapsed seconds, CPU seconds of the learning process or of all Dask workers (what to trust on a
machine that is shared; Java's are not counted), rows per CPU second, the largest memory of one process on the Python side, and whether the order and the
edges are those of the first engine, with the largest relative difference of a residual variance. `--files N` takes the first
N files only. npvar must be importable (PYTHONPATH or installed).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

# What was learned, elapsed seconds, CPU seconds, memory in MiB.
Found = tuple[Any, float, float | None, float]

COLUMNS = 20
GROUP = 250_000  # rows of a row group


def make(folder: str, rows: int, pieces: int) -> None:
    """Every column is noise of variance one plus sines of up to two earlier columns; the columns stand shuffled."""
    import numpy as np
    import pyarrow
    import pyarrow.parquet

    os.makedirs(folder, exist_ok=True)
    plan = np.random.default_rng(1)
    parents = [plan.choice(j, size=min(j, 2), replace=False).tolist() for j in range(COLUMNS)]
    names = [f"X{i + 1}" for i in plan.permutation(COLUMNS)]
    print("order:", ", ".join(names))
    for piece in range(pieces):
        path = os.path.join(folder, f"part-{piece:03}.parquet")
        if os.path.exists(path):
            continue
        rng = np.random.default_rng([1, piece])
        first, end = rows * piece // pieces, rows * (piece + 1) // pieces
        columns: list[Any] = []
        for j in range(COLUMNS):
            values = rng.standard_normal(end - first, dtype=np.float32)
            for parent in parents[j]:
                values += np.float32(1.5) * np.sin(columns[parent])
            columns.append(values)
        by_name = dict(zip(names, columns, strict=True))
        table = pyarrow.table({f"X{i + 1}": by_name[f"X{i + 1}"] for i in range(COLUMNS)})
        pyarrow.parquet.write_table(
            table, path + ".part", row_group_size=GROUP, compression="none", use_dictionary=False
        )
        os.replace(path + ".part", path)


def learned_by(command: list[str]) -> Found:
    """What a program prints, and what it took."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"{command} ended with {status}")
    return json.loads(text), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def by_cli(files: list[str], arguments: argparse.Namespace) -> Found:
    return learned_by([arguments.program, "learn", *files, "--seed", "1", "--json", "--quiet"])


def by_python(files: list[str], arguments: argparse.Namespace) -> Found:
    code = "import sys, npvar; sys.stdout.write(npvar.learn(sys.argv[1:], seed=1).to_json())"
    return learned_by([sys.executable, "-c", code, *files])


def by_dask(workers: int) -> Callable[..., Found]:
    def run(files: list[str], arguments: argparse.Namespace) -> Found:
        import dask
        import dask.dataframe
        from dask.distributed import Client, LocalCluster

        import npvar.dask

        dask.config.set({"dataframe.convert-string": False, "distributed.worker.memory.target": False})
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            frame = dask.dataframe.read_parquet(files, split_row_groups=4)
            before = sum(cpu for _, cpu in client.run(used).values())
            start = time.perf_counter()
            learned = npvar.dask.learn(frame, seed=1)
            seconds = time.perf_counter() - start
            after = client.run(used).values()
        cpu = sum(cpu for _, cpu in after) - before
        return json.loads(learned.to_json()), seconds, cpu, max(memory for memory, _ in after)

    return run


def by_spark(files: list[str], arguments: argparse.Namespace) -> Found:
    import pyspark

    import npvar.spark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = pyspark.sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.memory", "2g").config("spark.driver.host", "127.0.0.1")
    session = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    frame = session.read.parquet(*files)
    start = time.perf_counter()
    learned = npvar.spark.learn(frame, seed=1)
    seconds = time.perf_counter() - start
    session.stop()
    return json.loads(learned.to_json()), seconds, None, used()[0]


def used() -> tuple[float, float]:
    """The largest memory of this process in MiB, and its CPU seconds."""
    import resource

    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


ENGINES: dict[str, Callable[..., Found]] = {
    "cli": by_cli, "python": by_python, "dask": by_dask(2), "dask-1": by_dask(1), "spark": by_spark,
}  # fmt: skip


def difference(found: Any, expected: Any) -> str:
    """Order and edges, and the largest relative difference of a residual variance."""
    edges = [sorted((edge["from"], edge["to"]) for edge in graph["edges"]) for graph in (found, expected)]
    same = found["order"] == expected["order"] and edges[0] == edges[1]
    steps = zip(found["steps"], expected["steps"], strict=True)
    worst = max(
        abs(step["residual_variances"][node] / value - 1)
        for step, other in steps
        for node, value in other["residual_variances"].items()
    )
    return f"{'same' if same else 'DIFFERENT'}, {worst:.1e}"


def run(folder: str, arguments: argparse.Namespace) -> None:
    """Learns with every engine and compares with the first."""
    import pyarrow.parquet

    files = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".parquet"))[: arguments.files]
    rows = sum(pyarrow.parquet.read_metadata(file).num_rows for file in files)
    expected = None
    print("| engine | rows | seconds | CPU seconds | rows per CPU second | memory, MiB | graph; residual variances |")
    print("|---" * 7 + "|")
    for engine in arguments.engines.split(","):
        found, seconds, cpu, memory = ENGINES[engine](files, arguments)
        expected = expected or found
        told = difference(found, expected)
        spent = f"{cpu:.1f} | {rows / cpu:,.0f}" if cpu else "– | –"
        print(f"| {engine} | {rows:,} | {seconds:.1f} | {spent} | {memory:.0f} | {told} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["make", "run"])
    parser.add_argument("folder")
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--pieces", type=int, default=50)
    parser.add_argument("--files", type=int)
    parser.add_argument("--program", default="npvar")
    parser.add_argument("--engines", default="cli,python,dask,spark")
    arguments = parser.parse_args()
    if arguments.task == "make":
        make(arguments.folder, arguments.rows, arguments.pieces)
    else:
        run(arguments.folder, arguments)


if __name__ == "__main__":
    main()
