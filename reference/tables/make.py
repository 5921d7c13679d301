"""Copies small real tables out of Python packages, as a person would find or export them. See README.md.

    pip install pandas scikit-learn statsmodels lifelines plotly palmerpenguins vega_datasets linearmodels
    python make.py
"""

import gzip
import json
import shutil
from importlib.resources import files
from pathlib import Path

import pandas as pd
from sklearn import datasets

HERE = Path(__file__).parent / "files"
ROWS = 200


def cut(frame: pd.DataFrame) -> pd.DataFrame:
    """Every k-th row, so that groups stay."""
    step = max(1, len(frame) // ROWS)
    return frame.iloc[::step].iloc[:ROWS]


def keep(name: str, frame: pd.DataFrame, **options) -> None:
    cut(frame).to_csv(HERE / name, **{"index": False, **options})


def lines(name: str, text: str) -> None:
    """The file as it is, but with fewer rows."""
    rows = text.splitlines(keepends=True)
    step = max(1, (len(rows) - 1) // ROWS)
    (HERE / name).write_text("".join(rows[:1] + rows[1::step][:ROWS]), encoding="utf-8")


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    HERE.mkdir()
    for name in ["iris", "diabetes", "wine", "breast_cancer", "linnerud"]:
        frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
        # As `to_csv` writes it when nothing is said: row numbers first.
        keep(f"sklearn_{name}.csv", frame, index=name in ("wine", "linnerud"))
    iris = datasets.load_iris(as_frame=True)
    named = iris.data.assign(species=[iris.target_names[code] for code in iris.target])
    keep("sklearn_iris_named.csv", named, index=True)
    home = files("statsmodels.datasets")
    for folder, name in [
        ("anes96", "anes96"), ("cancer", "cancer"), ("ccard", "ccard"), ("china_smoking", "china_smoking"), ("co2", "co2"),
        ("committee", "committee"), ("copper", "copper"), ("cpunish", "cpunish"), ("danish_data", "data"),
        ("elnino", "elnino"), ("engel", "engel"), ("fair", "fair"), ("fertility", "fertility"), ("grunfeld", "grunfeld"),
        ("heart", "heart"), ("interest_inflation", "E6"), ("longley", "longley"), ("macrodata", "macrodata"),
        ("modechoice", "modechoice"), ("randhie", "randhie"), ("scotland", "scotvote"), ("spector", "spector"),
        ("stackloss", "stackloss"), ("star98", "star98"), ("statecrime", "statecrime"), ("strikes", "strikes"),
    ]:
        source = home / folder / f"{name}.csv"
        lines(f"statsmodels_{folder}.csv", source.read_text(encoding="utf-8", errors="replace"))
    home = files("lifelines.datasets")
    for source in ["ACTG175.csv", "anderson.csv", "canadian_senators.csv", "dd.csv", "gbsg2.csv", "kidney_transplant.csv",
                   "larynx.csv", "lung.csv", "lymphoma.csv", "multicenter_aids_cohort.tsv", "nh4.csv", "recur.csv",
                   "regression.csv", "rossi.csv", "stanford_heart.csv"]:
        lines(f"lifelines_{source}", (home / source).read_text(encoding="utf-8"))
    for name in ["carshare", "election", "experiment", "gapminder", "tips", "wind"]:
        packed = (files("plotly") / "package_data" / "datasets" / f"{name}.csv.gz").read_bytes()
        lines(f"plotly_{name}.csv", gzip.decompress(packed).decode())
    for name in ["penguins.csv", "penguins-raw.csv"]:
        lines(f"palmerpenguins_{name}", (files("palmerpenguins") / "data" / name).read_text(encoding="utf-8"))
    home = files("vega_datasets") / "_data"
    for name in ["seattle-weather.csv", "airports.csv", "iowa-electricity.csv"]:
        lines(f"vega_{name}", (home / name).read_text(encoding="utf-8"))
    for name in ["cars", "barley", "wheat", "driving"]:
        keep(f"vega_{name}.csv", pd.DataFrame(json.loads((home / f"{name}.json").read_text(encoding="utf-8"))))
    for name in ["birthweight", "card", "fringe", "mroz", "munnell", "wage"]:
        frame = pd.read_csv(files("linearmodels.datasets") / name / f"{name}.csv.bz2")
        # As R's `write.table` writes it: names of rows, no name above them, blanks between.
        frame.index = [f"row {i}" for i in range(1, len(frame) + 1)]
        text = cut(frame).to_csv(sep=" ", quoting=2, na_rep="NA", index=True)
        (HERE / f"linearmodels_{name}.txt").write_text(text.replace('"" ', "", 1), encoding="utf-8")


main()
