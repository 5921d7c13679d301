"""Learners in the style of scikit-learn."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pandas
import pytest

import npvar
from npvar import errors, estimators


def test_every_learner_has_a_class() -> None:
    classes = [getattr(estimators, name) for name in estimators.__all__ if name != "StructureLearner"]
    assert sorted(c.learner for c in classes) == sorted(npvar.learners())
    for c in classes:
        assert getattr(npvar, c.__name__) is c
        assert "Options:" in c.__doc__
        assert list(inspect.signature(c).parameters)[-3:] == ["seed", "threads", "missing"]
        assert c().resolved()["algorithm"] == c.learner


def test_fitted_attributes(array: np.ndarray, expected: npvar.Learned) -> None:
    model = npvar.NPVAR(seed=1)
    with pytest.raises(AttributeError, match="call `fit` first"):
        model.order_
    assert model.fit(array) is model
    assert model.learned_ == expected
    assert model.order_ == expected.order and model.layers_ == expected.layers
    assert model.adjacency_.shape == (6, 6) and model.adjacency_.sum() == len(expected.edges)
    assert np.isfinite(model.residual_variances_).all()
    parent, child = expected.edges[0][:2]
    i, j = expected.nodes.index(parent), expected.nodes.index(child)
    assert model.p_values_[i, j] == expected.edges[0].p_value
    assert model.feature_names_in_ == expected.nodes


def test_linear_learners_have_weights() -> None:
    rng = np.random.default_rng(1)
    cause = rng.uniform(size=1000)
    frame = pandas.DataFrame({"effect": 2 * cause + rng.uniform(size=1000), "cause": cause})
    model = npvar.DirectLiNGAM().fit(frame)
    assert model.order_ == ["cause", "effect"]
    (edge,) = model.learned_.edges
    assert edge.weight is not None and abs(edge.weight - np.polyfit(cause, frame["effect"], 1)[0]) < 1e-9
    assert model.weights_.tolist() == [[0, 0], [edge.weight, 0]]
    assert f"weight {edge.weight:.4g}" in str(model.learned_) and "weight" in model.learned_._repr_html_()
    assert model.learned_.to_networkx().edges["cause", "effect"]["weight"] == edge.weight
    other = npvar.NPVAR().fit(frame)
    assert np.isnan(other.weights_[other.adjacency_ == 1]).all()


def test_names_come_from_frames(array: np.ndarray) -> None:
    frame = pandas.DataFrame(array[:, :3], columns=["u", "v", "w"])
    assert npvar.EqVar().fit(frame).feature_names_in_ == ["u", "v", "w"]
    pc = npvar.PC().fit(frame)
    assert pc.order_ is None and np.isnan(pc.residual_variances_).all()


def test_parameters_are_options(array: np.ndarray) -> None:
    model = npvar.NPVAR(cutoff=0.01, seed=1)
    assert repr(model) == "NPVAR(cutoff=0.01, seed=1)"
    assert model.get_params()["estimator__sp"] == 0.6
    model.set_params(estimator__sp=1.5, eta=0.1, selection__few_valued="spline")
    learned = model.fit(array).learned_
    assert learned == npvar.learn(
        array, seed=1, cutoff=0.01, estimator__sp=1.5, eta=0.1, selection__few_valued="spline"
    )
    with pytest.raises(TypeError, match="NPVAR has no option `cutof`; its options are .*`cutoff`"):
        npvar.NPVAR(cutof=1)
    with pytest.raises(ValueError, match="no option `cutof`"):
        model.set_params(cutof=1)
    with pytest.raises(errors.OptionError):
        npvar.NPVAR(cutoff=3).fit(array)
    assert npvar.NPVAR().estimator is not npvar.NPVAR().estimator


def test_scikit_learn_clones_them(array: np.ndarray) -> None:
    base = pytest.importorskip("sklearn.base")
    model = npvar.NPVAR(cutoff=0.01, estimator={"kind": "linear"}).fit(array)
    copied = base.clone(model)
    assert copied.get_params() == model.get_params() and not hasattr(copied, "learned_")


def test_they_pickle(array: np.ndarray) -> None:
    model = npvar.NPVAR(seed=1).fit(array)
    again = pickle.loads(pickle.dumps(model))
    assert again.learned_ == model.learned_ and again.get_params() == model.get_params()
