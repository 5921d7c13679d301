"""Every kind of table gives the same graph, with its own names."""

from __future__ import annotations

import array as stdlib_array
import decimal

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest

import npvar
from npvar import errors

NAMES = ["a", "b", "c", "d", "e", "f"]


def frames(values: np.ndarray) -> dict[str, object]:
    frame = pandas.DataFrame(values, columns=NAMES)
    arrow = pyarrow.table({name: values[:, j] for j, name in enumerate(NAMES)})
    cut = [arrow.slice(0, 301), arrow.slice(301, 1), arrow.slice(302)]
    return {
        "pandas": frame,
        "pandas nullable": frame.convert_dtypes(),
        "pandas arrow": frame.astype("float64[pyarrow]"),
        "pandas objects": frame.astype(object),
        "pandas columns apart": pandas.concat([frame[[name]].copy() for name in NAMES], axis=1),
        "polars": polars.DataFrame({name: values[:, j] for j, name in enumerate(NAMES)}),
        "polars lazy": polars.LazyFrame({name: values[:, j] for j, name in enumerate(NAMES)}),
        "pyarrow table": arrow,
        "pyarrow in pieces": pyarrow.concat_tables(cut),
        "pyarrow batch": arrow.combine_chunks().to_batches()[0],
        "pyarrow reader": arrow.to_reader(max_chunksize=100),
        "dict of arrays": {name: values[:, j] for j, name in enumerate(NAMES)},
        "dict of lists": {name: values[:, j].tolist() for j, name in enumerate(NAMES)},
        "dict of series": {name: frame[name] for name in NAMES},
        "dict of standard arrays": {name: stdlib_array.array("d", values[:, j]) for j, name in enumerate(NAMES)},
        "dict of decimals": {name: [decimal.Decimal(x) for x in values[:, j]] for j, name in enumerate(NAMES)},
        "table": npvar.Table(NAMES, [values[:, j].tolist() for j in range(6)]),
    }


@pytest.mark.parametrize("kind", list(frames(np.zeros((400, 6)))))
def test_every_kind_of_table_gives_the_same_graph(kind: str, array: np.ndarray, expected: npvar.Learned) -> None:
    learned = npvar.learn(frames(array)[kind], seed=1)
    assert learned.nodes == NAMES
    assert learned.residual_variances is not None and expected.residual_variances is not None
    assert list(learned.residual_variances.values()) == list(expected.residual_variances.values())
    np.testing.assert_array_equal(learned.adjacency(), expected.adjacency())
    np.testing.assert_array_equal(learned.p_values(), expected.p_values())


def test_the_layout_of_an_array_does_not_matter(array: np.ndarray, expected: npvar.Learned) -> None:
    padded = np.zeros((2 * len(array), 12))
    padded[::2, ::2] = array
    unaligned = np.frombuffer(b"\0" + array.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(array.shape)
    assert not unaligned.flags.aligned
    read_only = array.copy()
    read_only.flags.writeable = False
    layouts = [
        np.asfortranarray(array),
        padded[::2, ::2],
        np.ascontiguousarray(array[::-1])[::-1],
        array.astype(">f8"),
        array.astype(np.longdouble),
        array.astype(object),
        unaligned,
        read_only,
        array.tolist(),
        np.array(array, copy=True).view(np.matrix) if hasattr(np, "matrix") else array,
    ]
    for layout in layouts:
        assert npvar.learn(layout, seed=1) == expected


@pytest.mark.parametrize("dtype", ["f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"])
def test_every_number_type_is_its_numbers(dtype: str, array: np.ndarray) -> None:
    shift = 0 if dtype[0] in "fi" else 60
    converted = np.clip(np.round(array * 10) + shift, 0 if shift else -120, 120).astype(dtype)
    for layout in (converted, np.asfortranarray(converted), converted[::2]):
        assert npvar.learn(layout, seed=1) == npvar.learn(layout.astype("f8"), seed=1)


def test_booleans_are_zero_and_one(array: np.ndarray) -> None:
    booleans = array > 0
    expected = npvar.learn(booleans.astype("f8"), seed=1)
    names = expected.nodes
    assert npvar.learn(booleans, seed=1) == expected
    frame = pandas.DataFrame(booleans, columns=names)
    assert npvar.learn(frame, seed=1) == expected
    assert npvar.learn(frame.astype("boolean"), seed=1) == expected
    assert npvar.learn(polars.DataFrame(frame), seed=1) == expected
    assert npvar.learn(pyarrow.Table.from_pandas(frame), seed=1) == expected


def test_nullable_integers_and_missing_values(array: np.ndarray) -> None:
    whole = pandas.DataFrame(np.round(array * 10), columns=NAMES).astype("Int64")
    whole.loc[[3, 500], "b"] = pandas.NA
    kept = whole.drop(index=[3, 500]).astype("float64")
    expected = npvar.learn(kept, seed=1)
    with_floats = whole.astype("float64")
    for table in (whole, with_floats, pyarrow.Table.from_pandas(whole), polars.from_pandas(whole),
                  with_floats.astype(object), with_floats.astype("float32").astype("float64")):  # fmt: skip
        with pytest.raises(errors.MissingValueError, match=r'row 4, column `b`.*`missing="drop"`') as raised:
            npvar.learn(table, missing="error")
        assert (raised.value.row, raised.value.column) == (4, "b")
        auto = npvar.learn(table, seed=1)
        assert auto.p_values().tobytes() == expected.p_values().tobytes()
        assert auto.intake == [{"column": None, "did": "left out 2 of 800 rows", "why": "values are missing: `b` 2"}]
        dropped = npvar.learn(table, missing="drop", seed=1)
        assert dropped.diagnostics[0].message == "dropped 2 of 800 rows with missing values"
        assert dropped.p_values().tobytes() == expected.p_values().tobytes()


def test_nothing_but_missing_values_is_said_so() -> None:
    with pytest.raises(errors.FormatError, match="all 3 rows have missing values"):
        npvar.learn({"a": [None] * 3, "b": [1, 2, 3]}, missing="drop")
    with pytest.raises(errors.MissingValueError):
        npvar.learn(polars.DataFrame({"a": [None] * 3, "b": [1, 2, 3]}), missing="error")
    with pytest.raises(errors.FormatError, match="`a`: left out \\(every cell is missing\\)"):
        npvar.learn({"a": [None] * 3, "b": [1, 2, 3]})


def test_infinite_values_are_refused(array: np.ndarray) -> None:
    infinite = array.copy()
    infinite[7, 2] = np.inf
    for missing in ("error", "drop"):
        with pytest.raises(errors.NotFiniteError, match="row 8, column `X3`"):
            npvar.learn(infinite, missing=missing)


def test_text_is_left_out_and_told(array: np.ndarray, expected: npvar.Learned) -> None:
    frame = pandas.DataFrame(array, columns=expected.nodes)
    frame.insert(0, "name", ["x y"] * len(frame))
    frame["when"] = pandas.Timestamp("2020-01-01")
    frame["kind"] = pandas.Categorical(["u"] * len(frame))
    for table in (frame, polars.from_pandas(frame), pyarrow.Table.from_pandas(frame)):
        learned = npvar.learn(table, seed=1)
        assert learned.p_values().tobytes() == expected.p_values().tobytes()
        assert [(entry["column"], entry["did"]) for entry in learned.intake] == [
            ("name", "left out"), ("when", "left out"), ("kind", "left out"),
        ]  # fmt: skip
        with pytest.raises(errors.FormatError, match=r"`name`: left out.*\n.*`when`: left out.*\n.*`kind`: left out"):
            npvar.learn(table, strict=True)
        assert npvar.learn(table, exclude=["name", "when", "kind"], seed=1) == expected
        assert npvar.learn(table, columns=expected.nodes, seed=1) == expected


def test_words_are_causes_or_zero_and_one(tmp_path) -> None:
    rng = np.random.default_rng(1)
    kind = rng.choice(["red", "green", "blue"], 300)
    frame = pandas.DataFrame({"y": 2.0 * (kind == "green") + rng.normal(size=300), "kind": kind})
    frame["smokes"] = rng.choice(["yes", "no"], 300)
    frame.to_csv(tmp_path / "t.csv", index=False)
    expected = npvar.learn(tmp_path / "t.csv", seed=1)
    assert [edge[:2] for edge in expected.edges] == [("kind", "y")]
    categories = frame.astype({"kind": "category"})
    for table in (frame, categories, polars.from_pandas(frame), pyarrow.Table.from_pandas(categories)):
        learned = npvar.learn(table, seed=1)
        assert learned == expected
    assert npvar.learn(frame, "pc", seed=1).nodes == ["y", "smokes"]


def test_numeric_categories_are_numbers(array: np.ndarray) -> None:
    frame = pandas.DataFrame(np.round(array), columns=NAMES)
    assert npvar.learn(frame.astype("category"), seed=1) == npvar.learn(frame, seed=1)


def test_columns_are_chosen_by_name(simulated: npvar.Simulated, array: np.ndarray) -> None:
    chosen = npvar.learn(array, columns=["X4", "X1"], seed=1)
    assert chosen.nodes == ["X4", "X1"]
    assert npvar.learn(simulated.data, columns=["X4", "X1"], seed=1) == chosen
    with pytest.raises(errors.UnknownColumnError, match="there is no column `z`; the columns are `X1`"):
        npvar.learn(array, columns=["z", "X1"])
    with pytest.raises(TypeError, match="a list of names"):
        npvar.learn(array, exclude="X1")


def test_names_are_for_arrays(array: np.ndarray) -> None:
    assert npvar.learn(array, names=NAMES).nodes == NAMES
    with pytest.raises(ValueError, match="2 names for 6 columns"):
        npvar.learn(array, names=["a", "b"])
    with pytest.raises(TypeError, match="names of its own"):
        npvar.learn(pandas.DataFrame(array), names=NAMES)
    assert npvar.learn(pandas.DataFrame(array)).nodes == ["0", "1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (np.zeros((0, 3)), errors.NoRowsError),
        (np.zeros((5, 1)), errors.TooFewColumnsError),
        (np.zeros((5, 0)), errors.TooFewColumnsError),
        (pandas.DataFrame(), errors.TooFewColumnsError),
        (pandas.DataFrame({"a": [], "b": []}), errors.NoRowsError),
        (polars.DataFrame({"a": [], "b": []}), errors.NoRowsError),
        (pandas.DataFrame({"a": [1.0, 2.0]}), errors.TooFewColumnsError),
        ({}, errors.TooFewColumnsError),
        ({"a": [1, 2], "b": [1]}, errors.UnequalLengthsError),
        (pandas.DataFrame(np.zeros((5, 2)), columns=["a", "a"]), errors.DuplicateNameError),
        ({"a": ["x", "y"], "b": [1, 2]}, errors.TooFewSamplesError),
        ({"a": [1.0, 1e200], "b": [1.0, 2.0]}, errors.NpvarError),
        (np.zeros((3, 3)), errors.TooFewSamplesError),
        ("no/such.csv", errors.FileError),
        (np.zeros(5), TypeError),
        (np.zeros((2, 2, 2)), TypeError),
        (5, TypeError),
        (None, TypeError),
        (np.zeros((5, 2), dtype=complex), errors.FormatError),
        (np.zeros((5, 2), dtype="datetime64[s]"), errors.FormatError),
    ],
)
def test_what_is_no_table_is_refused(data: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        npvar.learn(data)


def test_files_give_the_same_as_frames(tmp_path, array: np.ndarray, expected: npvar.Learned) -> None:
    frame = pandas.DataFrame(array, columns=expected.nodes)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.tsv", index=False, sep="\t", header=False)
    frame.to_parquet(tmp_path / "t.parquet")
    pyarrow.feather.write_feather(frame, tmp_path / "t.feather")
    for name in ("t.csv", "t.parquet", "t.feather"):
        assert npvar.learn(tmp_path / name, seed=1) == expected
    assert npvar.learn(str(tmp_path / "t.tsv"), header=False, separator="tab", seed=1) == expected


def test_large_arrays_are_read_in_place() -> None:
    rows = 1_500_000
    rng = np.random.default_rng(1)
    x = rng.normal(size=rows)
    fortran = np.asfortranarray(np.column_stack([x, np.sin(x) + rng.normal(size=rows), *rng.normal(size=(4, rows))]))
    assert fortran.nbytes > 64 << 20
    learned = npvar.learn(fortran, seed=1)
    small = npvar.learn(fortran[:200_000], seed=1)
    assert learned.edges[0][:2] == ("X1", "X2") == small.edges[0][:2]
    assert npvar.learn(np.ascontiguousarray(fortran), seed=1) == learned
    with_gap = fortran.copy()
    with_gap[5, 0] = np.nan
    dropped = npvar.learn(with_gap, missing="drop", seed=1)
    np.testing.assert_array_equal(dropped.p_values(), npvar.learn(np.delete(fortran, 5, axis=0), seed=1).p_values())


def test_simulated_data_are_seen_by_everyone(simulated: npvar.Simulated, array: np.ndarray) -> None:
    table = simulated.data
    np.testing.assert_array_equal(np.asarray(table), array)
    np.testing.assert_array_equal(np.asarray(table, dtype="f4"), array.astype("f4"))
    np.testing.assert_array_equal(table["X2"], array[:, 1])
    assert table.column("X2") == array[:, 1].tolist()
    assert (len(table), table.shape, table.columns[0]) == (800, (800, 6), "X1")
    np.testing.assert_array_equal(polars.DataFrame(table).to_numpy(), array)
    np.testing.assert_array_equal(pyarrow.table(table).to_pandas().to_numpy(), array)
    assert list(table.to_pandas().columns) == table.columns
    with pytest.raises(KeyError, match="no column `z`"):
        table["z"]
