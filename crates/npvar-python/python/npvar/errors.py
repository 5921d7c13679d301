"""One exception class per kind of error. All are `NpvarError`; the facts are attributes.

>>> import npvar
>>> try:
...     npvar.learn({"a": [1.0, None], "b": [1.0, 2.0]}, missing="error")
... except npvar.errors.MissingValueError as error:
...     print(error.column, error.row)
a 2
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "CancelledError",
    "DuplicateNameError",
    "FileError",
    "FormatError",
    "InvalidGraphError",
    "KnowledgeError",
    "MissingValueError",
    "NegativeVarianceError",
    "NoRowsError",
    "NoVarianceError",
    "NotANumberError",
    "NotDiscreteError",
    "NotFiniteError",
    "NpvarError",
    "OptionError",
    "TooFewColumnsError",
    "TooFewSamplesError",
    "TooLargeError",
    "TooSmallError",
    "UnequalLengthsError",
    "UnknownColumnError",
]


class NpvarError(Exception):
    """Something went wrong. `facts` holds what the message speaks of; each is also an attribute."""

    def __init__(self, message: str, facts: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.facts = dict(facts or {})

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["facts"][name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}") from None

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.facts)


class FileError(NpvarError, OSError):
    """A file could not be opened, read or written."""


class FormatError(NpvarError, ValueError):
    """A file or text is not in the format it was read as."""


class NoRowsError(NpvarError, ValueError):
    """There is nothing to learn from."""


class TooFewColumnsError(NpvarError, ValueError):
    """Fewer columns than a graph needs."""


class UnequalLengthsError(NpvarError, ValueError):
    """Columns of unequal length."""


class DuplicateNameError(NpvarError, ValueError):
    """Two columns share a name."""


class UnknownColumnError(NpvarError, KeyError):
    """A column was asked for that is not there."""


class NotANumberError(NpvarError, ValueError):
    """A value that is not a number."""


class MissingValueError(NpvarError, ValueError):
    """A missing value where none is allowed; `missing="drop"` leaves such rows out."""


class NotFiniteError(NpvarError, ValueError):
    """An infinite value."""


class TooLargeError(NpvarError, ValueError):
    """Values whose squares cannot be represented."""


class TooSmallError(NpvarError, ValueError):
    """Values whose squared differences cannot be represented."""


class NotDiscreteError(NpvarError, ValueError):
    """A column with too many distinct values for a method that counts them."""


class NoVarianceError(NpvarError, ArithmeticError):
    """A residual variance that is not a number."""


class TooFewSamplesError(NpvarError, ValueError):
    """More is asked of the sample than its size allows."""


class OptionError(NpvarError, ValueError):
    """An option that does not exist, or a value that it cannot have; the message names those it can."""


class KnowledgeError(NpvarError, ValueError):
    """Background knowledge that contradicts itself, or that does not fit the columns."""


class InvalidGraphError(NpvarError, ValueError):
    """A graph, order or layering that is not one."""


class NegativeVarianceError(NpvarError, ArithmeticError):
    """A residual variance below zero, where the caller asked to stop at one."""


class CancelledError(NpvarError):
    """The callback asked to stop."""
