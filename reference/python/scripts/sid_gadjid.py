"""Structural intervention distances by gadjid, for sid_gadjid.json: python sid_gadjid.py > ../sid_gadjid.json

Pairs of random DAGs: independent ones, and a DAG beside itself with a few edges turned, dropped or added. gadjid's `sid`
takes adjacency matrices whose rows point to columns when told so, and returns a share of all pairs and a count.
"""

import importlib.metadata
import json

import gadjid
import numpy as np


def random_dag(rng, d, share):
    order = rng.permutation(d)
    place = np.argsort(order)
    return ((rng.random((d, d)) < share) & (place[:, None] < place[None, :])).astype(np.int8)


def changed(rng, dag):
    """A few edges turned, dropped or added; tried again until there is no cycle."""
    d = len(dag)
    while True:
        other = dag.copy()
        for _ in range(int(rng.integers(1, 4))):
            i, j = rng.choice(d, 2, replace=False)
            kind = rng.integers(3)
            if kind == 0 and other[i, j]:
                other[i, j], other[j, i] = 0, 1
            elif kind == 1:
                other[i, j] = 0
            elif not other[j, i]:
                other[i, j] = 1
        power = np.eye(d)
        for _ in range(d):
            power = np.minimum(power @ other, 1)
        if not power.any():
            return other


def edges(dag):
    return [[int(i), int(j)] for i, j in np.argwhere(dag)]


rng = np.random.default_rng(20)
results = []
for case in range(200):
    d = int(rng.integers(2, 13))
    truth = random_dag(rng, d, rng.choice([0.2, 0.5, 0.8]))
    estimate = changed(rng, truth) if case % 2 else random_dag(rng, d, rng.choice([0.2, 0.5, 0.8]))
    _, count = gadjid.sid(truth, estimate, edge_direction="from row to column")
    results.append({"d": d, "truth": edges(truth), "estimate": edges(estimate), "sid": count})
versions = {name: importlib.metadata.version(name) for name in ("gadjid", "numpy")}
lines = ",\n".join(json.dumps(result) for result in results)
print(f'{{"versions": {json.dumps(versions)}, "results": [\n{lines}\n]}}')
