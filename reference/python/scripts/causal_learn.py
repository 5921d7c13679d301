"""PC, GES, tests and scores of causal-learn, for ../pc_fisherz.json, ../pc_discrete.json, ../fisherz_tests.json,
../ges_bic.json, ../dag2cpdag.json and ../kci.json, and ges for ../ges_bic_second_implementation.json.

    pip install causal-learn==0.1.4.8 ges==1.1.1 numpy==2.2.6 scipy==1.13.1
    python causal_learn.py check
"""

import contextlib
import io
import math

import ges as second_ges
import numpy as np
from causallearn.graph.Dag import Dag
from causallearn.graph.GraphNode import GraphNode
from causallearn.score.LocalScoreFunction import local_score_BDeu, local_score_BIC
from causallearn.search.ConstraintBased.PC import pc
from causallearn.search.ScoreBased.GES import ges
from causallearn.utils.cit import CIT
from causallearn.utils.DAG2CPDAG import dag2cpdag
from causallearn.utils.KCI.KCI import KCI_CInd, KCI_UInd

import check


def pc_options(key):
    options = {"alpha": 0.01, "stable": True, "uc_rule": 0, "uc_priority": 2}
    for part in key.split(","):
        name, value = part.split("=")
        options[name] = {"alpha": float, "stable": lambda text: text == "True"}.get(name, int)(value)
    return options


def run_pc(x, test, alpha=0.01, **options):
    return pc(x, alpha, test, show_progress=False, **options).G


def separating_sets(x):
    graph = pc(x, 0.01, "fisherz", stable=True, uc_rule=0, uc_priority=2, show_progress=False)
    found = []
    d = x.shape[1]
    for i in range(d):
        for j in range(i + 1, d):
            sets = graph.sepset[i, j]
            if sets is not None:
                found.append([i, j, [list(map(int, each)) for each in sets]])
    return found


def pc_fisherz(old):
    made = {}
    for name, cases in old.items():
        x = check.data(name)
        made[name] = {
            key: separating_sets(x) if key == "sepsets" else check.from_package(run_pc(x, "fisherz", **pc_options(key)).graph)
            for key in cases
        }
    return made


def pc_discrete(old):
    made = {}
    for name, cases in old.items():
        x = check.data(name)
        made[name] = {}
        for key, test in (("chisq", "chisq"), ("gsq", "gsq")):
            made[name][key] = check.from_package(run_pc(x, test).graph)
            measured = CIT(x, test)
            made[name][f"{key}_pvalues"] = [[a, b, s, float(measured(a, b, s))] for a, b, s, _ in cases[f"{key}_pvalues"]]
        made[name]["bdeu_local_scores"] = [[i, s, float(local_score_BDeu(x, i, s))] for i, s, _ in cases["bdeu_local_scores"]]
    return made


def fisherz_tests(old):
    made = {}
    for name, cases in old.items():
        x = check.data(name)
        measured = CIT(x, "fisherz")
        made[name] = []
        for case in cases:
            a, b, s = case["x"], case["y"], case["S"]
            block = np.linalg.inv(np.corrcoef(x.T)[np.ix_([a, b, *s], [a, b, *s])])
            r = -block[0, 1] / math.sqrt(block[0, 0] * block[1, 1])
            made[name].append(case | {"partial_corr": r, "z": math.atanh(r), "p": float(measured(a, b, s))})
    return made


def number(score):
    return float(np.asarray(score).ravel()[0])


def operators(found):
    return [[int(a), int(b), [int(node) for node in rest]] for a, b, rest in found]


def ges_bic(old):
    made = {}
    for name, cases in old.items():
        x = check.data(name)
        made[name] = {}
        for key, case in cases.items():
            if key == "local_scores_lambda0.5":
                scored = [[i, s, number(local_score_BIC(x, i, s, {"lambda_value": 0.5}))] for i, s, _ in case]
                made[name][key] = scored
                continue
            if key == "BDeu":
                result = ges(x, "local_score_BDeu")
            else:
                result = ges(x, "local_score_BIC", parameters={"lambda_value": float(key.split("=")[1])})
            first, then = operators(result["update1"]), operators(result["update2"])
            made[name][key] = check.from_package(result["G"].graph) | {
                "score": number(result["score"]), "n_forward": len(first), "n_backward": len(then), "update1": first, "update2": then,
            }
    return made


def from_matrix(graph):
    """ges writes an undirected edge as two entries."""
    found = {"directed": [], "undirected": []}
    for i, j in np.argwhere(graph != 0).tolist():
        if graph[j, i] == 0:
            found["directed"].append([i, j])
        elif i < j:
            found["undirected"].append([i, j])
    return found


def ges_bic_second_implementation(old):
    made = {}
    first = check.stored("ges_bic")
    for name in old["results"]:
        graph, score = second_ges.fit_bic(check.data(name))
        found = from_matrix(graph)
        same = all(found[kind] == first[name]["lambda_value=0.5"][kind] for kind in found)
        made[name] = found | {"score": float(score), "agrees_with_causal_learn": same}
    return old | {"results": made}


def classes(old):
    made = []
    for case in old:
        nodes = [GraphNode(f"X{j + 1}") for j in range(case["d"])]
        dag = Dag(nodes)
        for a, b in case["dag"]:
            dag.add_directed_edge(nodes[a], nodes[b])
        made.append(case | {"cpdag": check.from_package(dag2cpdag(dag).graph)})
    return made


def kci(old):
    made = []
    for case in old:
        x = check.data(case["data"], case["n_rows"])
        a, b, s = x[:, [case["x"]]], x[:, [case["y"]]], x[:, case["S"]]
        if case["S"]:
            p, stat = KCI_CInd(use_gp=False, approx=True, est_width=case["est_width"]).compute_pvalue(a, b, s)
            made.append(case | {"stat": number(stat), "p": number(p)})
            continue
        test = KCI_UInd(approx=True, est_width=case["est_width"])
        p, stat = test.compute_pvalue(a, b)
        kernels = test.kernel_matrix(a, b)
        _, *centred = test.HSIC_V_statistic(*kernels)
        shape, scale = test.get_kappa(*centred)
        made.append(case | {"stat": number(stat), "p": number(p), "gamma_shape": number(shape), "gamma_scale": number(scale)})
    return made


MAKERS = {
    "pc_fisherz": pc_fisherz, "pc_discrete": pc_discrete, "fisherz_tests": fisherz_tests, "dag2cpdag": classes, "kci": kci,
    "ges_bic": ges_bic, "ges_bic_second_implementation": ges_bic_second_implementation,
}

if __name__ == "__main__":
    quiet = {name: (lambda old, make=make: silently(make, old)) for name, make in MAKERS.items()}

    def silently(make, old):
        with contextlib.redirect_stdout(io.StringIO()):
            return make(old)

    check.main(quiet, ["causal-learn", "ges", "numpy", "scipy"], 1e-9)
