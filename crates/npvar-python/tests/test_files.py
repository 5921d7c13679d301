"""Tables in several files."""

from __future__ import annotations

import subprocess

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from conftest import nameless

import npvar
from npvar import errors

ROWS = 40_000  # more than two blocks


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory):
    """The same table as one file, and in unequal pieces, one of them empty, one with its columns turned."""
    folder = tmp_path_factory.mktemp("big")
    frame = npvar.simulate("ER-SIN-1", nodes=4, samples=ROWS, seed=1).data.to_pandas()
    frame.to_parquet(folder / "whole.parquet", row_group_size=7_000)
    (folder / "pieces").mkdir()
    cuts = [0, 100, 17_000, 17_000, 33_333, ROWS]
    for i, (start, end) in enumerate(zip(cuts, cuts[1:], strict=False)):
        piece = frame.iloc[start:end]
        piece = piece[piece.columns[::-1]] if i == 3 else piece
        piece.to_parquet(folder / "pieces" / f"part-{i}.parquet", row_group_size=5_000)
    (folder / "pieces" / "_SUCCESS").touch()
    return folder


def test_pieces_are_one_table(big, program: str) -> None:
    expected = npvar.learn(big / "whole.parquet", seed=1)
    pieces = [str(big / "pieces" / f"part-{i}.parquet") for i in range(5)]
    for data in (big / "pieces", f"{big}/pieces/*.parquet", f"{big}/p*/part-?.parquet", pieces):
        learned = npvar.learn(data, seed=1)
        assert nameless(learned.to_json(timing=False)) == nameless(expected.to_json(timing=False))
    for data in ([f"{big}/pieces"], [f"{big}/pieces/*.parquet"], pieces):
        arguments = [program, "learn", *data, "--seed", "1", "--json", "--no-timing", "--quiet"]
        printed = subprocess.run(arguments, capture_output=True, check=True, text=True).stdout
        assert nameless(printed) == nameless(expected.to_json(timing=False))


def test_rows_are_counted_over_all_files(big) -> None:
    events: list[dict[str, object]] = []
    npvar.learn(big / "pieces", callback=events.append)
    rows = [event for event in events if event["event"] == "rows"]
    assert rows[-1]["done"] == ROWS and rows[-1]["total"] == ROWS


def test_files_must_have_the_same_columns(tmp_path) -> None:
    pandas.DataFrame({"a": [1.0, 2.0], "b": [1.0, 3.0]}).to_csv(tmp_path / "1.csv", index=False)
    pandas.DataFrame({"a": [1.0, 2.0], "c": [1.0, 3.0]}).to_csv(tmp_path / "2.csv", index=False)
    with pytest.raises(errors.FormatError, match=r"2\.csv: has a column `c` that .*1\.csv has not"):
        npvar.learn(tmp_path)
    with pytest.raises(errors.FormatError, match="no file has such a name"):
        npvar.learn(f"{tmp_path}/*.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(errors.FormatError, match="the folder holds no file"):
        npvar.learn(tmp_path / "empty")


def test_missing_values_are_dropped_across_files(tmp_path) -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(50, 3))
    values[[7, 30]] = np.nan
    frame = pandas.DataFrame(values, columns=["a", "b", "c"])
    frame[:20].to_csv(tmp_path / "1.csv", index=False)
    frame[20:].to_csv(tmp_path / "2.csv", index=False)
    learned = npvar.learn(tmp_path, missing="drop", seed=1)
    assert learned.diagnostics[0].message == "dropped 2 of 50 rows with missing values"
    assert learned.p_values().tobytes() == npvar.learn(frame.dropna(), seed=1).p_values().tobytes()
    frame.dropna()[:20].to_csv(tmp_path / "1.csv", index=False)
    with pytest.raises(errors.FormatError, match="`a`: 1 of 50 values are missing"):
        npvar.learn(tmp_path, missing="error")


def test_memory_does_not_grow_with_the_rows(tmp_path) -> None:
    """Ten times the rows, in ten files instead of one, take no more memory."""
    rng = np.random.default_rng(1)
    batch = pyarrow.table({f"c{j}": rng.normal(size=200_000) for j in range(10)})  # 16 MB each
    for i in range(10):
        pyarrow.parquet.write_table(batch, tmp_path / f"{i}.parquet")
    code = (
        "import resource, sys, npvar; npvar.learn(sys.argv[1], seed=1);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    import sys

    def peak(path: str) -> int:
        return int(subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=True).stdout)

    one, ten = peak(f"{tmp_path}/0.parquet"), peak(str(tmp_path))
    # 144 MB more would be held otherwise; up to four files are decoded at once, each a few blocks ahead.
    assert ten < one + 60_000, (one, ten)


def test_the_next_call_is_one_that_python_can_make(tmp_path) -> None:
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    paths = [tmp_path / "1.csv", tmp_path / "2.csv"]
    frame[:30].to_csv(paths[0], index=False)
    frame[30:].to_csv(paths[1], index=False)
    array = frame.to_numpy()
    knowledge = {"forbidden": [["a", "b"]]}
    made = {
        f'"{paths[0]}"': (paths[0], {}),
        f'["{paths[0]}", "{paths[1]}"]': (paths, {}),
        "data": (frame, {"columns": ["a", "b"], "cutoff": 0.01}),
        "data, ": (array, {"names": ["a", "b", "c"], "knowledge": knowledge, "order": ["c", "a", "b"]}),
    }
    for named, (data, given) in made.items():
        verdict = npvar.learn(data, seed=1, **given).verdict
        assert verdict is not None and verdict.next is not None
        assert verdict.next.startswith(f"npvar.learn({named}") and "bootstrap=200" in verdict.next
        again = eval(verdict.next, {"npvar": npvar, "data": data, **given})
        assert again.bootstrap is not None and again.learner == npvar.learn(data, seed=1, **given).learner
        assert set(again.nodes) == set(given.get("columns", frame.columns))
    compared = npvar.compare(paths[0], seed=1, budget=5).verdict.next
    assert compared is not None and compared.startswith(f'npvar.learn("{paths[0]}", learner=')
    assert eval(compared, {"npvar": npvar}).nodes == ["a", "b", "c"]


def test_missing_cells_are_imputed_or_taken_pair_by_pair(tmp_path) -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(80, 3))
    values[:, 1] += values[:, 0]
    values[rng.random((80, 3)) < 0.2] = np.nan
    frame = pandas.DataFrame(values, columns=["a", "b", "c"])
    imputed = npvar.learn(frame, missing="impute", seed=1)
    assert imputed.intake[0]["did"].startswith("imputed ")
    assert npvar.learn(frame, seed=1).p_values().tobytes() == imputed.p_values().tobytes()
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert npvar.learn(tmp_path / "t.csv", missing="impute", seed=1).p_values().tobytes() == imputed.p_values().tobytes()
    assert "open" in npvar.learn(frame, "pc", missing="pairwise", seed=1).intake[0]["did"]
    with pytest.raises(errors.OptionError, match="`impute` is for every learner"):
        npvar.learn(frame, missing="pairwise", seed=1)
