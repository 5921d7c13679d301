"""DAS and NoGAM (Montagna et al. 2023) with dodiscover, and CaPS (Xu et al. 2024), for ../score_family.json.

dodiscover is no package of PyPI; its `toporder` folder is imported from a checkout of git 6e64456, without the rest of the
package. CaPS' functions on parent scores come from a checkout of its repository, git 325a4ff; the derivatives in them are
dodiscover's, which are CaPS' own in double precision (its median distance counts the zeros between a row and itself).

    pip install numpy==2.2.6 scipy==1.13.1 scikit-learn==1.9.1 pygam==0.12.0 networkx pandas
    python score_family.py DODISCOVER CAPS ../data > ../score_family.json
"""

import ast
import json
import sys
import types
from pathlib import Path

import numpy as np
from scipy.stats import ttest_ind

CASES = [
    ("sin_d5_n300", 300), ("agp_d10_n500", 250), ("ngp_d8_n500", 250), ("lin_d8_n500", 250),
    ("lin_sf_d12_n300", 200), ("lingam_uniform_d5_n300", 300),
]


def dodiscover(folder):
    """The `toporder` part alone; nothing here needs a context."""
    package = types.ModuleType("dodiscover")
    package.__path__ = [str(Path(folder) / "dodiscover")]
    context = types.ModuleType("dodiscover.context")
    context.Context = object
    sys.modules |= {"dodiscover": package, "dodiscover.context": context}
    from dodiscover.toporder._base import SteinMixin
    from dodiscover.toporder.nogam import NoGAM

    return SteinMixin(), NoGAM


def caps(folder):
    """The functions on parent scores, without the imports of torch around them."""
    tree = ast.parse((Path(folder) / "utils.py").read_text())
    wanted = {"pre_pruning_with_parents_score", "full_DAG"}
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in wanted]
    names = {"np": np}
    exec(compile(tree, "utils.py", "exec"), names)  # noqa: S102
    return names


def das(stein, x, least=5, most=20, cutoff=0.05):
    """DAS' test, with the derivatives of the step at which a node is the sink, as the paper has it."""
    nodes, steps = list(range(x.shape[1])), []
    while len(nodes) > 1:
        here = x[:, nodes]
        sink = int(stein.hessian_diagonal(here, 0.001, 0.001).var(axis=0).argmin())
        row = stein.hessian(here, eta_G=0.001, eta_H=0.001)[:, sink, :]
        medians = np.abs(np.median(row, axis=0))
        largest = np.argsort(medians)[::-1][: most + 1]
        last = np.abs(row[:, largest[-1]])
        p_values = [ttest_ind(np.abs(row[:, at]), last, alternative="greater", equal_var=False)[1] for at in largest]
        chosen = [
            nodes[at] for place, at in enumerate(largest) if at != sink and (place < least or p_values[place] < cutoff)
        ]
        steps.append({"nodes": nodes[:], "sink": nodes[sink], "medians": medians.tolist(), "candidates": sorted(chosen)})
        nodes.pop(sink)
    return {"order": (nodes + [step["sink"] for step in steps[::-1]]), "steps": steps}


def nogam(make, x):
    """The package's search; columns are centred first, as its regressions have no intercept."""
    model, nodes, steps = make(), list(range(x.shape[1])), []
    x = x - x.mean(axis=0)
    while len(nodes) > 1:
        here = x[:, nodes]
        errors = model._mse(model._estimate_residuals(here), model.score(here, eta_G=model.eta_G))
        sink = int(np.argmin(errors))
        steps.append({"nodes": nodes[:], "sink": nodes[sink], "errors": errors})
        nodes.pop(sink)
    return {"order": (nodes + [step["sink"] for step in steps[::-1]]), "steps": steps}


def caps_case(stein, functions, x, lambda1=50.0):
    means = lambda columns: stein.hessian_diagonal(x[:, columns], 0.001, 0.001).mean(axis=0)  # noqa: E731
    everyone = list(range(x.shape[1]))
    nodes, reverse = everyone[:], []
    while len(nodes) > 1:
        reverse.append(nodes.pop(int(means(nodes).argmax())))
    order = nodes + reverse[::-1]
    full, scores = means(everyone), np.zeros((len(everyone), len(everyone)))
    for child in everyone:
        others = [node for node in everyone if node != child]
        scores[child, others] = np.abs(means(others) - full[others])
    candidates = functions["pre_pruning_with_parents_score"](functions["full_DAG"](order), scores, lambda1)
    return {"order": order, "parent_scores": scores.T.tolist(), "candidates": candidates.tolist()}


def main():
    stein, make = dodiscover(sys.argv[1])
    functions = caps(sys.argv[2])
    results = []
    for name, rows in CASES:
        x = np.loadtxt(Path(sys.argv[3]) / f"{name}.csv", delimiter=",", skiprows=1)[:rows]
        results.append({
            "data": name, "n_rows": rows,
            "das": das(stein, x), "nogam": nogam(make, x), "caps": caps_case(stein, functions, x),
        })  # fmt: skip
    json.dump({"results": results}, sys.stdout)
    print()


main()
