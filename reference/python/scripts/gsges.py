"""The cross-validated kernel score and its search by causal-learn 0.1.3.8, for ../gsges_local_scores.json and
../gsges_graphs.json. Later releases compute another score (see the README), so this needs an environment of its own.

    pip install causal-learn==0.1.3.8 numpy==1.26.4 scipy==1.16.3
    python gsges.py check
"""

import contextlib
import io

import numpy as np
from causallearn.score.LocalScoreFunction import local_score_cv_general
from causallearn.search.ScoreBased.GES import ges

import check

PARAMETERS = {"kfold": 10, "lambda": 0.01}


def number(score):
    return float(np.asarray(score).ravel()[0])


def local_scores(old):
    made = []
    for case in old:
        x = np.asmatrix(check.data(case["data"], case["n_rows"]))
        score = number(local_score_cv_general(x, case["i"], case["parents"], dict(PARAMETERS)))
        # The other two columns are not this release's.
        made.append(case | {"cv_neg_loglik": score})
    return made


def graphs(old):
    made = []
    for case in old["results"]:
        with contextlib.redirect_stdout(io.StringIO()):
            found = ges(check.data(case["data"], case["n_rows"]), "local_score_CV_general")
        lists = check.from_package(found["G"].graph)
        made.append(case | {"directed": lists["directed"], "undirected": lists["undirected"], "score": number(found["score"])})
    return old | {"results": made}


if __name__ == "__main__":
    makers = {"gsges_local_scores": local_scores, "gsges_graphs": graphs}
    check.main(makers, ["causal-learn", "numpy", "scipy"], 1e-9)
