"""Learn causal graphs from data: NPVAR (Gao, Ding & Aragam 2020) and the systems it is compared with.

>>> import npvar
>>> simulated = npvar.simulate("ER-SIN-1", nodes=5, samples=1000, seed=1)
>>> learned = npvar.learn(simulated.data, seed=1)
>>> npvar.evaluate(learned, simulated.truth).nodes
5
"""

from npvar import errors
from npvar._api import (
    Diagnosis,
    EdgeScores,
    Evaluation,
    Simulated,
    diagnose,
    evaluate,
    learn,
    learners,
    simulate,
)
from npvar._compare import Assumption, ComparedEdge, ComparedLearner, Comparison, compare
from npvar._npvar import Table, __version__
from npvar.errors import NpvarError
from npvar.estimators import (
    CAM,
    DAS,
    FCI,
    GDS,
    GES,
    GSGES,
    NOTEARS,
    NOTEARSMLP,
    NPVAR,
    PC,
    RESIT,
    SCORE,
    BestOrder,
    CaPS,
    DirectLiNGAM,
    EqVar,
    NoGAM,
    R2SortRegress,
    StructureLearner,
    VarSortRegress,
)
from npvar.graph import Curve, Diagnostic, Edge, Graph, Learned, Step, Verdict
from npvar.sums import Knots, knots, learn_from_gram, merge, merge_knots, partial_gram

__all__ = [
    "CAM",
    "DAS",
    "FCI",
    "GDS",
    "GES",
    "GSGES",
    "NOTEARS",
    "NOTEARSMLP",
    "NPVAR",
    "PC",
    "RESIT",
    "SCORE",
    "Assumption",
    "BestOrder",
    "CaPS",
    "ComparedEdge",
    "ComparedLearner",
    "Comparison",
    "Curve",
    "Diagnosis",
    "Diagnostic",
    "DirectLiNGAM",
    "Edge",
    "EdgeScores",
    "EqVar",
    "Evaluation",
    "Graph",
    "Knots",
    "Learned",
    "NoGAM",
    "NpvarError",
    "R2SortRegress",
    "Simulated",
    "Step",
    "StructureLearner",
    "Table",
    "VarSortRegress",
    "Verdict",
    "__version__",
    "compare",
    "diagnose",
    "errors",
    "evaluate",
    "knots",
    "learn",
    "learn_from_gram",
    "learners",
    "merge",
    "merge_knots",
    "partial_gram",
    "simulate",
]
