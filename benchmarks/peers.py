"""Public Python implementations: the peers that `cargo xtask compare-peers` measures against.

Usage: python peers.py PEER DATA.csv           learn with one peer from a comma-separated file with a header
       python peers.py score-bic DATA.csv      score graphs read from standard input (see `main`)
       python peers.py score-cv DATA.csv

Prints one JSON object on one line. Nodes are column positions from 0:
  peer, version              what ran
  seconds, cpu_seconds       of the learning call; importing, reading the file, one call on a corner of the data to warm
                             up, and printing are outside the clock
  directed, undirected       edges as pairs; an undirected (or bidirected) one with the smaller node first
  bidirected, partially_directed (o->), undetermined (o-o), partially_undirected (o--)
  order                      sources first, where the peer has one
  objective                  the value the peer minimises, where it has one
A peer that cannot be imported prints {"peer": ..., "missing": "why"}.

The options of every call stand in this file. They are those of the reference outputs in reference/python/README.md.
"""

import json
import sys
import time
import warnings
from importlib.metadata import version

import numpy as np

PEERS = {}


def peer(name):
    """Registers a function that imports its package and returns (version, learn); `learn(X)` is what the clock sees."""

    def register(prepare):
        PEERS[name] = prepare
        return prepare

    return register


# --- PC and GES -------------------------------------------------------------------------------------------------------


@peer("pc-causal-learn")
def pc_causal_learn():
    from causallearn.search.ConstraintBased.PC import pc

    def learn(X):
        return causal_learn_edges(pc(X, 0.01, "fisherz", stable=True, show_progress=False).G.graph)

    return package("causal-learn"), learn


@peer("fci-causal-learn")
def fci_causal_learn():
    import contextlib
    import io

    from causallearn.search.ConstraintBased.FCI import fci

    def learn(X):
        with contextlib.redirect_stdout(io.StringIO()):
            return causal_learn_edges(fci(X, "fisherz", 0.01, show_progress=False)[0].graph)

    return package("causal-learn"), learn


@peer("ges-causal-learn")
def ges_causal_learn():
    """The score is computed from the covariance in this release; 0.5 log n for each parameter."""
    from causallearn.search.ScoreBased.GES import ges

    return package("causal-learn"), lambda X: causal_learn_edges(ges(X, "local_score_BIC", lambda_value=0.5)["G"].graph)


@peer("ges-pypi")
def ges_pypi():
    """Forward, backward and turning phase: the package's default."""
    import ges

    return package("ges"), lambda X: adjacency_edges(ges.fit_bic(X)[0])


@peer("ges-pypi-two-phases")
def ges_pypi_two_phases():
    import ges

    return package("ges"), lambda X: adjacency_edges(ges.fit_bic(X, phases=["forward", "backward"])[0])


@peer("gsges-causal-learn")
def gsges_causal_learn():
    """Needs causal-learn below 0.1.4: later releases compute this score wrongly."""
    from causallearn.search.ScoreBased.GES import ges

    refuse_wrong_score()
    return package("causal-learn"), lambda X: causal_learn_edges(ges(X, "local_score_CV_general")["G"].graph)


# --- Order-based learners ---------------------------------------------------------------------------------------------


class Cubic:
    """Least squares on x, x² and x³ of every predictor: the cheapest regression that bends."""

    def fit(self, X, y):
        from sklearn.linear_model import LinearRegression

        self.regression = LinearRegression().fit(self.powers(X), y)

    def predict(self, X):
        return self.regression.predict(self.powers(X))

    @staticmethod
    def powers(X):
        return np.hstack([X, X**2, X**3])


class Additive:
    """pygam's additive model, ten cubic splines for every predictor, smoothing parameter 0.6 (its default)."""

    def fit(self, X, y):
        from functools import reduce
        from operator import add

        from pygam import LinearGAM, s

        terms = reduce(add, [s(column, n_splines=10) for column in range(X.shape[1])])
        self.regression = LinearGAM(terms).fit(X, y)

    def predict(self, X):
        return self.regression.predict(X)


def resit_lingam(regressor):
    import lingam

    def learn(X):
        model = lingam.RESIT(regressor=regressor, alpha=0.05).fit(X)
        # Row is child there.
        return {**adjacency_edges(model.adjacency_matrix_.T), "order": whole(model.causal_order_)}

    return package("lingam"), learn


@peer("resit-lingam")
def resit_lingam_additive():
    import pygam  # noqa: F401  (so that a missing package is reported)

    return resit_lingam(Additive())


@peer("resit-lingam-cubic")
def resit_lingam_cubic():
    return resit_lingam(Cubic())


@peer("direct-lingam")
def direct_lingam():
    import lingam

    def learn(X):
        model = lingam.DirectLiNGAM().fit(X)
        # Row is child there.
        return {**adjacency_edges(model.adjacency_matrix_.T), "order": whole(model.causal_order_)}

    return package("lingam"), learn


def dodiscover(model, **options):
    import dodiscover.toporder
    import pandas
    from dodiscover import make_context

    def learn(X):
        data = pandas.DataFrame(X)
        learner = getattr(dodiscover.toporder, model)(alpha=0.001, **options)
        learner.learn_graph(data, make_context().variables(data=data).build())
        edges = [[int(a), int(b)] for a, b in learner.graph_.edges]
        return {**graph(edges), "order": whole(learner.order_)}

    return package("dodiscover"), learn


@peer("score-dodiscover")
def score_dodiscover():
    return dodiscover("SCORE")


@peer("score-dodiscover-order")
def score_dodiscover_order():
    """The order alone, without that package's selection."""
    return dodiscover("SCORE", prune=False)


@peer("das-dodiscover")
def das_dodiscover():
    return dodiscover("DAS")


@peer("nogam-dodiscover-order")
def nogam_dodiscover_order():
    """The order alone; its regressions have no intercept, and `npvar simulate` draws columns of mean zero."""
    return dodiscover("NoGAM", prune=False)


@peer("cam-dodiscover")
def cam_dodiscover():
    return dodiscover("CAM")


# --- NOTEARS ----------------------------------------------------------------------------------------------------------


@peer("notears")
def notears_linear():
    from notears.linear import notears_linear

    def learn(X):
        weights = notears_linear(X, lambda1=0.1, loss_type="l2", w_threshold=0)
        centred = X - X.mean(0)
        loss = np.sum((centred - centred @ weights) ** 2) / (2 * len(X))
        return weighted(weights, loss + 0.1 * np.abs(weights).sum())

    return package("notears"), learn


@peer("notears-mlp")
def notears_mlp():
    """One hidden layer of ten, sigmoid, both penalties 0.01; a fixed seed for torch's start parameters."""
    import torch
    from notears.nonlinear import NotearsMLP, notears_nonlinear, squared_loss

    torch.set_default_dtype(torch.double)

    def learn(X):
        torch.manual_seed(1)
        model = NotearsMLP(dims=[X.shape[1], 10, 1], bias=True)
        weights = notears_nonlinear(model, X, lambda1=0.01, lambda2=0.01, w_threshold=0)
        with torch.no_grad():
            data = torch.from_numpy(X)
            penalties = 0.5 * 0.01 * model.l2_reg() + 0.01 * model.fc1_l1_reg()
            objective = squared_loss(model(data), data) + penalties
        return weighted(weights, float(objective))

    return f"{package('notears')}, {package('torch')}", learn


@peer("notears-gcastle")
def notears_gcastle():
    from castle.algorithms import Notears

    def learn(X):
        model = Notears(lambda1=0.1, w_threshold=0.3)
        model.learn(X)
        return adjacency_edges(np.asarray(model.causal_matrix))

    return package("gcastle"), learn


@peer("notears-mlp-gcastle")
def notears_mlp_gcastle():
    import torch
    from castle.algorithms import NotearsNonlinear

    def learn(X):
        torch.manual_seed(1)
        model = NotearsNonlinear(lambda1=0.01, lambda2=0.01, w_threshold=0.3, hidden_layers=(10, 1))
        model.learn(X)
        return adjacency_edges(np.asarray(model.causal_matrix))

    return f"{package('gcastle')}, {package('torch')}", learn


# --- Graphs -----------------------------------------------------------------------------------------------------------


def graph(directed=(), undirected=(), bidirected=()):
    return {"directed": sorted(directed), "undirected": sorted(undirected), "bidirected": sorted(bidirected)}


def adjacency_edges(matrix):
    """Entry (i, j) not zero: an edge from i to j; both entries: undirected."""
    present = np.asarray(matrix) != 0
    directed = [[int(i), int(j)] for i, j in np.argwhere(present & ~present.T)]
    return graph(directed, [[int(i), int(j)] for i, j in np.argwhere(present & present.T) if i < j])


def causal_learn_edges(marks):
    """There, (i, j) is the mark at i of the edge between i and j: -1 a tail, 1 an arrowhead, 2 a circle."""
    tail, arrow, circle = marks == -1, marks == 1, marks == 2
    pairs = lambda mask: [[int(i), int(j)] for i, j in np.argwhere(mask)]  # noqa: E731
    circled = {
        "partially_directed": pairs(circle & arrow.T),
        "undetermined": pairs(np.triu(circle & circle.T)),
        "partially_undirected": pairs(circle & tail.T),
    }
    return {**graph(pairs(tail & arrow.T), pairs(np.triu(tail & tail.T)), pairs(np.triu(arrow & arrow.T))), **circled}


def weighted(weights, objective):
    return {**adjacency_edges(np.abs(weights) >= 0.3), "objective": float(objective)}


def extension(d, edges):
    """Parents of every node in one DAG of the class that a CPDAG stands for (Dor and Tarsi 1992)."""
    parents = {node: set() for node in range(d)}
    directed, undirected = {tuple(e) for e in edges["directed"]}, {frozenset(e) for e in edges["undirected"]}
    left = set(range(d))

    def neighbours(node):
        return {next(iter(pair - {node})) for pair in undirected if node in pair}

    def adjacent(a, b):
        return (a, b) in directed or (b, a) in directed or frozenset((a, b)) in undirected

    while left:
        for node in sorted(left):
            incoming = {a for a, b in directed if b == node}
            near = neighbours(node)
            clique = all(adjacent(a, b) for a in near for b in (near | incoming) - {a})
            if clique and not any(a == node for a, _ in directed):
                break
        else:
            raise SystemExit("the graph stands for no class of DAGs")
        parents[node] = incoming | near
        directed = {edge for edge in directed if node not in edge}
        undirected = {pair for pair in undirected if node not in pair}
        left.remove(node)
    return [sorted(parents[node]) for node in range(d)]


# --- Scores by one rule for everybody's graphs ------------------------------------------------------------------------


def bic(X):
    """Higher is better: -n/2 (1 + log s²) - (parents + 1) log(n) / 2, s² the residual variance with denominator n."""
    n, centred = len(X), X - X.mean(0)

    def local(node, parents):
        residual = centred[:, node]
        if parents:
            residual = residual - centred[:, parents] @ np.linalg.lstsq(centred[:, parents], residual, rcond=None)[0]
        return -n / 2 * (1 + np.log(residual @ residual / n)) - (len(parents) + 1) * np.log(n) / 2

    return local


def cross_validated(X):
    """Higher is better: causal-learn's 10-fold cross-validated likelihood in an RKHS."""
    from causallearn.score.LocalScoreFunction import local_score_cv_general

    refuse_wrong_score()
    # Lower is better there.
    return lambda node, parents: -float(
        np.squeeze(local_score_cv_general(X, node, parents, {"kfold": 10, "lambda": 0.01}))
    )


SCORES = {"score-bic": bic, "score-cv": cross_validated}


def refuse_wrong_score():
    if tuple(map(int, version("causal-learn").split(".")[:3])) >= (0, 1, 4):
        raise ImportError(f"causal-learn {version('causal-learn')} computes this score wrongly; 0.1.3.8 is right")


# --- The program ------------------------------------------------------------------------------------------------------


def package(name):
    return f"{name} {version(name)}"


def whole(nodes):
    return [int(node) for node in nodes]


def run_peer(name, X):
    version, learn = PEERS[name]()
    # Modules are loaded, and functions compiled, when they are first called.
    learn(X[:100, :3])
    wall, cpu = time.perf_counter(), time.process_time()
    found = learn(X)
    seconds = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    return {"peer": name, "version": version, **seconds, **found}


def run_score(name, X):
    """Standard input holds a JSON list of graphs (`directed`, `undirected`); prints one score for each."""
    local = SCORES[name](X)
    known = {}

    def score(node, parents):
        key = (node, tuple(parents))
        if key not in known:
            known[key] = local(node, parents)
        return known[key]

    graphs = [extension(X.shape[1], edges) for edges in json.load(sys.stdin)]
    return {"scores": [float(sum(score(node, parents) for node, parents in enumerate(dag))) for dag in graphs]}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in {**PEERS, **SCORES}:
        raise SystemExit(f"usage: python peers.py NAME DATA.csv\nNAME is one of {', '.join([*PEERS, *SCORES])}")
    name, file = sys.argv[1:]
    warnings.simplefilter("ignore")
    X = np.loadtxt(file, delimiter=",", skiprows=1, ndmin=2)
    # Some packages print to standard output; that is for our line.
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        result = run_peer(name, X) if name in PEERS else run_score(name, X)
    except ImportError as error:
        result = {"peer": name, "missing": str(error)}
    print(json.dumps(result), file=out)


if __name__ == "__main__":
    main()
