"""The simulated device's counts of a call, and the addresses of its tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from torch import Tensor

from grader.run.inside.arguments import Given

_MOST_LAUNCHES = 500  # whose counts fit into a reply


def counted(values: Sequence[Any], given: Sequence[Given]) -> dict[str, Any]:
    """The runtime's records since they were last taken, and the tensors that took part."""
    from cusimt.counters import take_raw

    named = named_values(values, given)
    placed = [_placed(name, value) for name, value in named if isinstance(value, Tensor) and value.is_cuda]
    return {"counts": take_raw()[:_MOST_LAUNCHES], "placed": placed}


def forget() -> None:
    """Drop the counts so far."""
    from cusimt.counters import take_raw

    take_raw()


def named_values(values: Sequence[Any], given: Sequence[Given]) -> Iterable[tuple[str, Any]]:
    """Arguments by their names, then the returned values: `the output`, or `output 0` and so on."""
    yield from ((each.name or f"argument {index}", each.value) for index, each in enumerate(given))
    for index, value in enumerate(values):
        yield "the output" if len(values) == 1 else f"output {index}", value


def _placed(name: str, value: Tensor) -> dict[str, Any]:
    return {
        "name": name, "base": value.untyped_storage().data_ptr(), "itemsize": value.element_size(),
    }  # fmt: skip
