"""Times the learners that other Python packages share with npvar, through each package's own Python call on the same arrays.

    python benchmarks/python_api.py --out python_api        # python_api.md, and python_api.svg with Matplotlib

Packages that are not installed are left out and named: causal-learn, gcastle, lingam, dodiscover. One that lives in another
environment is given as `--interpreter castle=/path/to/python`. Every run is a process of its own, so that imports and
thread settings do not mix; a call on a corner of the data warms up, and the time is the CPU time of the second call alone
(other programs on the machine have little part in it), the best of --repeats.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

# learner, package, code that defines `call(X)` for a float64 array X
CALLS = [
    ("pc", "npvar", "import npvar\ndef call(X): npvar.learn(X, 'pc', threads=THREADS, seed=1)"),
    ("pc", "causallearn", "from causallearn.search.ConstraintBased.PC import pc\n"
                          "def call(X): pc(X, 0.01, 'fisherz', show_progress=False)"),
    ("pc", "castle", "from castle.algorithms import PC\ndef call(X): PC(alpha=0.01).learn(X)"),
    ("pc", "dodiscover", "import pandas\nfrom dodiscover import make_context\nfrom dodiscover.ci import FisherZCITest\n"
                         "from dodiscover.constraint import PC\n"
                         "def call(X):\n    f = pandas.DataFrame(X); f.columns = [f'X{j}' for j in f.columns]\n"
                         "    PC(FisherZCITest(), alpha=0.01).learn_graph(f, make_context().variables(data=f).build())"),
    ("ges", "npvar", "import npvar\ndef call(X): npvar.learn(X, 'ges', threads=THREADS, seed=1)"),
    ("ges", "causallearn", "from causallearn.search.ScoreBased.GES import ges\n"
                           "def call(X): ges(X, 'local_score_BIC')"),
    ("ges", "castle", "from castle.algorithms import GES\ndef call(X): GES(criterion='bic').learn(X)"),
    ("notears", "npvar", "import npvar\ndef call(X): npvar.learn(X, 'notears', threads=THREADS, seed=1)"),
    ("notears", "castle", "from castle.algorithms import Notears\ndef call(X): Notears(lambda1=0.1).learn(X)"),
    ("resit", "npvar", "import npvar\ndef call(X): npvar.learn(X, 'resit', threads=THREADS, seed=1)"),
    ("resit", "lingam", "import lingam\nfrom sklearn.ensemble import RandomForestRegressor\n"
                        "def call(X): lingam.RESIT(RandomForestRegressor(max_depth=4)).fit(X)"),
    ("score", "npvar", "import npvar\ndef call(X): npvar.learn(X, 'score', threads=THREADS, seed=1)"),
    ("score", "dodiscover", "import pandas\nfrom dodiscover import make_context\nfrom dodiscover.toporder import SCORE\n"
                            "def call(X):\n    f = pandas.DataFrame(X); f.columns = [f'X{j}' for j in f.columns]\n"
                            "    SCORE().learn_graph(f, make_context().variables(data=f).build())"),
    ("cam", "npvar", "import npvar\ndef call(X): npvar.learn(X, 'cam', threads=THREADS, seed=1)"),
    ("cam", "dodiscover", "import pandas\nfrom dodiscover import make_context\nfrom dodiscover.toporder import CAM\n"
                          "def call(X):\n    f = pandas.DataFrame(X); f.columns = [f'X{j}' for j in f.columns]\n"
                          "    CAM(alpha=0.001).learn_graph(f, make_context().variables(data=f).build())"),
    ("npvar", "npvar", "import npvar\ndef call(X): npvar.learn(X, threads=THREADS, seed=1)"),
]  # fmt: skip

# What people really hand over.
BAD = {
    "a missing value": "X[3, 1] = numpy.nan",
    "an infinite value": "X[3, 1] = numpy.inf",
    "a constant column": "X[:, 1] = 2.0",
    "a column twice": "X[:, 1] = X[:, 0]",
    "fewer rows than columns": "X = X[:4]",
}

RUN = """
import json, time, warnings
warnings.simplefilter("ignore")
import numpy
THREADS = {threads}
{code}
X = numpy.load({path!r})
if not {change!r}:
    call(X[:100, :3])
{change}
start = time.process_time()
try:
    call(X)
    said = "an answer"
except Exception as error:
    said = f"{{type(error).__name__}}: {{error}}".splitlines()[0][:90]
print("\\nRESULT" + json.dumps([time.process_time() - start, said]))
"""


def run(package: str, code: str, path: str, change: str, arguments: argparse.Namespace) -> tuple[float | None, str]:
    """Seconds, and what came of it."""
    environment = {**os.environ, **{f"{name}_NUM_THREADS": str(arguments.threads) for name in ("OMP", "OPENBLAS", "MKL")}}
    program = RUN.format(code=code, path=path, change=change, threads=arguments.threads)
    try:
        done = subprocess.run(
            [arguments.interpreters.get(package, sys.executable), "-c", program], capture_output=True, text=True, timeout=arguments.limit, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return None, f"not done in {arguments.limit} s"
    for line in done.stdout.splitlines():
        if line.startswith("RESULT"):
            seconds, said = json.loads(line[6:])
            return seconds, said
    return None, (done.stderr.strip().splitlines() or ["it ended without a word"])[-1][:90]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", default="5,10,20,40")
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--out", default="python_api")
    parser.add_argument("--only", help="learners, with commas between them")
    parser.add_argument("--interpreter", action="append", default=[], metavar="PACKAGE=PYTHON")
    arguments = parser.parse_args()
    arguments.interpreters = dict(pair.split("=", 1) for pair in arguments.interpreter)

    import importlib.util
    import tempfile

    import numpy
    import npvar

    elsewhere = arguments.interpreters
    absent = sorted({p for _, p, _ in CALLS if p not in elsewhere and importlib.util.find_spec(p) is None})
    wanted = arguments.only.split(",") if arguments.only else sorted({learner for learner, _, _ in CALLS})
    calls = [call for call in CALLS if call[1] not in absent and call[0] in wanted]
    nodes = [int(d) for d in arguments.nodes.split(",")]
    times: dict[tuple[str, str], dict[int, float | str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for d in nodes:
            path = os.path.join(folder, f"{d}.npy")
            numpy.save(path, npvar.simulate("ER-LIN-1", nodes=d, samples=arguments.samples, seed=1).data.to_numpy())
            for learner, package, code in calls:
                before = times.setdefault((learner, package), {})
                if any(isinstance(seen, str) for seen in before.values()):
                    before[d] = "–"  # it did not manage fewer nodes
                    continue
                found = [run(package, code, path, "", arguments)]
                if found[0][0] is not None and found[0][0] < arguments.limit / 10:
                    found += [run(package, code, path, "", arguments) for _ in range(arguments.repeats - 1)]
                best = min((seconds for seconds, said in found if seconds is not None and said == "an answer"), default=None)
                before[d] = best if best is not None else found[0][1]
                print(learner, package, d, before[d], flush=True)
        path = os.path.join(folder, f"{nodes[0]}.npy")
        bad = {(l, p): {name: run(p, code, path, change, arguments)[1] for name, change in BAD.items()} for l, p, code in calls}

    lines = [f"ER-LIN-1, {arguments.samples} samples, {arguments.threads} thread(s), best of {arguments.repeats}; CPU seconds of the call.", ""]
    lines += ["| learner | package | " + " | ".join(f"d = {d}" for d in nodes) + " |", "|---" * (len(nodes) + 2) + "|"]
    for (learner, package), row in times.items():
        cells = [f"{row[d]:.4g}" if isinstance(row[d], float) else str(row[d]) for d in nodes]
        lines.append(f"| {learner} | {package} | " + " | ".join(cells) + " |")
    lines += ["", "What each does on bad input:", "", "| learner | package | " + " | ".join(BAD) + " |", "|---" * (len(BAD) + 2) + "|"]
    for (learner, package), row in bad.items():
        lines.append(f"| {learner} | {package} | " + " | ".join(text.replace("|", "/") for text in row.values()) + " |")
    if absent:
        lines += ["", f"Not installed, so left out: {', '.join(absent)}."]
    with open(arguments.out + ".md", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    draw(times, nodes, arguments.out + ".svg")


def draw(times: dict[tuple[str, str], dict[int, float | str]], nodes: list[int], path: str) -> None:
    """Time against the number of nodes, a panel per learner."""
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    learners = sorted({learner for learner, _ in times})
    _, panels = plt.subplots(1, len(learners), figsize=(3 * len(learners), 3), squeeze=False, sharey=True)
    for axes, learner in zip(panels[0], learners, strict=True):
        for (name, package), row in times.items():
            known = [(d, row[d]) for d in nodes if isinstance(row[d], float)]
            if name == learner and known:
                axes.loglog(*zip(*known, strict=True), marker="o", label=package)
        axes.set_title(learner)
        axes.set_xlabel("nodes")
        axes.legend(fontsize=7)
    panels[0][0].set_ylabel("CPU seconds")
    plt.tight_layout()
    plt.savefig(path)


if __name__ == "__main__":
    main()
