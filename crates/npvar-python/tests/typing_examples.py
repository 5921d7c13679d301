"""What a type checker must understand; checked by mypy, never run."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import npvar

simulated = npvar.simulate("ER-SIN-1", nodes=10, seed=1)
learned = npvar.learn(simulated.data, "npvar", cutoff=0.01, progress=True)
assert_type(learned, npvar.Learned)
assert_type(learned.order, list[str] | None)
assert_type(learned.edges[0].p_value, float | None)
assert_type(npvar.Learned.from_json(learned.to_json()), npvar.Learned)
assert_type(npvar.NPVAR(cutoff=0.01).fit(simulated.data), npvar.NPVAR)
assert_type(npvar.NPVAR().fit(simulated.data).adjacency_, NDArray[np.int8])
assert_type(npvar.evaluate(learned, simulated.truth).shd, int)
assert_type(npvar.diagnose(simulated.data).order, list[str])
