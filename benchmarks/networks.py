"""Tables from published Bayesian networks, and from Sachs et al. (2005), with what `npvar` makes of them.

    pip download --no-deps pgmpy==1.0.0          # its wheel holds bnlearn's networks: 24 discrete, 4 Gaussian
    cargo build --release
    python benchmarks/networks.py pgmpy-1.0.0-py3-none-any.whl [networks=asia,cancer] [samples=1000] [seeds=3] [limit=60]
    python benchmarks/networks.py pgmpy-1.0.0-py3-none-any.whl sachs=sachs.2005.continuous.txt [rows=all] [limit=60]
    python benchmarks/networks.py pairs=FOLDER [rows=500] [limit=60]          # the Tübingen pairs

Rows are drawn along the network with a generator of the seed's own; states are written as numbers. A learner that has not
ended after `limit` seconds is a dash. Prints a Markdown table: mean and standard error over the seeds of

  class    pairs of columns that the class of the answer and that of the network join differently
  skeleton precision and recall of the adjacencies
  seconds  of learning, one thread, without reading

`sachs` reads the first 853 rows of the pooled table (the observational ones) or all, as they are and as log(1 + x), and
compares with the 17 edges of bnlearn's network and, for the distance that papers print, with its DAG.

`pairs` lets `npvar compare` look at `rows` rows, drawn at random, of every pair of single columns, and counts what each of
its learners and the chosen one say of the direction, with the weights of `pairmeta.txt`.
"""

import csv
import gzip
import itertools
import json
import re
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

PROGRAM = Path(__file__).resolve().parent.parent / "target/release/npvar"
DISCRETE = (
    ("pc χ²", "--learner pc --set test=chi-square --set max-depth=3"),
    ("fci χ²", "--learner fci --set test=chi-square --set max-depth=3"),
    ("ges BDeu", "--learner ges --set score=bdeu"),
)
GAUSSIAN = (
    ("pc", "--learner pc"),
    ("ges", "--learner ges"),
    ("best-order linear", "--learner best-order --set score=linear --set noise=own --set restarts=2"),
)
REAL = (
    "npvar", "eqvar", "cam", "best-order", "resit", "score", "das", "nogam", "caps", "direct-lingam", "notears", "gds",
    "var-sort-regress", "r2-sort-regress", "pc", "ges",
)  # fmt: skip
OBSERVATIONAL = 853


class Network:
    """A DAG with a law for every node: `parents[node]`, and a function from the columns drawn so far to one more."""

    def __init__(self, parents, law):
        self.parents, self.law = parents, law

    def drawn(self, samples, seed):
        rng = np.random.default_rng(seed)
        columns = {}
        while len(columns) < len(self.parents):
            for node, parents in self.parents.items():
                if node not in columns and all(parent in columns for parent in parents):
                    columns[node] = self.law(node, columns, samples, rng)
        return {node: columns[node] for node in self.parents}


def discrete(text):
    """A network in the Bayesian interchange format."""
    states = {
        name: [state.strip() for state in body.split(",")]
        for name, body in re.findall(r"variable (\S+) \{\s*type discrete \[ \d+ \] \{ (.*?) \};", text)
    }
    parents, tables = {}, {}
    for head, body in re.findall(r"probability \( (.*?) \) \{(.*?)\n\}", text, re.DOTALL):
        node, _, given = head.partition(" | ")
        parents[node] = given.split(", ") if given else []
        rows = {}
        for row in filter(None, (line.strip() for line in body.split("\n"))):
            found = re.fullmatch(r"(?:table|\((.*?)\)) ([^()]*);", row)
            numbers = np.array([float(number) for number in found[2].split(",")])
            rows[tuple(found[1].split(", ")) if found[1] else ()] = np.cumsum(numbers / numbers.sum())
        ways = itertools.product(*(states[parent] for parent in parents[node]))
        tables[node] = np.array([rows[way] for way in ways])

    def law(node, columns, samples, rng):
        way = np.zeros(samples, dtype=int)
        for parent in parents[node]:
            way = way * len(states[parent]) + columns[parent]
        above = rng.random(samples)[:, None] > tables[node][way]
        return np.minimum(above.sum(axis=1), len(states[node]) - 1)

    return Network({node: parents[node] for node in states}, law)


def gaussian(text):
    """A linear Gaussian network as that package stores it."""
    laws = json.loads(text)["cpds"]

    def law(node, columns, samples, rng):
        coefficients = {name: value[0] for name, value in laws[node]["coefficients"].items()}
        mean = coefficients.pop("(Intercept)", 0.0)
        mean = mean + sum(weight * columns[parent] for parent, weight in coefficients.items())
        return mean + np.sqrt(laws[node]["variance"][0]) * rng.normal(size=samples)

    return Network({node: law["parents"] for node, law in laws.items()}, law)


def networks(wheel):
    """Every network of the wheel, smallest file first."""
    with zipfile.ZipFile(wheel) as files:
        inside = [file for file in files.infolist() if "example_models/" in file.filename]
        for file in sorted(inside, key=lambda file: file.file_size):
            name = Path(file.filename).name.split(".")[0]
            if file.filename.endswith(".bif.gz"):
                yield name, True, lambda file=file: discrete(gzip.decompress(files.read(file)).decode())
            elif file.filename.endswith(".json"):
                yield name, False, lambda file=file: gaussian(files.read(file).decode())


def write(folder, columns, parents):
    """`data.csv` and `truth.csv`, which `npvar` reads."""
    with open(folder / "data.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(columns)
        table.writerows(zip(*([f"{value:.9g}" for value in column] for column in columns.values()), strict=True))
    with open(folder / "truth.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(columns)
        table.writerows([int(node in parents[child]) for child in columns] for node in columns)


def learned(folder, options, limit):
    """The evaluation of an answer and its seconds, or nothing where it did not end in time or was refused."""
    command = [PROGRAM, "learn", "data.csv", "--threads", "1", "--seed", "1", "-o", "graph.json", "--json", *options.split()]
    try:
        answer = subprocess.run(command, cwd=folder, capture_output=True, timeout=limit, text=True)
    except subprocess.TimeoutExpired:
        return None
    if answer.returncode != 0:
        print(answer.stderr.strip().splitlines()[0], file=sys.stderr)
        return None
    timing = json.loads(answer.stdout)["timing"]
    command = [PROGRAM, "evaluate", "graph.json", "--truth", "truth.csv", "--json"]
    found = json.loads(subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True).stdout)
    return found, timing["total_seconds"] - timing["read_seconds"]


def mean(values, digits=1):
    """With the standard error; a dash where a value is missing."""
    if not values or any(value is None for value in values):
        return "–"
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.{digits}f} ± {error:.{digits}f}"


def measured(folder, name, network, learners, samples, seeds, limit):
    runs = {learner: [] for learner, _ in learners}
    for seed in range(1, seeds + 1):
        columns = network.drawn(samples, seed)
        varying = {node: column for node, column in columns.items() if np.ptp(column) > 0}
        write(folder, columns, network.parents)
        for learner, options in learners:
            print(f"{name}, seed {seed}: {learner}, {len(varying)} of {len(columns)} columns vary", file=sys.stderr)
            runs[learner].append(learned(folder, options, limit))
    edges = sum(map(len, network.parents.values()))
    for learner, found in runs.items():
        done = found if all(found) else []
        row = [
            mean([run[0]["class_shd"] for run in done]),
            mean([run[0]["skeleton"]["precision"] for run in done], 2),
            mean([run[0]["skeleton"]["recall"] for run in done], 2),
            mean([run[1] for run in done], 2),
        ]
        print(f"| {name} | {len(columns)} | {edges} | {learner} | {' | '.join(row)} |", flush=True)


def weighted(answers):
    """The weighted share of ones, with its standard error."""
    values, weights = (np.array(column, dtype=float) for column in zip(*answers, strict=True))
    share = np.average(values, weights=weights)
    error = np.sqrt(np.sum((weights * (values - share)) ** 2)) / weights.sum()
    return f"{100 * share:.0f} ± {100 * error:.0f} %"


def pairs(folder, source, rows, limit):
    found = {}
    for line in (source / "pairmeta.txt").read_text().splitlines():
        number, *cause_and_effect, weight = line.split()
        first, last, effect, effect_last = map(int, cause_and_effect)
        if (first, effect) != (last, effect_last) or float(weight) == 0:
            continue
        table = np.loadtxt(source / f"pair.{int(number)}.txt", skiprows=1, usecols=(first - 1, effect - 1))
        drawn = np.random.default_rng(int(number)).permutation(len(table))[:rows]
        swapped = int(number) % 2 > 0
        columns = {"a": table[drawn, int(swapped)], "b": table[drawn, int(not swapped)]}
        cause = "b" if swapped else "a"
        write(folder, columns, {"a": [], "b": []})
        command = [PROGRAM, "compare", "data.csv", "--threads", "1", "--seed", "1", "--budget", str(int(limit)), "--json"]
        answer = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if answer.returncode != 0:
            print(f"pair {number}: {answer.stderr.strip().splitlines()[0]}", file=sys.stderr)
            continue
        answer = json.loads(answer.stdout)
        for learner in answer["learners"]:
            edges = learner.get("edges")
            says = None
            if edges and edges[0].get("kind", "directed") == "directed":
                says = edges[0]["from"] == cause
            names = [learner["name"]] + ["the chosen one"] * (learner["name"] == answer.get("chosen"))
            for name in names:
                found.setdefault(name, []).append((says, float(weight)))
    print("| learner | pairs | directed | right, of these |\n|---|--:|--:|--:|")
    for name, answers in found.items():
        decided = [(says, weight) for says, weight in answers if says is not None]
        share = weighted([(says is not None, weight) for says, weight in answers])
        print(f"| {name} | {len(answers)} | {share} | {weighted(decided) if decided else '–'} |", flush=True)


def sachs(folder, network, path, observations, limit):
    with open(path) as file:
        rows = [line.split() for line in file if line.strip()]
    names = {name.lower(): name for name in network.parents} | {"plc": "Plcg"}
    header = [names[name.lower()] for name in rows[0]]
    values = np.array(rows[1:], dtype=float)[:observations]
    print("| learner | columns | edges | SHD | turned, of these | skeleton precision | recall | class |\n|---|---|--:|--:|--:|--:|--:|--:|")
    for scale, table in (("as they are", values), ("log(1 + x)", np.log1p(values))):
        write(folder, dict(zip(header, table.T, strict=True)), network.parents)
        for learner in REAL:
            run = learned(folder, f"--learner {learner}", limit)
            if run is None:
                print(f"| `{learner}` | {scale} | – | – | – | – | – | – |", flush=True)
                continue
            found = run[0]
            right, joined = (round(found[of]["recall"] * found["true_edges"]) for of in ("directed", "skeleton"))
            cells = [found["estimated_edges"], found["shd"], joined - right]
            cells += [f"{found['skeleton'][share]:.2f}" for share in ("precision", "recall")]
            cells += ["–" if found["class_shd"] is None else found["class_shd"]]
            print(f"| `{learner}` | {scale} | {' | '.join(map(str, cells))} |", flush=True)


def main():
    given = dict(argument.split("=", 1) for argument in sys.argv[1:] if "=" in argument)
    wheel = sys.argv[1]
    limit = float(given.pop("limit", 60))
    chosen = given.pop("networks", None)
    with tempfile.TemporaryDirectory() as folder:
        if "pairs" in given:
            return pairs(Path(folder), Path(given["pairs"]), int(given.get("rows", 500)), limit)
        if "sachs" in given:
            network = next(load() for name, _, load in networks(wheel) if name == "sachs")
            observations = None if given.get("rows") == "all" else OBSERVATIONAL
            return sachs(Path(folder), network, given["sachs"], observations, limit)
        samples, seeds = int(given.pop("samples", 1000)), int(given.pop("seeds", 3))
        print("| network | columns | edges | learner | class | skeleton precision | recall | seconds |\n|---|--:|--:|---|--:|--:|--:|--:|")
        for name, is_discrete, load in networks(wheel):
            if chosen is None or name in chosen.split(","):
                learners = DISCRETE if is_discrete else GAUSSIAN
                measured(Path(folder), name, load(), learners, samples, seeds, limit)


if __name__ == "__main__":
    main()
