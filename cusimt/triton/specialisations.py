"""For what Triton would have compiled the kernels that its interpreter ran: a text for each specialisation.

On a GPU a kernel is compiled for the types of its arguments, the values of its constants, which numbers are
1, and which numbers and addresses are divisible by 16. A text keeps these and nothing else of a launch, so
that launches of one specialisation have one text. `frontend` reads it, in another process: in this one the
language is the interpreter's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cusimt.triton.arguments import constants_of

__all__ = ["ALIGNED", "ran", "taken", "text_of"]

ALIGNED = 16  # bytes of an address, or a divisor of a number
_PLAIN = (bool, int, float, str, type(None))
_LIMITS = ((1 << 31, 0), (1 << 63, 1 << 40), (1 << 64, 1 << 63))  # of int32, int64, uint64; a number of each

_ran: dict[str, None] = {}


def ran(specialisation: str) -> None:
    """Remember what the interpreter has run without an error."""
    _ran[specialisation] = None


def taken() -> list[str]:
    """The specialisations that ran since the last time, each once, in order."""
    found = list(_ran)
    _ran.clear()
    return found


def text_of(executor: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> str:
    """The specialisation of a launch with these arguments, as JSON."""
    constants = constants_of(executor.fn)
    given = [
        _described(value, name in constants)
        for name, value in zip(executor.arg_names, arguments, strict=False)
    ]
    by_name = {
        name: _described(value, name in constants or name not in executor.arg_names)
        for name, value in keywords.items()
    }
    return json.dumps({**_place(executor.fn), "arguments": given, "keywords": by_name}, sort_keys=True)


def _described(value: Any, is_constant: bool) -> Any:
    """What the compiler looks at: of an argument its type, of a constant its value."""
    import torch
    from triton import language as tl
    from triton.runtime.interpreter import InterpretedFunction

    if isinstance(value, tl.constexpr):
        return _described(value.value, is_constant=True)
    if isinstance(value, tuple):
        parts = [_described(each, is_constant) for each in value]
        return {"tuple": parts, "fields": list(getattr(value, "_fields", ()))}
    if isinstance(value, InterpretedFunction):
        return _place(value.fn)
    if isinstance(value, tl.dtype | torch.dtype):
        return {"type": str(value)}
    if hasattr(value, "block_shape"):
        return {"descriptor": _described(value.base, is_constant=False), "block": list(value.block_shape)}
    if hasattr(value, "data_ptr"):
        return {"tensor": str(value.dtype), "aligned": value.data_ptr() % ALIGNED == 0}
    if not isinstance(value, _PLAIN):
        return None  # an option of the launch: `arguments` lets no other object into a kernel
    return value if is_constant else _representative(value)


def _place(function: Any) -> dict[str, str]:
    return {"kernel": function.__code__.co_name, "file": Path(function.__code__.co_filename).name}


def _representative(value: Any) -> Any:
    """A value of which the compiler sees the same."""
    if isinstance(value, float):
        return 0.5
    if isinstance(value, bool) or not isinstance(value, int) or value == 1:
        return value
    large = next((number for limit, number in _LIMITS if -limit <= value < limit), None)
    return value if large is None else large + (0 if value % ALIGNED == 0 else 2)
