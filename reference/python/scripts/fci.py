"""causal-learn's FCI on the tables of `data` and on seven with hidden common causes, which this draws.

    pip install causal-learn==0.1.4.8 numpy==2.4.6 scipy==1.17.1
    PYTHONHASHSEED=0 python scripts/fci.py    # from reference/python; writes fci.json and data/hidden_*.csv

The package walks over sets of nodes, which are hashed by their names, so its answer can depend on PYTHONHASHSEED.
"""

import contextlib
import io
import json
import os
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
import causallearn.search.ConstraintBased.FCI as module  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ALPHA = 0.01


def hidden(d, hidden_nodes, degree, n, seed):
    """Linear Gaussian with the last nodes hidden: nodes in random order, each edge with the same probability."""
    rng = np.random.default_rng(seed)
    total = d + hidden_nodes
    order = rng.permutation(total)
    weights = np.zeros((total, total))
    for later in range(total):
        for earlier in range(later):
            if rng.random() < degree / (total - 1):
                a, b = order[earlier], order[later]
                weights[a, b] = rng.choice([-1, 1]) * rng.uniform(0.5, 1.5)
    x = np.zeros((n, total))
    for node in order:
        x[:, node] = rng.normal(size=n) + x @ weights[:, node]
    return np.round(x[:, :d], 6)


def draw():
    for name, (d, h, degree, n, seed) in {
        "hidden_d6_n1000": (6, 2, 2.5, 1000, 1),
        "hidden_d10_n1000": (10, 4, 2.5, 1000, 2),
        "hidden_d15_n2000": (15, 5, 2.0, 2000, 3),
        "hidden_d8_n500": (8, 4, 3.5, 500, 4),
        "hidden_d8_n2000": (8, 3, 4.0, 2000, 5),
        "hidden_d9_n1000": (9, 5, 4.0, 1000, 6),
        "hidden_d12_n1000": (12, 6, 3.0, 1000, 7),
    }.items():
        path = f"{ROOT}/data/{name}.csv"
        header = ",".join(f"X{j + 1}" for j in range(d))
        np.savetxt(path, hidden(d, h, degree, n, seed), delimiter=",", header=header, comments="", fmt="%.6f")


def read(name):
    return np.genfromtxt(f"{ROOT}/data/{name}.csv", delimiter=",", skip_header=1)


def learned(x, test, second_search=True):
    shipped = module.removeByPossibleDsep
    if not second_search:
        module.removeByPossibleDsep = lambda *_: None
    with contextlib.redirect_stdout(io.StringIO()):
        graph, _ = module.fci(x, test, ALPHA, show_progress=False)
    module.removeByPossibleDsep = shipped
    # graph[i, j] is the mark at i on the edge between i and j: 1 arrowhead, -1 tail, 2 circle; 0 no edge.
    return [[int(v) for v in row] for row in graph.graph]


def main():
    if os.environ.get("PYTHONHASHSEED") != "0":
        raise SystemExit("set PYTHONHASHSEED=0")
    draw()
    found = {}
    sets = [
        ("fisherz", name[:-4])
        for name in sorted(os.listdir(f"{ROOT}/data"))
        if name.endswith(".csv") and name.startswith(("hidden_", "lin_d")) and ".adj" not in name and ".W" not in name
    ]
    for test, name in sets + [(t, n) for n in DISCRETE for t in ("chisq", "gsq")]:
        x = read(name)
        print(name, test, x.shape, file=sys.stderr, flush=True)
        found[f"{name} {test}"] = {
            "data": name,
            "test": test,
            "alpha": ALPHA,
            "marks": learned(x, test),
            "marks_without_second_search": learned(x, test, second_search=False),
        }
    with open(f"{ROOT}/fci.json", "w") as file:
        json.dump(found, file, indent=None)
        file.write("\n")


DISCRETE = ["disc_d5_n1000", "disc_d8_n2000", "disc_d10_n1000", "glm_mc_d10_n1000"]

if __name__ == "__main__":
    main()
