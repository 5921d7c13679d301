"""Learners as estimators in the style of scikit-learn, which need not be installed.

Every learner has a class whose parameters are its options, made from the registry: `NPVAR(cutoff=0.01).fit(X)`.

>>> from npvar import NPVAR, simulate
>>> data = simulate("MC-SIN", nodes=3, samples=500, seed=2).data
>>> model = NPVAR(cutoff=0.01).fit(data)
>>> model.feature_names_in_, model.n_features_in_
(['X1', 'X2', 'X3'], 3)
>>> model.get_params()["cutoff"]
0.01
"""

from __future__ import annotations

import copy
import inspect
from typing import TYPE_CHECKING, Any, ClassVar, Self

from npvar._api import learn, learners
from npvar._options import as_json
from npvar import _npvar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from npvar.graph import Learned

_NAMES = {
    "npvar": "NPVAR", "eqvar": "EqVar", "cam": "CAM", "resit": "RESIT", "notears": "NOTEARS",
    "notears-mlp": "NOTEARSMLP", "gsges": "GSGES", "pc": "PC", "fci": "FCI", "ges": "GES", "gds": "GDS",
    "score": "SCORE", "das": "DAS", "nogam": "NoGAM", "caps": "CaPS", "best-order": "BestOrder",
    "direct-lingam": "DirectLiNGAM", "var-sort-regress": "VarSortRegress", "r2-sort-regress": "R2SortRegress",
}  # fmt: skip
# What every learner has beside its options.
_RUN = {"seed": None, "threads": 0, "missing": "error"}


class StructureLearner:
    """What all learners share. After `fit` the attributes that end in `_` hold what was learned."""

    learner: ClassVar[str]
    _defaults: ClassVar[dict[str, Any]]

    def __init__(self, **options: Any) -> None:
        unknown = [name for name in options if name not in self._defaults]
        if unknown:
            known = ", ".join(f"`{name}`" for name in self._defaults)
            raise TypeError(f"{type(self).__name__} has no option `{unknown[0]}`; its options are {known}")
        for name, default in self._defaults.items():
            setattr(self, name, options[name] if name in options else copy.deepcopy(default))

    def fit(self, X: Any, y: None = None) -> Self:  # noqa: N803
        """Learns a graph from a table; anything that `npvar.learn` takes. `y` is ignored."""
        del y
        params = self.get_params(deep=False)
        run = {name: params.pop(name) for name in _RUN}
        self.learned_: Learned = learn(X, self.learner, **run, **params)
        self.feature_names_in_: list[str] = self.learned_.nodes
        self.n_features_in_: int = len(self.feature_names_in_)
        return self

    @property
    def order_(self) -> list[str] | None:
        """The order, source first."""
        return self._fitted.order

    @property
    def layers_(self) -> list[list[str]] | None:
        """The layers."""
        return self._fitted.layers

    @property
    def adjacency_(self) -> NDArray[np.int8]:
        """The adjacency matrix, row = parent."""
        return self._fitted.adjacency()

    @property
    def weights_(self) -> NDArray[np.float64]:
        """The weighted adjacency matrix of a linear learner, row = parent; NaN for edges without a weight."""
        return self._fitted.weights()

    @property
    def p_values_(self) -> NDArray[np.float64]:
        """The p-values of the parent selection, row = candidate; NaN where none was tested."""
        return self._fitted.p_values()

    @property
    def residual_variances_(self) -> NDArray[np.float64]:
        """Each column's residual variance when it joined the order; NaN for learners without such steps."""
        import numpy as np

        found = self._fitted.residual_variances or {}
        return np.array([found.get(name, np.nan) for name in self._fitted.nodes])

    @property
    def _fitted(self) -> Learned:
        try:
            return self.__dict__["learned_"]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(f"this {type(self).__name__} has not learned yet: call `fit` first") from None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options; with `deep`, those of nested ones too, as `estimator__sp`."""
        params = {name: getattr(self, name) for name in self._defaults}
        if deep:
            for name, value in list(params.items()):
                if isinstance(value, dict):
                    params.update({f"{name}__{key}": inner for key, inner in value.items()})
        return params

    def set_params(self, **params: Any) -> Self:
        """Changes options; `estimator__sp` changes one of a nested one."""
        for name, value in params.items():
            first, _, rest = name.partition("__")
            if first not in self._defaults:
                known = ", ".join(f"`{name}`" for name in self._defaults)
                raise ValueError(f"{type(self).__name__} has no option `{name}`; its options are {known}")
            if not rest:
                setattr(self, first, value)
                continue
            present = getattr(self, first)
            table = {"kind": present} if isinstance(present, str) else dict(present or {})
            setattr(self, first, {**table, rest: value})
        return self

    def resolved(self) -> dict[str, Any]:
        """The full configuration, after checking every option."""
        import json

        options = {name: getattr(self, name) for name in self._defaults if name not in _RUN}
        return dict(json.loads(_npvar.resolve(self.learner, as_json(options))))

    def __repr__(self) -> str:
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, default in self._defaults.items()
            if getattr(self, name) != default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _made(name: str, about: dict[str, Any]) -> type[StructureLearner]:
    """The class of a learner, from the registry."""
    options = about["options"]
    defaults = {option: facts["default"] for option, facts in options.items()} | _RUN
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [inspect.Parameter(o, inspect.Parameter.KEYWORD_ONLY, default=d) for o, d in defaults.items()]
    lines = [about["summary"] + ".", "", f"Assumes: {about['assumes']}.", "", "Options:"]
    lines += [f"    {option}: {facts['description']}" for option, facts in options.items()]
    lines.append("    seed, threads, missing: as for `npvar.learn`.")
    class_name = _NAMES.get(name, "".join(part.capitalize() for part in name.split("-")))

    def init(self: StructureLearner, **options: Any) -> None:
        StructureLearner.__init__(self, **options)

    init.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    init.__name__ = "__init__"
    body = {
        "learner": name, "_defaults": defaults, "__doc__": "\n".join(lines), "__module__": __name__, "__init__": init,
    }  # fmt: skip
    return type(class_name, (StructureLearner,), body)


_CLASSES = {made.__name__: made for made in (_made(name, about) for name, about in learners().items())}
globals().update(_CLASSES)
__all__ = ["StructureLearner", *_CLASSES]
