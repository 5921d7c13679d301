"""Times the learners that other Python packages share with npvar, through each package's own Python call on the same arrays.

    python benchmarks/python_api.py --out python_api        # python_api.md, and python_api.svg with Matplotlib

Packages that are not installed are left out and named: causal-learn, gcastle, lingam, dodiscover. One that lives in another
environment is given as `--interpreter castle=/path/to/python`. Every learner of a package has a process of its own, so that
imports and thread settings do not mix; a call on a corner of the data warms up, and the time is the CPU time of a call (other
programs on the machine have little part in it), the best of --repeats. --limit is for the whole process.
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

# What packages are called, and how they are drawn: colours that colour-blind readers tell apart, and shapes for black and white.
NAMES = {"causallearn": "causal-learn", "castle": "gcastle"}
STYLES = {
    "npvar": ("#0072b2", "o", "-"),
    "causallearn": ("#d55e00", "s", "--"),
    "castle": ("#009e73", "^", "-."),
    "lingam": ("#cc79a7", "D", ":"),
    "dodiscover": ("#000000", "v", (0, (5, 1, 1, 1))),
}

# What people really hand over.
BAD = {
    "a missing value": "X[3, 1] = numpy.nan",
    "an infinite value": "X[3, 1] = numpy.inf",
    "a constant column": "X[:, 1] = 2.0",
    "a column twice": "X[:, 1] = X[:, 0]",
    "fewer rows than columns": "X = X[:4]",
}

RUN = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy
THREADS = {threads}
{code}
def told(name, work):
    start = time.process_time()
    try:
        work()
        said = "an answer"
    except Exception as error:
        said = f"{{type(error).__name__}}: {{error}}".splitlines()[0][:90]
    print("\\nRESULT" + json.dumps([name, time.process_time() - start, said]), flush=True)
small = numpy.load({paths!r}[0])
call(small[:100, :3])
for path in {paths!r}:
    X = numpy.load(path)
    for _ in range({repeats}):
        told(path, lambda: call(X))
for name, change in {bad!r}.items():
    names = dict(X=small.copy(), numpy=numpy)
    exec(change, names)
    told(name, lambda: call(names["X"]))
"""


def run(package: str, code: str, paths: list[str], arguments: argparse.Namespace) -> dict[str, list[tuple[float, str]]]:
    """For every file and every bad input: CPU seconds, and what came of it."""
    environment = {**os.environ, **{f"{name}_NUM_THREADS": str(arguments.threads) for name in ("OMP", "OPENBLAS", "MKL")}}
    program = RUN.format(code=code, paths=paths, bad=BAD, threads=arguments.threads, repeats=arguments.repeats)
    interpreter = arguments.interpreters.get(package, sys.executable)
    try:
        done = subprocess.run(
            [interpreter, "-c", program], capture_output=True, text=True, timeout=arguments.limit, env=environment, check=False
        )
        printed = done.stdout
        if done.returncode != 0:
            print(done.stderr, file=sys.stderr)
    except subprocess.TimeoutExpired as late:
        printed = (late.stdout or b"").decode()
    found: dict[str, list[tuple[float, str]]] = {}
    for line in printed.splitlines():
        if line.startswith("RESULT"):
            name, seconds, said = json.loads(line[6:])
            found.setdefault(name, []).append((seconds, said))
    return found


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
    bad: dict[tuple[str, str], dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{d}.npy") for d in nodes]
        for d, path in zip(nodes, paths, strict=True):
            numpy.save(path, npvar.simulate("ER-LIN-1", nodes=d, samples=arguments.samples, seed=1).data.to_numpy())
        for learner, package, code in calls:
            found = run(package, code, paths, arguments)
            late = [(0.0, f"not done in {arguments.limit} s in all")]
            bad[learner, package] = {name: found.get(name, late)[0][1] for name in BAD}
            times[learner, package] = {}
            for d, path in zip(nodes, paths, strict=True):
                seconds = [spent for spent, said in found.get(path, late) if said == "an answer"]
                times[learner, package][d] = min(seconds) if seconds else found.get(path, late)[0][1]
            write(arguments, nodes, times, bad, absent)  # what has been measured is kept
            print(learner, package, times[learner, package], bad[learner, package], flush=True)
    draw(times, nodes, arguments.out + ".svg")


def write(
    arguments: argparse.Namespace,
    nodes: list[int],
    times: dict[tuple[str, str], dict[int, float | str]],
    bad: dict[tuple[str, str], dict[str, str]],
    absent: list[str],
) -> None:
    """Both tables, as Markdown."""
    lines = [f"ER-LIN-1, {arguments.samples} samples, {arguments.threads} thread(s), best of {arguments.repeats}; CPU seconds of the call.", ""]
    lines += ["| learner | package | " + " | ".join(f"d = {d}" for d in nodes) + " |", "|---" * (len(nodes) + 2) + "|"]
    for (learner, package), row in times.items():
        cells = [f"{row[d]:.4g}" if isinstance(row[d], float) else str(row[d]) for d in nodes]
        lines.append(f"| {learner} | {package} | " + " | ".join(cells) + " |")
    lines += ["", "What each does on bad input:", "", "| learner | package | " + " | ".join(BAD) + " |", "|---" * (len(BAD) + 2) + "|"]
    for (learner, package), answers in bad.items():
        lines.append(f"| {learner} | {package} | " + " | ".join(text.replace("|", "/") for text in answers.values()) + " |")
    if absent:
        lines += ["", f"Not installed, so left out: {', '.join(absent)}."]
    with open(arguments.out + ".md", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def draw(times: dict[tuple[str, str], dict[int, float | str]], nodes: list[int], path: str) -> None:
    """Time against the number of nodes, a panel per learner."""
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    packages = {learner: [package for name, package in times if name == learner] for learner, _ in times}
    shared = [learner for learner in packages if len(packages[learner]) > 1]
    rows = -(-len(shared) // 3)
    figure, panels = plt.subplots(rows, 3, figsize=(8, 2.4 * rows + 0.6), squeeze=False, sharex=True, sharey=True)
    for axes, learner in zip(panels.flat, shared, strict=False):
        for package in packages[learner]:
            known = [(d, row[d]) for row in [times[learner, package]] for d in nodes if isinstance(row[d], float)]
            colour, marker, line = STYLES[package]
            if known:
                axes.loglog(*zip(*known, strict=True), color=colour, marker=marker, linestyle=line, label=NAMES.get(package, package))
        axes.set_title(learner, fontsize=10)
        axes.set_xticks(nodes, [str(d) for d in nodes])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    for axes in panels.flat[len(shared):]:
        axes.axis("off")
    for axes in panels[-1]:
        axes.set_xlabel("nodes")
    for row in panels:
        row[0].set_ylabel("CPU seconds")
    found = {label: handle for axes in panels.flat for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(found.values(), found.keys(), loc="upper center", ncol=len(found), frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.4 / figure.get_figheight()))
    figure.savefig(path)


if __name__ == "__main__":
    main()
