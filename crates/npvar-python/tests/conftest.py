"""Data that many tests share."""

from __future__ import annotations

import os
import re
import shutil

import numpy as np
import pytest

import npvar


def nameless(text: str) -> str:
    """An answer's text without the verdict's next command, which names the file that was read."""
    return re.sub(r'"next": .*', '"next": …', text)


@pytest.fixture(scope="session")
def simulated() -> npvar.Simulated:
    return npvar.simulate("ER-SIN-1", nodes=6, samples=800, seed=3)


@pytest.fixture(scope="session")
def array(simulated: npvar.Simulated) -> np.ndarray:
    return np.ascontiguousarray(simulated.data.to_numpy())


@pytest.fixture(scope="session")
def expected(array: np.ndarray) -> npvar.Learned:
    return npvar.learn(array, seed=1)


@pytest.fixture(scope="session")
def program() -> str:
    """The command line program, built from the same library."""
    found = os.environ.get("NPVAR_PROGRAM") or shutil.which("npvar")
    if found is None:
        pytest.fail("set NPVAR_PROGRAM to the npvar program")
    return found
