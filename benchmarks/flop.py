"""FLOP by its authors' package and `npvar learn --learner best-order --set preset=flop` on the same linear Gaussian data.

    pip install flopsearch==0.3.0 numpy==2.4.6
    cargo build --release
    python benchmarks/flop.py [seeds=10] [nodes=50] [samples=1000] [degree=8] [restarts=20]

Columns are standardised. The class SHD counts the pairs of nodes whose edge differs from that of the true equivalence
class. Seconds are those of the search: of the package's call, and of `timing.order_seconds` + `selection_seconds`.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import flopsearch
import numpy as np

PROGRAM = Path(__file__).resolve().parent.parent / "target/release/npvar"


def drawn(seed, nodes, samples, degree):
    """Weights 0.5 to 1.5 in size with random signs, noise variances 0.5 to 2."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(nodes)
    weights = np.zeros((nodes, nodes))
    pairs = [(i, j) for i in range(nodes) for j in range(i + 1, nodes)]
    for pair in rng.choice(len(pairs), nodes * degree // 2, replace=False):
        i, j = pairs[pair]
        weights[order[i], order[j]] = rng.uniform(0.5, 1.5) * rng.choice([-1, 1])
    noise = rng.standard_normal((samples, nodes)) * np.sqrt(rng.uniform(0.5, 2.0, nodes))
    x = np.zeros((samples, nodes))
    for node in order:
        x[:, node] = x @ weights[:, node] + noise[:, node]
    return weights != 0, (x - x.mean(axis=0)) / x.std(axis=0)


def equivalence_class(dag):
    """1 where an edge is directed in every member of the class, 2 (both ways) where it is not."""
    nodes = len(dag)
    adjacent = dag | dag.T
    directed = np.zeros_like(dag)
    for child in range(nodes):
        parents = np.flatnonzero(dag[:, child])
        for a in parents:
            if any(b != a and not adjacent[a, b] for b in parents):
                directed[a, child] = True
    changed = True
    while changed:
        changed = False
        for a, b in np.argwhere(adjacent & ~directed & ~directed.T):
            into_a = np.flatnonzero(directed[:, a])
            rule1 = any(not adjacent[c, b] for c in into_a)
            rule2 = any(directed[a, c] and directed[c, b] for c in range(nodes))
            chains = [c for c in range(nodes) if adjacent[a, c] and not directed[a, c] and not directed[c, a]]
            chains = [c for c in chains if directed[c, b]]
            rule3 = any(not adjacent[c, e] for c in chains for e in chains if c < e)
            if rule1 or rule2 or rule3:
                directed[a, b] = changed = True
                break
    return np.where(directed, 1, np.where(adjacent & ~directed & ~directed.T, 2, 0))


def shd(one, other):
    differs = (one != other) | (one != other).T
    return int(np.triu(differs).sum())


def ours(x, restarts):
    names = [f"X{j + 1}" for j in range(x.shape[1])]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.csv"
        np.savetxt(file, x, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
        options = ["--learner", "best-order", "--set", "preset=flop", "--set", f"restarts={restarts}", "--seed", "1"]
        printed = subprocess.run([PROGRAM, "learn", file, *options, "--json", "--quiet"], check=True, capture_output=True)
    answer = json.loads(printed.stdout)
    graph = np.zeros((len(names), len(names)), int)
    for edge in answer["edges"]:
        a, b = names.index(edge["from"]), names.index(edge["to"])
        graph[a, b] = 1 if edge["kind"] == "directed" else 2
        if edge["kind"] == "undirected":
            graph[b, a] = 2
    return graph, answer["timing"]["order_seconds"] + answer["timing"]["selection_seconds"]


def main(seeds=10, nodes=50, samples=1000, degree=8, restarts=20):
    print("| seed | flopsearch SHD | seconds | preset=flop SHD | seconds |\n|---|---|---|---|---|")
    rows = []
    for seed in range(seeds):
        dag, x = drawn(seed, nodes, samples, degree)
        truth = equivalence_class(dag)
        begun = time.perf_counter()
        theirs = flopsearch.flop(x, 2.0, restarts=restarts)
        seconds = time.perf_counter() - begun
        graph, our_seconds = ours(x, restarts)
        rows.append((shd(theirs, truth), seconds, shd(graph, truth), our_seconds))
        print("| {} | {} | {:.2f} | {} | {:.2f} |".format(seed, *rows[-1]), flush=True)
    print("| mean | {:.1f} | {:.2f} | {:.1f} | {:.2f} |".format(*np.mean(rows, axis=0)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
