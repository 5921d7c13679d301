"""Options on their way from Python keywords to the registry of learners."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def as_json(options: Mapping[str, Any]) -> str:
    """Options as JSON; NumPy numbers are numbers."""
    return json.dumps(dict(options), default=_plain, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    for name in ("tolist", "item"):
        if hasattr(value, name):
            return getattr(value, name)()
    raise TypeError(f"an option cannot be a {type(value).__name__}")
