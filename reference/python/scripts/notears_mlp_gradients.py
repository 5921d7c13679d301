"""Every entry of the NOTEARS-MLP objective's gradient at the stored starts, for ../notears_mlp_gradients.json.

The objective is written here from its definition (one hidden layer of sigmoids per node; loss + alpha h + rho/2 h^2 +
lambda2/2 squares + lambda1 sums) and differentiated by the complex step: f(x + 1e-30 i)' = Im f / 1e-30, which has no
cancellation, so that every entry is exact to rounding. The values and the norms by layer are held to what torch gave
(../notears_mlp.json) before anything is written.

    pip install numpy==2.2.6 scipy==1.13.1
    python notears_mlp_gradients.py .. > ../notears_mlp_gradients.json
"""

import json
import sys
from pathlib import Path

import numpy as np
import scipy
from scipy.linalg import expm

STEP = 1e-30
LAYERS = ["fc1_pos.weight", "fc1_pos.bias", "fc1_neg.weight", "fc1_neg.bias", "fc2.0.weight", "fc2.0.bias"]


def parts(x, layers, hidden):
    n, d = x.shape
    weight = (layers["fc1_pos.weight"] - layers["fc1_neg.weight"]).reshape(d, hidden, d)
    bias = (layers["fc1_pos.bias"] - layers["fc1_neg.bias"]).reshape(d, hidden)
    units = 1 / (1 + np.exp(-(np.einsum("ni,jmi->njm", x, weight) + bias)))
    fitted = np.einsum("njm,jm->nj", units, layers["fc2.0.weight"].reshape(d, hidden)) + layers["fc2.0.bias"].reshape(d)
    adjacency = (weight**2).sum(axis=1).T
    return {
        "loss": ((x - fitted) ** 2).sum() / (2 * n),
        "h": np.trace(expm(adjacency)) - d,
        "l2_reg": (weight**2).sum() + (layers["fc2.0.weight"] ** 2).sum(),
        "fc1_l1": (layers["fc1_pos.weight"] + layers["fc1_neg.weight"]).sum(),
    }


def total(found, at):
    h = found["h"]
    penalties = 0.5 * at["lambda2"] * found["l2_reg"] + at["lambda1"] * found["fc1_l1"]
    return found["loss"] + at["alpha"] * h + 0.5 * at["rho"] * h * h + penalties


def gradient(x, layers, hidden, at):
    found = {}
    for name in LAYERS:
        slopes = np.empty(layers[name].size)
        for entry in range(layers[name].size):
            moved = dict(layers)
            moved[name] = layers[name].astype(complex)
            moved[name].flat[entry] += STEP * 1j
            slopes[entry] = total(parts(x, moved, hidden), at).imag / STEP
        found[name] = slopes
    return found


def close(got, expected, what):
    if abs(got - expected) > 1e-12 * abs(expected):
        sys.exit(f"{what}: {got} instead of torch's {expected}")


def case(stored, folder):
    x = np.loadtxt(folder / "data" / f"{stored['data']}.csv", delimiter=",", skiprows=1)[: stored["n_rows"]]
    layers = {name: np.array(stored["init_params"][name]) for name in LAYERS}
    hidden = stored["dims"][1]
    points = []
    for at in stored["objective_at_init"]:
        found = parts(x, layers, hidden)
        for key, value in (found | {"total": total(found, at)}).items():
            close(value, at[key], f"{stored['data']} {key}")
        slopes = gradient(x, layers, hidden, at)
        for name, values in slopes.items():
            close(np.linalg.norm(values), at["grad_norm"][name], f"{stored['data']} {name}")
        points.append({"rho": at["rho"], "alpha": at["alpha"], "gradient": {k: v.tolist() for k, v in slopes.items()}})
    return {"data": stored["data"], "n_rows": stored["n_rows"], "points": points}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    results = [case(stored, folder) for stored in json.loads((folder / "notears_mlp.json").read_text())]
    versions = {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__}
    print(json.dumps({"versions": versions, "results": results}))
