"""The example notebooks run from top to bottom."""

from __future__ import annotations

import pathlib

import nbclient
import nbformat
import pytest

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs(path: pathlib.Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "notebooks are kept without outputs"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(EXAMPLES)}}).execute()


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 4
