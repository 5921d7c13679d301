"""FLOP (Wienöbst, Henckel & Weichwald 2025) by its authors' package, for ../flop.json.

`lambda_bic` counts half log n: with two columns whose regression gains G nats the edge is kept while
`lambda_bic * log(n) / 2 < G` (found by bisection, to 12 digits, at the head of the output). Their recommended 2.0 is
log n for a coefficient.

    pip install flopsearch==0.3.0 numpy==2.4.6
    python flop.py ../data > ../flop.json
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import flopsearch
import numpy as np

NAMES = [
    "lin_d5_n500", "lin_d8_n500", "lin_d10_n1000", "lin_d15_n500", "lin_d20_n1000", "lin_mc_d10_n200",
    "lin_sf_d12_n300", "agp_d10_n500", "sin_mc_d20_n500",
]
RESTARTS = 50


def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def largest_lambda(n, gain):
    """The largest `lambda_bic` at which two columns whose regression gains `gain` nats keep their edge."""
    rng = np.random.default_rng(0)
    q, _ = np.linalg.qr(rng.standard_normal((n, 2)) - 0.5)
    q = q - q.mean(axis=0)
    q, _ = np.linalg.qr(q)
    r2 = 1 - np.exp(-2 * gain / n)
    x = np.sqrt(n) * np.column_stack([q[:, 0], np.sqrt(r2) * q[:, 0] + np.sqrt(1 - r2) * q[:, 1]])
    low, high = 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        if flopsearch.flop(x, middle, restarts=1).any():
            low = middle
        else:
            high = middle
    return low


def main(folder):
    calibration = [
        {"n": n, "gain": gain, "largest_lambda": largest_lambda(n, gain)} for n in (200, 1000) for gain in (3.0, 8.0)
    ]
    graphs = []
    for name in NAMES:
        x = np.loadtxt(Path(folder) / f"{name}.csv", delimiter=",", skiprows=1)
        for penalty in (1.0, 2.0):
            adjacency = flopsearch.flop(standardised(x), penalty, restarts=RESTARTS)
            directed = [[int(i), int(j)] for i, j in np.argwhere(adjacency == 1)]
            undirected = [[int(i), int(j)] for i, j in np.argwhere(adjacency == 2) if i < j]
            graphs.append({"data": name, "lambda_bic": penalty, "directed": directed, "undirected": undirected})
    versions = {name: version(name) for name in ("flopsearch", "numpy")}
    print(json.dumps({"versions": versions, "restarts": RESTARTS, "calibration": calibration, "results": graphs}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
