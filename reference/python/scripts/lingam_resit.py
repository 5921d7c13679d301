"""HSIC and RESIT of lingam, for ../hsic_gamma.json and ../resit_cubic.json.

    pip install lingam==1.13.0 scikit-learn==1.9.1 numpy==2.2.6 scipy==1.13.1
    python lingam_resit.py check
"""

import lingam
import lingam.resit
import numpy as np
from lingam.hsic import get_kernel_width, hsic_test_gamma
from sklearn.linear_model import LinearRegression

import check


class Cubic:
    """Least squares on x, x^2 and x^3 of every predictor, with intercept."""

    def features(self, x):
        return np.hstack([x, x**2, x**3])

    def fit(self, x, y):
        self.fitted = LinearRegression().fit(self.features(x), y)
        return self

    def predict(self, x):
        return self.fitted.predict(self.features(x))


def hsic_gamma(old):
    made = []
    for case in old:
        x = check.data(case["data"], case["n_rows"])
        a, b = x[:, [case["x"]]], x[:, case["Y"]]
        stat, p = hsic_test_gamma(a, b)
        widths = {"width_x": float(get_kernel_width(a)), "width_Y": float(get_kernel_width(b))}
        made.append(case | widths | {"stat": float(stat), "p": float(p)})
    return made


def resit_cubic(old):
    made = []
    for case in old:
        trace = []

        def traced(*arguments):
            stat, p = hsic_test_gamma(*arguments)
            trace.append([float(stat), float(p)])
            return stat, p

        lingam.resit.hsic_test_gamma = traced
        found = lingam.RESIT(regressor=Cubic(), alpha=case["alpha"]).fit(check.data(case["data"], case["n_rows"]))
        made.append(case | {
            "order": [int(node) for node in found.causal_order_],
            "adjacency_row_is_child": (found.adjacency_matrix_ != 0).astype(int).tolist(), "hsic_trace": trace,
        })
    return made


if __name__ == "__main__":
    check.main({"hsic_gamma": hsic_gamma, "resit_cubic": resit_cubic}, ["lingam", "scikit-learn", "numpy", "scipy"], 1e-9)
