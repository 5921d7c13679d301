"""Tables of every kind that Python knows, in the forms that the compiled half understands."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from npvar._npvar import Table

# What a cast to float64 would only do again.
_NATIVE = {"f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "b1"}


def table(data: Any, names: Sequence[str] | None = None) -> Any:
    """A `Table`, a list of paths, a pair of names and columns, or an object that speaks Arrow."""
    if names is not None:
        if not _is_array(data):
            raise TypeError("`names` is for arrays; this table has names of its own")
        return _array(data, names)
    if isinstance(data, Table):
        return data
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)]
    if isinstance(data, Mapping):
        return [str(name) for name in data], [_column(values) for values in data.values()]
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return _pandas(data, pandas)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(data, (polars.DataFrame, polars.LazyFrame)):
        return _polars(data, polars)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return data
    if isinstance(data, Sequence) and data and all(isinstance(item, (str, os.PathLike)) for item in data):
        return [os.fspath(item) for item in data]
    if _is_array(data):
        return _array(data, None)
    raise TypeError(
        f"cannot read a table from {type(data).__name__}: expected an array, a pandas, polars or Arrow frame, "
        "a dictionary of columns, or a path"
    )


def _is_array(data: Any) -> bool:
    """Rows and columns without names."""
    if isinstance(data, (str, Table)) or hasattr(data, "columns"):
        return False
    return hasattr(data, "__array__") or isinstance(data, Sequence)


def _array(data: Any, names: Sequence[str] | None) -> tuple[list[str], list[Any]]:
    """The columns of a two-dimensional array, as views."""
    import numpy

    array = numpy.asarray(data)
    if array.ndim != 2:
        raise TypeError(f"an array must have two dimensions (rows and columns), got {array.ndim}")
    names = [f"X{j + 1}" for j in range(array.shape[1])] if names is None else [str(name) for name in names]
    if len(names) != array.shape[1]:
        raise ValueError(f"{len(names)} names for {array.shape[1]} columns")
    return names, [_column(array[:, j]) for j in range(array.shape[1])]


def _column(values: Any) -> Any:
    """Values as a NumPy array of a number type where they are one, otherwise as a sequence."""
    if isinstance(values, (list, tuple)):
        return values
    if not hasattr(values, "dtype") and not hasattr(values, "__array__"):
        return list(values)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(values, pandas.Series):
        return _series(values, pandas)
    import numpy

    array = numpy.asarray(values)
    if array.ndim != 1:
        raise TypeError(f"a column must have one dimension, got {array.ndim}")
    return _native(array)


def _native(array: Any) -> Any:
    """The array itself where it can be read in place; numbers of other types as float64."""
    if array.dtype.str[1:] in _NATIVE and array.dtype.isnative and array.flags.aligned:
        return array
    if array.dtype.kind in "fiub":
        return array.astype("float64")
    if array.dtype.kind in "mM":  # NumPy would turn times into numbers of some unit
        return [str(value) for value in array]
    return array.tolist()


def _pandas(frame: Any, pandas: Any) -> tuple[list[str], list[Any]]:
    names = [str(name) for name in frame.columns]
    return names, [_series(frame.iloc[:, j], pandas) for j in range(len(names))]


def _polars(frame: Any, polars: Any) -> Any:
    """The frame, with columns of nothing but nulls as numbers: polars hands those out with a buffer that Arrow forbids."""
    frame = frame.lazy().collect()
    empty = [name for name, dtype in frame.schema.items() if dtype == polars.Null]
    return frame.with_columns(polars.col(empty).cast(polars.Float64)) if empty else frame


def _series(series: Any, pandas: Any) -> Any:
    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return list(series)
    if pandas.api.types.is_extension_array_dtype(dtype) and pandas.api.types.is_numeric_dtype(dtype):
        return series.to_numpy(dtype="float64", na_value=float("nan"))
    return _native(series.to_numpy())
