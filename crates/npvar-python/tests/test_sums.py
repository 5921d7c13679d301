"""Sums over parts of the rows."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import npvar
from npvar import errors

DIGITS = 1e-9  # sums of the same terms in another order


def agree(ours: npvar.Learned, theirs: npvar.Learned) -> None:
    assert ours.order == theirs.order
    assert [edge[:3] for edge in ours.edges] == [edge[:3] for edge in theirs.edges]
    assert ours.residual_variances is not None and theirs.residual_variances is not None
    for node, variance in theirs.residual_variances.items():
        assert ours.residual_variances[node] == pytest.approx(variance, rel=DIGITS)
    kept = theirs.p_values() > 1e-12  # smaller ones have fewer digits
    np.testing.assert_allclose(ours.p_values()[kept], theirs.p_values()[kept], rtol=1e-6)


def answer(learned: npvar.Learned) -> dict[str, Any]:
    """All but the diagnostics: some of them look at the rows, which sums no longer hold. The verdict rests on them."""
    without = ("diagnostics", "timing", "verdict", "intake")
    return {key: value for key, value in json.loads(learned.to_json()).items() if key not in without}


def test_one_part_is_the_whole_bit_for_bit(array: np.ndarray, expected: npvar.Learned) -> None:
    knots = npvar.knots(array)
    assert knots.rows == 800 and knots.names == expected.nodes
    assert answer(npvar.learn_from_gram(npvar.partial_gram(array, knots), seed=1)) == answer(expected)


@pytest.mark.parametrize("cuts", [[400], [1, 2, 3], [100, 100, 799], list(range(50, 800, 50))])
def test_parts_add_up(cuts: list[int], array: np.ndarray, expected: npvar.Learned) -> None:
    parts = np.split(array, cuts)
    knots = npvar.knots(parts)
    assert knots == npvar.merge_knots([npvar.knots(part) for part in parts if len(part)])
    gram = npvar.merge(npvar.partial_gram(part, knots) for part in parts)
    agree(npvar.learn_from_gram(gram, seed=1), expected)
    assert gram == npvar.merge(npvar.partial_gram(part, knots) for part in parts)
    assert len(gram) < 40_000


def test_batches_may_be_of_any_kind(array: np.ndarray, expected: npvar.Learned) -> None:
    parts = np.split(array, [300])
    frames = [pandas.DataFrame(parts[0], columns=expected.nodes), polars.DataFrame(parts[1], schema=expected.nodes)]
    knots = npvar.knots(iter(frames))
    gram = npvar.partial_gram((frame for frame in frames), knots)
    agree(npvar.learn_from_gram(gram, seed=1), expected)
    nothing = npvar.partial_gram([], knots)
    assert npvar.merge([gram, nothing]) == gram


def test_options_reach_the_learner(array: np.ndarray) -> None:
    knots = npvar.knots(array, k=8, few_valued="spline")
    gram = npvar.partial_gram(array, knots)
    basis = {"k": 8, "few_valued": "spline"}
    for options in ({"cutoff": 0.01}, {"eta": 0.1}, {"residual_variance": "rss"}):
        options = {**options, "estimator": {"kind": "gam", **basis}, "selection": basis}
        assert answer(npvar.learn_from_gram(gram, seed=1, **options)) == answer(npvar.learn(array, seed=1, **options))
    reml = {"estimator": {"smoothing": "reml", **basis}, "selection": {"smoothing": "gcv", **basis}}
    assert answer(npvar.learn_from_gram(gram, seed=1, **reml)) == answer(npvar.learn(array, seed=1, **reml))
    order = [f"X{j}" for j in range(6, 0, -1)]
    given = npvar.learn_from_gram(gram, seed=1, order=order, estimator=basis, selection=basis)
    assert answer(given) == answer(npvar.learn(array, seed=1, order=order, estimator=basis, selection=basis))


def test_what_needs_the_rows_is_refused(array: np.ndarray) -> None:
    gram = npvar.partial_gram(array, npvar.knots(array))
    for options, message in [
        ({"split": "half"}, "`split` must be `none`"),
        ({"eta": "adaptive"}, "`eta` must be `node-by-node`"),
        ({"selection__k": 8}, "`selection` must have the `k`"),
        ({"estimator": "linear"}, "`estimator` must be `gam`"),
        ({"cutof": 1}, "unknown field `cutof`"),
    ]:
        with pytest.raises(errors.OptionError, match=message):
            npvar.learn_from_gram(gram, **options)


def test_lost_and_doubled_parts_are_noticed(array: np.ndarray) -> None:
    parts = np.split(array, 4)
    knots = npvar.knots(parts)
    grams = [npvar.partial_gram(part, knots) for part in parts]
    for wrong, rows in ((grams[:3], 600), ([*grams, grams[0]], 1000)):
        with pytest.raises(errors.OptionError, match=f"got {rows} rows"):
            npvar.learn_from_gram(npvar.merge(wrong))


def test_damaged_and_foreign_parts_are_refused(array: np.ndarray) -> None:
    knots = npvar.knots(array)
    gram = npvar.partial_gram(array, knots)
    for damaged in (gram[:-1], gram[:100] + b"x" + gram[101:], b"", b"npvar-gram/9\n"):
        with pytest.raises(errors.FormatError):
            npvar.merge([gram, damaged])
    other = npvar.partial_gram(array[:400], npvar.knots(array[:400]))
    with pytest.raises(errors.OptionError, match="`knots` must be the same for every part"):
        npvar.merge([gram, other])
    with pytest.raises(errors.OptionError, match="which they do not know"):
        npvar.partial_gram(array, npvar.knots(array[:400]))
    with pytest.raises(ValueError, match="no part"):
        npvar.merge([])
    with pytest.raises(errors.NoRowsError):
        npvar.knots(array[:0])
    with pytest.raises(errors.OptionError):
        npvar.knots(array, k=3)


def test_knots_pickle(array: np.ndarray) -> None:
    knots = npvar.knots(array)
    assert pickle.loads(pickle.dumps(knots)) == knots
    assert repr(knots) == "<npvar.Knots: 6 columns, 800 rows>"
    assert knots.ranges["X1"] == (array[:, 0].min(), array[:, 0].max())


def test_missing_values_can_be_dropped_in_parts(array: np.ndarray) -> None:
    gaps = array.copy()
    gaps[[5, 700], 1] = np.nan
    parts = np.split(gaps, 2)
    knots = npvar.knots(parts, missing="drop")
    gram = npvar.merge(npvar.partial_gram(part, knots, missing="drop") for part in parts)
    agree(npvar.learn_from_gram(gram, seed=1), npvar.learn(gaps, missing="drop", seed=1))
