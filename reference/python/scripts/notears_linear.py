"""Linear NOTEARS by its authors' code, for ../notears_linear.json.

The code is no package of PyPI: CODE names a checkout of xunzheng/notears at 4a9ab19.

    pip install numpy==2.2.6 scipy==1.13.1
    CODE=notears python notears_linear.py check
"""

import os
import sys

import numpy as np
from scipy.linalg import expm

import check

sys.path.insert(0, os.environ.get("CODE", "notears"))
from notears.linear import notears_linear  # noqa: E402


def made(old):
    found = {}
    for name, cases in old.items():
        x = check.data(name)
        centred = x - x.mean(axis=0)
        found[name] = {}
        for key in cases:
            w = notears_linear(x, float(key.split("=")[1]), "l2", w_threshold=0)
            found[name][key] = {
                "W_unthresholded": w.tolist(), "loss": 0.5 / len(x) * float(((centred - centred @ w) ** 2).sum()),
                "l1": float(np.abs(w).sum()), "h": float(np.trace(expm(w * w)) - len(w)),
                "edges_w_ge_0_3": np.argwhere(np.abs(w) >= 0.3).tolist(),
            }
    return found


if __name__ == "__main__":
    check.main({"notears_linear": made}, ["numpy", "scipy"], 1e-9)
