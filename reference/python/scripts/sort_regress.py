"""Var-sort-regress and R2-sort-regress (Reisach et al. 2021, 2023) with scikit-learn, for ../sort_regress.json.

Columns are sorted by a score; each is regressed on those before it by ordinary least squares, the covariates are scaled
by the absolute coefficients, and LassoLarsIC (BIC) on the scaled covariates gives the edges.

    pip install scikit-learn==1.9.1 numpy==2.4.6
    python sort_regress.py ../../r/datasets > ../sort_regress.json
"""

import json
import sys
from pathlib import Path

import numpy as np
import sklearn
from sklearn.linear_model import LassoLarsIC, LinearRegression

NAMES = [
    "MC-SIN_d5", "MC-SIN_d20", "ER-SIN-1_d10", "ER-SIN-4_d10", "ER-SIN-4_d20", "ER-AGP-1_d20", "ER-AGP-4_d20",
    "SF-AGP-4_d10", "SF-NGP-4_d20", "MC-GLM_d10", "camfail-linear_n500", "camfail-pow14_n1000",
]


def variances(x):
    return x.var(axis=0, ddof=1)


def r_squared(x):
    scores = []
    for j in range(x.shape[1]):
        others = np.delete(x, j, axis=1)
        scores.append(LinearRegression().fit(others, x[:, j]).score(others, x[:, j]))
    return np.array(scores)


def sort_regress(x, scores):
    order = np.argsort(scores, kind="stable")
    weights = np.zeros((x.shape[1], x.shape[1]))
    steps = []
    for k in range(1, x.shape[1]):
        before, target = order[:k], order[k]
        scale = np.abs(LinearRegression().fit(x[:, before], x[:, target]).coef_)
        lasso = LassoLarsIC(criterion="bic").fit(x[:, before] * scale, x[:, target])
        weights[before, target] = lasso.coef_ * scale
        steps.append({"alpha": float(lasso.alpha_), "bic": float(lasso.criterion_.min()), "knots": len(lasso.alphas_)})
    return {"scores": scores.tolist(), "order": order.tolist(), "weights": weights.tolist(), "steps": steps}


def main():
    folder = Path(sys.argv[1])
    result = {"versions": {"python": sys.version.split()[0], "scikit-learn": sklearn.__version__, "numpy": np.__version__}}
    for name in NAMES:
        x = np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1)
        result[name] = {"var": sort_regress(x, variances(x)), "r2": sort_regress(x, r_squared(x))}
    json.dump(result, sys.stdout)
    print()


main()
