"""What the scripts that make several files share: their command line, and holding what is made now against what is stored.

    python NAME.py check [FILE ...]         makes the files anew and prints, field by field, the largest difference to the
                                            stored ones; fails where one is beyond the tolerance stated in NAME.py
    python NAME.py make FOLDER [FILE ...]   writes them into a folder of your own

A stored case says what was asked (data, rows, nodes, options); everything else in it is made.
"""

import json
import math
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent.parent


def stored(file):
    return json.loads((FOLDER / f"{file}.json").read_text())


def data(name, rows=None):
    return np.loadtxt(FOLDER / "data" / f"{name}.csv", delimiter=",", skiprows=1)[:rows]


def from_package(graph):
    """An endpoint matrix of causal-learn as lists of edges."""
    ends = np.asarray(graph)
    found = {"directed": [], "undirected": [], "bidirected": []}
    for i in range(len(ends)):
        for j in range(i + 1, len(ends)):
            match (ends[i, j], ends[j, i]):
                case (-1, -1):
                    found["undirected"].append([i, j])
                case (1, 1):
                    found["bidirected"].append([i, j])
                case (-1, 1):
                    found["directed"].append([i, j])
                case (1, -1):
                    found["directed"].append([j, i])
    found["directed"].sort()
    return found


class Differences:
    """By field: how often compared, the largest difference, and the same relative to the larger of 1 and the number."""

    def __init__(self):
        self.fields = {}

    def note(self, field, absolute, relative, where):
        count, largest, ratio, at = self.fields.get(field, (0, 0.0, 0.0, ""))
        at = where if relative > ratio else at
        self.fields[field] = (count + 1, max(largest, absolute), max(ratio, relative), at)

    def hold(self, old, new, field, where):
        if isinstance(old, dict) and isinstance(new, dict):
            for key in old:
                self.hold(old[key], new.get(key), field if where == "" else f"{field}.{key}", where or key)
        elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
            for a, b in zip(old, new):
                self.hold(a, b, field, where)
        elif isinstance(old, float) and isinstance(new, (int, float)):
            same = old == new or (math.isnan(old) and math.isnan(new))
            error = 0.0 if same else abs(old - new)
            self.note(field, error, error / max(1.0, abs(old)), where)
        else:
            error = 0.0 if old == new else math.inf
            self.note(field, error, error, where)

    def report(self, tolerance):
        """Prints them; the number of fields beyond the tolerance."""
        same = [field for field, found in self.fields.items() if found[1] == 0]
        print(f"the same ({sum(self.fields[field][0] for field in same)} values): {', '.join(same)}")
        beyond = 0
        for field, (count, absolute, relative, where) in self.fields.items():
            if absolute > 0:
                wrong = relative > tolerance
                beyond += wrong
                mark = f"  BEYOND {tolerance}" if wrong else ""
                print(f"{field:<45} {count:>6} times, largest difference {absolute:.2g}, relative {relative:.2g} ({where}){mark}")
        return beyond


def main(makers, packages, tolerance):
    """makers: file -> function of the stored file that returns it made anew."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] not in ("check", "make"):
        sys.exit("usage: python NAME.py check [FILE ...] | make FOLDER [FILE ...]")
    named = arguments[2 if arguments[0] == "make" else 1 :]
    print(", ".join(f"{name} {version(name)}" for name in packages), f"on Python {sys.version.split()[0]}", file=sys.stderr)
    beyond = 0
    for file in named or makers:
        old = stored(file)
        new = json.loads(json.dumps(makers[file](old)))
        if arguments[0] == "make":
            Path(arguments[1]).mkdir(parents=True, exist_ok=True)
            (Path(arguments[1]) / f"{file}.json").write_text(json.dumps(new))
        else:
            print(f"{file}.json: {len(old)} cases")
            found = Differences()
            found.hold(old, new, file, "" if isinstance(old, dict) else "list")
            beyond += found.report(tolerance)
    if beyond:
        sys.exit(f"{beyond} fields differ by more than {tolerance}")
