"""Odd files, and what pandas reads from them when it is told how. See README.md.

    pip install pandas pyarrow openpyxl odfpy
    python odd.py

For every file: its content, what pandas must be told to read it as a person means it (`None`: no program should read it
without asking), and the columns that must come out as numbers. Words become their places in alphabetical order.
"""

import gzip
import io
import json
import shutil
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent / "odd"
N = 24
A = [round(0.5 * (i * 7 % 11) - 1, 2) for i in range(N)]
B = [i * i % 17 + 0.25 for i in range(N)]
C = [i * 5 % 13 for i in range(N)]


def table(sep=",", header="a{0}b{0}c\n", a=A, b=B, c=C, end="\n") -> str:
    rows = [f"{x}{sep}{y}{sep}{z}{end}" for x, y, z in zip(a, b, c)]
    return header.format(sep) + "".join(rows)


def comma(value) -> str:
    return str(value).replace(".", ",")


def put(values, place, *others):
    values = list(values)
    for k, other in enumerate(others):
        values[place + k] = other
    return values


def words(*these):
    return [these[i * 7 % len(these)] for i in range(N)]


ABC = ["a", "b", "c"]
DE = dict(sep=";", decimal=",")
CASES = {
    "plain.csv": (table(), {}, ABC),
    "tabs.tsv": (table("\t"), dict(sep="\t"), ABC),
    "semicolons.csv": (table(";"), dict(sep=";"), ABC),
    "pipes.txt": (table("|"), dict(sep="|"), ABC),
    "blanks.txt": (table("   ", "a b c\n"), dict(sep=r"\s+"), ABC),
    "blanks_before.txt": ("".join("  " + line + "\n" for line in table(" ", "a b c\n").splitlines()), dict(sep=r"\s+"), ABC),
    "comma_blank.csv": (table(", ", "a, b, c\n"), dict(skipinitialspace=True), ABC),
    "windows_lines.csv": (table(end="\r\n").replace("c\n", "c\r\n"), {}, ABC),
    "old_mac_lines.csv": (table(end="\r").replace("c\n", "c\r"), dict(lineterminator="\r"), ABC),
    "blank_lines.csv": (table(end="\n\n"), {}, ABC),
    "no_last_line_end.csv": (table()[:-1], {}, ABC),
    "quoted.csv": (table(",", '"a","b","c"\n', a=[f'"{x}"' for x in A]), {}, ABC),
    "quoted_name_with_comma.csv": (table(",", '"a, in cm",b,c\n'), {}, ["a, in cm", "b", "c"]),
    "name_with_line_break.csv": (table(",", '"a\ncm",b,c\n'), dict(rename={"a\ncm": "a cm"}), ["a cm", "b", "c"]),
    "byte_order_mark.csv": (("\ufeff" + table()).encode(), dict(encoding="utf-8-sig"), ABC),
    "utf16_le.csv": (table(",", "größe,b,c\n").encode("utf-16"), dict(encoding="utf-16"), ["größe", "b", "c"]),
    "utf16_be.csv": (b"\xfe\xff" + table("\t").encode("utf-16-be"), dict(encoding="utf-16", sep="\t"), ABC),
    "latin1.csv": (table(",", "größe,b,c\n").encode("latin-1"), dict(encoding="latin-1"), ["größe", "b", "c"]),
    "windows1252.csv": (table(",", "a,b,preis €\n").encode("cp1252"), dict(encoding="cp1252"), ["a", "b", "preis €"]),
    "decimal_commas.csv": (table(";", a=map(comma, A), b=map(comma, B)), DE, ABC),
    "decimal_commas_tabs.txt": (table("\t", a=map(comma, A), b=map(comma, B)), dict(sep="\t", decimal=","), ABC),
    "decimal_commas_quoted.csv": (table(a=[f'"{comma(x)}"' for x in A], b=[f'"{comma(x)}"' for x in B]), dict(decimal=","), ABC),
    "german_thousands.csv": (table(";", a=["1.234,5"] + list(map(comma, A[1:])), b=map(comma, B)), dict(thousands=".", **DE), ABC),
    "thousands.csv": (table(c=[f'"{1000 * (x + 1) + 7:,}"' for x in C]), dict(thousands=","), ABC),
    "thousands_semicolon.csv": (table(";", c=[f"{1000000 * (x + 1) + 7:,}" for x in C]), dict(sep=";", thousands=","), ABC),
    "three_decimals_or_thousands.csv": (table(";", a=[f"{x + 1},{100 + x}" for x in C], b=C), None, []),
    "points_among_commas.csv": (table(";", a=[f"{x + 1}.{100 + x}" for x in C], b=map(comma, B)), None, []),
    "exponents.csv": (table(a=[f"{x}e-3" for x in A], b=[f"{x:E}" for x in B]), {}, ABC),
    "plus_signs.csv": (table(a=[f"{x:+}" for x in A]), {}, ABC),
    "percent.csv": (table(b=[f"{x}%" for x in B]), dict(strip={"b": "%"}), ABC),
    "percent_sometimes.csv": (table(b=[f"{x}%" if i % 2 else x for i, x in enumerate(B)]), {}, ["a", "c"]),
    "dollars.csv": (table(b=[f'"${1000 * x:,.2f}"' for x in B]), dict(strip={"b": "$,"}), ABC),
    "euros.csv": (table(";", a=map(comma, A), b=[f"{comma(x)} €" for x in B]), dict(strip={"b": " €"}, **DE), ABC),
    "two_currencies.csv": (table(b=[f"${x}" if i % 2 else f"€{x}" for i, x in enumerate(B)]), {}, ["a", "c"]),
    "missing_na.csv": (table(a=put(A, 3, "NA")), {}, ABC),
    "missing_blank.csv": (table(a=put(A, 3, ""), b=put(B, 7, " ")), dict(na_values=" "), ABC),
    "missing_question.csv": (table(a=put(A, 3, "?", "?")), dict(na_values="?"), ABC),
    "missing_points_and_dashes.csv": (table(a=put(A, 3, "."), b=put(B, 5, "-")), dict(na_values=[".", "-"]), ABC),
    "missing_excel.csv": (table(a=put(A, 3, "#N/A", "#DIV/0!", "#NUM!")), dict(na_values=["#DIV/0!", "#NUM!"]), ABC),
    "missing_nan_null.csv": (table(a=put(A, 3, "NaN", "null"), b=put(B, 9, "None", "nan")), {}, ABC),
    "empty_column.csv": (table(b=[""] * N), {}, ["a", "c"]),
    "mostly_missing_column.csv": (table(b=put([""] * N, 3, 1.5, 2)), {}, ["a", "c"]),
    "sentinels.csv": (table(a=put(A, 3, -999, -999)), {}, ABC),
    "one_true_among_decimals.csv": (table(a=put(A, 3, "true")), dict(na_values="true"), ABC),
    "one_word_among_numbers.csv": (table(a=put(A, 3, "broken")), dict(na_values="broken"), ABC),
    "infinity.csv": (table(a=put(A, 3, "inf")), dict(na_values="inf"), ABC),
    "logical.csv": (table(b=words("TRUE", "FALSE")), {}, ABC),
    "yes_no.csv": (table(b=words("yes", "no")), dict(codes=["b"]), ABC),
    "words.csv": (table(b=words("red", "green", "blue")), dict(codes=["b"]), ABC),
    "names.csv": (table(b=[f"name {i}" for i in range(N)]), {}, ["a", "c"]),
    "dates.csv": (table(b=[f"2020-01-{i + 1:02}" for i in range(N)]), {}, ["a", "c"]),
    "times.csv": (table(b=[f"2020-01-{i + 1:02}T10:00:00Z" for i in range(N)]), {}, ["a", "c"]),
    "row_numbers.csv": ("".join(f"{i - 1 if i else ''},{line}\n" for i, line in enumerate(table().splitlines())), dict(index_col=0), ABC),
    "r_write_table.txt": (table(" ", '"a" "b" "c"\n', a=[f'"row {i}" {x}' for i, x in enumerate(A)]), dict(sep=" "), ABC),
    "sep_line.csv": ("sep=;\n" + table(";"), dict(sep=";", skiprows=1), ABC),
    "title.csv": ("Measurements of 2020\n\n" + table(), dict(skiprows=1), ABC),
    "title_with_separators.csv": ("Measurements,,\n,,\n" + table(), dict(skiprows=2), ABC),
    "comments.txt": ("# measured by hand\n# in 2020\n" + table(" "), dict(sep=" ", comment="#"), ABC),
    "numpy_header.txt": ("# " + table(" "), dict(sep=" ", skiprows=1, header=None, names=ABC), ABC),
    "units.csv": (table(header="a,b,c\ncm,kg,s\n"), dict(skiprows=[1]), ABC),
    "no_header.csv": (table(header=""), dict(header=None, names=["X1", "X2", "X3"]), ["X1", "X2", "X3"]),
    "years_as_names.csv": (table(header="1990,1991,1992\n"), {}, ["1990", "1991", "1992"]),
    "two_of_one_name.csv": (table(header="a,b,a\n"), {}, ["a", "b", "a.1"]),
    "separators_at_the_ends.csv": (table(",", "a,b,c\n", end=",\n"), dict(index_col=False), ABC),
    "one_long_row.csv": (table(c=put(C, 5, "3,4")), dict(on_bad_lines="skip"), ABC),
    "half_of_the_rows_longer.csv": (table(c=[f"{x},1" if i % 2 else x for i, x in enumerate(C)]), None, []),
    "footer.csv": (table() + "Source: ourselves\n", dict(skipfooter=1, engine="python"), ABC),
    "one_column.csv": ("a\n" + "".join(f"{x}\n" for x in A), None, []),
    "header_only.csv": ("a,b,c\n", None, []),
    "empty.csv": ("", None, []),
    "binary.csv": (bytes(range(256)), None, []),
    "packed.csv.gz": (gzip.compress(table().encode(), mtime=0), {}, ABC),
    "control_characters.csv": (table(header="a\x1b[31m,b,c\n"), dict(rename={"a\x1b[31m": "a\ufffd[31m"}), ["a\ufffd[31m", "b", "c"]),
}


def frame(**more) -> pd.DataFrame:
    return pd.DataFrame({"a": A, "b": B, "c": C, **more})


def sheet(**options) -> bytes:
    """A spreadsheet with a missing cell, words and dates."""
    held = io.BytesIO()
    odd = frame(kind=words("red", "green", "blue"), day=pd.date_range("2020-01-01", periods=N), yes=words(True, False))
    odd.loc[3, "a"] = None
    with pd.ExcelWriter(held, engine=options.pop("engine")) as writer:
        for name in options.pop("sheets", ["Sheet1"]):
            odd.to_excel(writer, sheet_name=name, index=False, **options)
            if options.get("startrow"):
                writer.sheets[name].cell(1, 1, "Measured in 2020")
    return held.getvalue()


def typed(write: str, **options) -> bytes:
    """A file of typed columns, some of text and of dates."""
    held = io.BytesIO()
    day = pd.date_range("2020-01-01", periods=N)
    odd = frame(kind=pd.Categorical(words("red", "green", "blue")), name=[f"name {i}" for i in range(N)], day=day)
    odd.loc[3, "a"] = None
    getattr(odd, write)(held, **options)
    return held.getvalue()


MIXED = ["a", "b", "c", "kind", "yes"]
CASES |= {
    "sheet.xlsx": (sheet(engine="openpyxl"), dict(codes=["kind"]), MIXED),
    "sheet.ods": (sheet(engine="odf"), dict(codes=["kind"]), MIXED),
    "sheet_with_title.xlsx": (sheet(engine="openpyxl", startrow=2), dict(codes=["kind"], skiprows=2), MIXED),
    "two_sheets.xlsx": (sheet(engine="openpyxl", sheets=["first", "second"]), dict(codes=["kind"]), MIXED),
    "typed.parquet": (typed("to_parquet"), dict(codes=["kind"]), ["a", "b", "c", "kind"]),
    "typed.feather": (typed("to_feather"), dict(codes=["kind"]), ["a", "b", "c", "kind"]),
}


def read(name: str, content: bytes, told: dict) -> pd.DataFrame:
    held = io.BytesIO(content)
    if name.endswith((".xlsx", ".ods")):
        return pd.read_excel(held, **told)
    if name.endswith(".parquet"):
        return pd.read_parquet(held)
    if name.endswith(".feather"):
        return pd.read_feather(held)
    return pd.read_csv(held, compression="gzip" if name.endswith(".gz") else None, **told)


def expected(name: str, content: bytes, told: dict) -> dict:
    told = dict(told)
    strip, codes, rename = told.pop("strip", {}), told.pop("codes", []), told.pop("rename", {})
    frame = read(name, content, told)
    frame = frame.rename(columns=rename)
    for column, signs in strip.items():
        text = frame[column].astype(str)
        for sign in signs:
            text = text.str.replace(sign, "", regex=False)
        frame[column] = pd.to_numeric(text.str.replace(",", "." if told.get("decimal") == "," else "", regex=False))
    for column in codes:
        frame[column] = frame[column].astype("category").cat.codes
    numbers = frame.select_dtypes(["number", "bool"]).astype(float)
    shown = lambda value: None if pd.isna(value) else value  # noqa: E731
    return {str(column): [shown(value) for value in numbers[column]] for column in numbers}


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    HERE.mkdir()
    found = {}
    for name, (content, told, kept) in CASES.items():
        content = content.encode() if isinstance(content, str) else content
        (HERE / name).write_bytes(content)
        columns = None if told is None else expected(name, content, told)
        assert columns is None or set(kept) <= set(columns), (name, kept, list(columns))
        found[name] = None if columns is None else {"kept": kept, "columns": columns}
    text = json.dumps({"pandas": pd.__version__, "files": found}, ensure_ascii=False, separators=(",", ":"))
    (HERE.parent / "odd.json").write_text(text.replace('},"', '},\n"') + "\n", encoding="utf-8")
    print(len(found), "files")


main()
