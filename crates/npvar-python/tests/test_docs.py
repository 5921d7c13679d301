"""The Python that pages show runs as it stands, each page from top to bottom."""

from __future__ import annotations

import pathlib
import re

import pytest

import npvar
import npvar.dask
import npvar.spark

ROOT = pathlib.Path(__file__).parents[3]
PAGES = ["README.md", "docs/src/guide/python.md", "docs/src/guide/scale.md", "crates/npvar-python/README.md"]
BLOCK = re.compile(r"^(?P<remark><!-- not run: .+ -->\n)?```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(
    tmp_path: pathlib.Path, simulated: npvar.Simulated, monkeypatch: pytest.MonkeyPatch
) -> pathlib.Path:
    """The files that pages read."""
    frame = simulated.data.to_pandas()
    frame.to_csv(tmp_path / "measurements.csv", index=False)
    frame.to_parquet(tmp_path / "measurements.parquet")
    (tmp_path / "big").mkdir()
    for part, rows in enumerate([frame[:400], frame[400:]], start=1):
        rows.to_parquet(tmp_path / f"big/part-{part}.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.filterwarnings("ignore")
def test_the_code_of_a_page_runs(page: str, folder: pathlib.Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    names: dict[str, object] = {}
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == text.count("```python\n") >= 1
    for block in blocks:
        line = text.count("\n", 0, block.start("code"))
        code = compile("\n" * line + block["code"], page, "exec")
        if block["remark"] is None:
            exec(code, names)
        else:
            for name in re.findall(r"npvar(?:\.\w+)+", block["code"]):
                assert eval(name, {"npvar": npvar}) is not None, f"{page}: {name}"
