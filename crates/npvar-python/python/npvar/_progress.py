"""A progress bar for the terminal and the notebook, without other packages."""

from __future__ import annotations

import sys
import time
from typing import Any

_WIDTH = 30
_PATIENCE = 0.3  # seconds before anything is shown
_RATE = 0.1  # seconds between redraws


class Bar:
    """Shows the events of a run; call it with each, and `close()` at the end."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._drawn = 0.0
        self._shown = 0
        self._display: Any = None
        self._notebook = _in_notebook()

    def __call__(self, event: dict[str, Any]) -> None:
        """Draws, unless it is too early or was done just now."""
        now = time.monotonic()
        if now - self._started < _PATIENCE or now - self._drawn < _RATE or "done" not in event:
            return
        self._drawn = now
        self._draw(event["done"], event["total"], _words(event), now - self._started)

    def close(self) -> None:
        """Removes the bar."""
        if self._display is not None:
            self._display.update(_html(""))
        elif self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()

    def _draw(self, done: int, total: int | None, words: str, seconds: float) -> None:
        if self._notebook:
            bar = f'<progress value="{done}" max="{total}"></progress> ' if total else ""
            content = _html(f"{bar}{words}, {seconds:.0f} s")
            if self._display is None:
                from IPython.display import display

                self._display = display(content, display_id=True)
            else:
                self._display.update(content)
            return
        filled = _WIDTH * min(done, total) // total if total else 0
        line = f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {words}, {seconds:.0f} s"
        sys.stderr.write("\r" + line.ljust(self._shown))
        sys.stderr.flush()
        self._shown = len(line)


def _words(event: dict[str, Any]) -> str:
    what = {"rows": "rows read", "layer": "nodes ordered", "selected": "nodes with parents selected"}
    name = event.get("phase") or what.get(event["event"], event["event"])
    of = f" of {event['total']}" if event["total"] is not None else ""
    return f"{name}: {event['done']}{of}"


def _html(text: str) -> Any:
    from IPython.display import HTML

    return HTML(text)


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"
