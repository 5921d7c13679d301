"""DirectLiNGAM (Shimizu et al. 2011) with the lingam package, for ../direct_lingam.json.

Draws the `lingam_*` data sets where they are not there yet, reads them back, and runs `lingam.DirectLiNGAM()` with its
default measure (the pairwise likelihood ratio of Hyvarinen & Smith 2013) on them and on some that were there before.

    pip install lingam==1.13.0 numpy==2.2.6 scikit-learn==1.9.1
    python direct_lingam.py ../data > ../direct_lingam.json
"""

import json
import sys
from pathlib import Path

import lingam
import numpy as np
import sklearn

# Name, columns, rows, expected parents, noise, seed.
DRAWN = [
    ("lingam_uniform_d5_n300", 5, 300, 1.5, "uniform", 1),
    ("lingam_laplace_d8_n500", 8, 500, 2.0, "laplace", 2),
    ("lingam_exponential_d10_n300", 10, 300, 2.0, "exponential", 3),
    ("lingam_mixed_d15_n400", 15, 400, 1.5, "mixed", 4),
    ("lingam_gumbel_d6_n80", 6, 80, 2.0, "gumbel", 5),
    ("lingam_units_d8_n300", 8, 300, 2.0, "units", 6),
]
OTHERS = ["lin_d10_n1000", "lin_sf_d12_n300", "sin_d5_n300", "agp_d10_n500"]


def noise(kind, column, n, rng):
    kinds = ["uniform", "laplace", "exponential", "gumbel"]
    kind = kinds[column % 4] if kind in ("mixed", "units") else kind
    drawn = {
        "uniform": lambda: rng.uniform(-1, 1, n) * np.sqrt(3),
        "laplace": lambda: rng.laplace(size=n) / np.sqrt(2),
        "exponential": lambda: rng.exponential(size=n) - 1,
        "gumbel": lambda: rng.gumbel(size=n) / (np.pi / np.sqrt(6)),
    }
    return drawn[kind]()


def draw(name, d, n, parents, kind, seed, folder):
    rng = np.random.default_rng(seed)
    order = rng.permutation(d)
    weights = np.zeros((d, d))
    for later in range(1, d):
        for earlier in range(later):
            if rng.uniform() < min(1.0, 2 * parents / (d - 1)):
                weights[order[earlier], order[later]] = rng.choice([-1, 1]) * rng.uniform(0.5, 1.5)
    x = np.zeros((n, d))
    for node in order:
        x[:, node] = x @ weights[:, node] + noise(kind, node, n, rng) * rng.uniform(0.5, 2)
    if kind == "units":
        scale = 10.0 ** rng.integers(-3, 4, d)
        x, weights = x * scale + 5 * scale, weights * scale[None, :] / scale[:, None]
    header = ",".join(f"X{j + 1}" for j in range(d))
    np.savetxt(folder / f"{name}.csv", x, fmt="%.6g", delimiter=",", header=header, comments="")
    np.savetxt(folder / f"{name}.adj.csv", weights != 0, fmt="%d", delimiter=",")
    np.savetxt(folder / f"{name}.W.csv", weights, fmt="%.6g", delimiter=",")


class Watched(lingam.DirectLiNGAM):
    """Keeps what the first step compares."""

    def fit(self, x):
        self.first = None
        return super().fit(x)

    def _search_causal_order(self, x, u):
        if self.first is None:
            std = (x - x.mean(axis=0)) / x.std(axis=0)
            differences = np.zeros((len(u), len(u)))
            for i in u:
                for j in u:
                    if i != j:
                        a, b = std[:, i], std[:, j]
                        differences[i, j] = self._diff_mutual_info(a, b, self._residual(a, b), self._residual(b, a))
            self.first = np.sum(np.minimum(0, differences) ** 2, axis=1)
        return super()._search_causal_order(x, u)


def main():
    folder = Path(sys.argv[1])
    versions = {"python": sys.version.split()[0], "lingam": "1.13.0", "numpy": np.__version__}
    result = {"versions": versions | {"scikit-learn": sklearn.__version__}}
    for case in DRAWN:
        if not (folder / f"{case[0]}.csv").exists():
            draw(*case, folder)
    for name in [case[0] for case in DRAWN] + OTHERS:
        x = np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1)
        model = Watched().fit(x)
        result[name] = {
            "order": [int(node) for node in model.causal_order_],
            "weights": model.adjacency_matrix_.T.tolist(),
            "first_step": model.first.tolist(),
        }
    json.dump(result, sys.stdout)
    print()


main()
