"""Vector addition with NumPy arrays."""

import dataclasses
from typing import ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

import grader

FloatVector = npt.NDArray[np.float32]
DTYPE: Final = np.dtype("float32")


class VectorAddError(ValueError):
    """The arguments do not fit."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} {why}")
        self.name = name
        self.why = why

    def __str__(self) -> str:
        return f"{self.name}: {self.why}"


@dataclasses.dataclass(slots=True)
class Adder:
    """Calls the extension, and counts how often it did."""

    sources: tuple[str, ...] = ("kernel.cu", "binding.cpp")
    calls: int = 0
    _extension: object | None = dataclasses.field(default=None, repr=False)
    title: ClassVar[str] = "vector_add"

    @property
    def extension(self):
        if self._extension is None:
            self._extension = grader.load(self.title, list(self.sources))
        return self._extension

    @classmethod
    def standard(cls) -> Self:
        return cls()

    def allocate(self, like: FloatVector) -> FloatVector:
        result = np.empty_like(like, dtype=np.float32, order="C")
        result[...] = np.nan
        return result

    def __call__(self, a, b, out=None):
        if out is None:
            out = self.allocate(np.asarray(a))
        try:
            self.extension.vector_add(a, b, out)
        except OverflowError as error:
            raise VectorAddError("a", "has too many elements") from error
        self.calls += 1
        return out

    def __repr__(self) -> str:
        return f"{type(self).__name__}(calls={self.calls!r})"


_adder = Adder.standard()


def vector_add(a: FloatVector, b: FloatVector, out: FloatVector | None = None) -> FloatVector:
    """a + b on the device, for float32 vectors of equal length; written into `out` if given."""
    return _adder(a, b, out)
