"""An estimator that Python brings."""

from __future__ import annotations

import numpy as np
import pytest

import npvar
from npvar import errors


class Line:
    """Least squares, with nothing of scikit-learn but the two methods."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Line:  # noqa: N803
        assert X.flags.c_contiguous and X.dtype == np.float64 and y.shape == (len(X),)
        self.coefficients = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y, rcond=None)[0]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:  # noqa: N803
        return np.column_stack([np.ones(len(X)), X]) @ self.coefficients


OPTIONS = {"residual_variance": "difference", "parents": "leave-one-out", "seed": 1}


def test_a_line_is_the_built_in_line(array: np.ndarray) -> None:
    line = Line()
    learned = npvar.learn(array, estimator=line, **OPTIONS)
    expected = npvar.learn(array, estimator="linear", **OPTIONS)
    assert learned.order == expected.order
    assert [edge[:2] for edge in learned.edges] == [edge[:2] for edge in expected.edges]
    assert learned.residual_variances == pytest.approx(expected.residual_variances, rel=1e-9)
    assert not hasattr(line, "coefficients"), "what was given stays as it was"
    [named] = [d for d in learned.diagnostics if d.code == "own-estimator"]
    assert "Python's `Line`" in named.message
    for threads in (1, 2):
        assert npvar.learn(array, estimator=line, threads=threads, **OPTIONS) == learned


def test_boosting_finds_what_a_line_cannot() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(1)
    cause = rng.uniform(-3, 3, 400)
    effect = 4 * np.cos(cause) + rng.normal(size=400)
    data = {"effect": effect, "cause": cause, "noise": rng.normal(scale=1.7, size=400)}
    boosting = ensemble.GradientBoostingRegressor(n_estimators=30, random_state=0)
    model = npvar.NPVAR(estimator=boosting, folds=3, cutoff=0.01, seed=1).fit(data)
    assert [edge[:2] for edge in model.learned_.edges] == [("cause", "effect")]
    assert npvar.learn(data, seed=1, estimator="linear", parents="leave-one-out", folds=3, cutoff=0.01).edges == []


def test_what_it_raises_comes_out(array: np.ndarray) -> None:
    class Broken(Line):
        def predict(self, X: np.ndarray) -> np.ndarray:  # noqa: N803
            raise RuntimeError("not today")

    class Short(Line):
        def predict(self, X: np.ndarray) -> np.ndarray:  # noqa: N803
            return np.zeros(3)

    class Nothing(Line):
        def predict(self, X: np.ndarray) -> np.ndarray:  # noqa: N803
            return np.full(len(X), np.nan)

    for estimator, error, words in (
        (Broken(), RuntimeError, "not today"),
        (Short(), ValueError, "`predict` gave 3 numbers for"),
        (Nothing(), ValueError, "`predict` gave NaN"),
    ):
        with pytest.raises(error, match=words):
            npvar.learn(array, estimator=estimator, seed=1)


def test_what_cannot_be_done_is_refused(array: np.ndarray) -> None:
    with pytest.raises(errors.OptionError, match="cannot use an estimator of one's own; `npvar` can"):
        npvar.learn(array, "resit", estimator=Line())
    with pytest.raises(errors.OptionError, match="`parents` must be"):
        npvar.learn(array, estimator=Line(), parents="rodeo")
    with pytest.raises((errors.OptionError, TypeError)):
        npvar.learn(array, estimator=Line)  # the class, not an object
