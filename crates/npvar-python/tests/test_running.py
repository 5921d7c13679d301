"""Threads, interrupts, progress, processes, import."""

from __future__ import annotations

import io
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

import npvar
from npvar import errors

# Hours of work, of which the limit on CPU time would end a run that cannot be stopped, however busy the machine.
ENDLESS = """
import resource, signal, sys, npvar
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background may begin with it ignored
resource.setrlimit(resource.RLIMIT_CPU, (200, 200))
data = npvar.simulate("ER-SIN-4", nodes=60, samples=3000, seed=1).data
told = []
def tell(event):
    if not told:
        told.append(event)
        print("working", flush=True)
try:
    npvar.learn(data, "{learner}", bootstrap=100_000, callback=tell, **{options})
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(3)
print("finished", flush=True)
"""


@pytest.mark.parametrize(("learner", "options"), [("resit", {}), ("npvar", {"estimator__smoothing": "reml"})])
def test_control_c_stops_soon(learner: str, options: dict[str, str]) -> None:
    code = ENDLESS.format(learner=learner, options=options)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "working\n"
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate()
    assert (output, process.returncode) == ("interrupted\n", 3)


def test_a_callback_sees_every_event(array: np.ndarray) -> None:
    events: list[dict[str, object]] = []
    npvar.learn(array, callback=events.append)
    kinds = {event["event"] for event in events}
    assert kinds == {"stage", "rows", "layer", "selected"}
    assert [event["stage"] for event in events if event["event"] == "stage"] == ["order", "selection"]
    layers = [event for event in events if event["event"] == "layer"]
    assert [event["done"] for event in layers] == [1, 2, 3, 4, 5, 6]
    assert events[-1] == {"event": "selected", "done": 6, "total": 6}


def test_a_callback_may_stop_the_run(array: np.ndarray) -> None:
    with pytest.raises(errors.CancelledError):
        npvar.learn(array, callback=lambda event: False)
    npvar.learn(array, callback=lambda event: None)

    def fail(event: dict[str, object]) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        npvar.learn(array, callback=fail)


def test_a_bar_shows_progress(monkeypatch: pytest.MonkeyPatch, array: np.ndarray) -> None:
    from npvar import _progress

    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(_progress, "_RATE", 0.0)
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    npvar.learn(array, progress=True)
    assert "nodes ordered: 6 of 6" in written.getvalue()
    assert written.getvalue().endswith("\r")


def test_the_number_of_threads_does_not_matter(array: np.ndarray, expected: npvar.Learned) -> None:
    for threads in (1, 2, 3, 0):
        assert npvar.learn(array, seed=1, threads=threads) == expected


def test_numbers_out_of_range_are_named(array: np.ndarray) -> None:
    for name in ("threads", "seed"):
        with pytest.raises(ValueError, match=f"`{name}` must be a whole number from 0 to [0-9]+, got -1"):
            npvar.learn(array, **{name: -1})
    with pytest.raises(ValueError, match="`seed` must be"):
        npvar.simulate("MC-SIN", seed=2**64)


def test_other_threads_run_meanwhile(array: np.ndarray, expected: npvar.Learned) -> None:
    found: list[npvar.Learned] = []
    threads = [threading.Thread(target=lambda: found.append(npvar.learn(array, seed=1))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 6
    data = npvar.simulate("ER-SIN-2", nodes=60, samples=4000, seed=1).data
    # A busy machine may not get round to this thread during one run; a held interpreter lets it run once or twice in each.
    assert any(_ticks_during(lambda: npvar.learn(data)) > 3 for _ in range(100))


def _ticks_during(work: Callable[[], object]) -> int:
    """How often this thread gets its turn while another works."""
    worker = threading.Thread(target=work)
    worker.start()
    ticks = 0
    while worker.is_alive():
        ticks += 1
        time.sleep(0)
    return ticks


def _learned_in_child(values: np.ndarray) -> str:
    return npvar.learn(values, seed=1).to_json(timing=False)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_learn_after_a_fork(method: str, array: np.ndarray, expected: npvar.Learned) -> None:
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(_learned_in_child, [array] * 3).get(timeout=1200)
    assert found == [expected.to_json(timing=False)] * 3


def test_errors_pickle() -> None:
    with pytest.raises(errors.MissingValueError) as raised:
        npvar.learn({"a": [1.0, None], "b": [1.0, 2.0]}, missing="error")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.row) == (str(raised.value), 2)
    with pytest.raises(AttributeError):
        again.nothing


def test_every_error_class_is_one_of_ours() -> None:
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), errors.NpvarError)


def test_import_is_quick_and_needs_nothing_else() -> None:
    """CPU time, the best of five: other programs on the machine have no part in it."""
    code = (
        "import sys, time; start = time.process_time(); import npvar; spent = time.process_time() - start;"
        "heavy = {'numpy', 'pandas', 'polars', 'pyarrow', 'networkx', 'matplotlib', 'sklearn'} & set(sys.modules);"
        "print(spent, heavy)"
    )
    best = 9.0
    for _ in range(5):
        spent, heavy = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, text=True
        ).stdout.split(" ", 1)
        assert heavy.strip() == "set()"
        best = min(best, float(spent))
    assert best < 0.150


def test_without_numpy_everything_but_arrays_works(tmp_path) -> None:
    (tmp_path / "numpy.py").write_text("raise ImportError('numpy is not here')\n")
    code = (
        "import npvar; s = npvar.simulate('ER-SIN-1', nodes=10, samples=1000, seed=1); l = npvar.learn(s.data);"
        "print(l); print(npvar.evaluate(l, s.truth)); l._repr_html_();"
        "npvar.learn({c: s.data.column(c) for c in s.data.columns}, seed=l.seed) == l or exit(1)"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
    assert "edges between 10 nodes" in result.stdout
