"""What a launch may hand to a kernel: tensors, numbers, texts, types, kernels and tuples of them.

Anything else is an object of the host. A compiled kernel could do nothing with it; one that runs as Python
could call it, or fill it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PLAIN = (bool, int, float, str, type(None))  # but no class derived from one, which may have methods
_OF_NAMED_TUPLES = frozenset(dir(tuple)) | {
    "_asdict", "_field_defaults", "_fields", "_make", "_replace", "__annotations__", "__getnewargs__",
    "__match_args__", "__module__", "__orig_bases__", "__replace__", "__static_attributes__",
    "__firstlineno__", "__annotate_func__", "__annotations_cache__",
}  # fmt: skip


def require_values(bound: Mapping[str, Any]) -> None:
    """Raises TypeError for an argument of a kernel that is an object of the host."""
    for name, value in bound.items():
        found = _foreign(value)
        if found is not None:
            raise TypeError(
                f"argument `{name}` of a kernel is a {type(found).__name__}, and a kernel takes tensors, "
                "numbers, strings, None, types, functions of triton.jit, and tuples of these"
            )


def _foreign(value: Any) -> object:
    """The object of the host in `value`, or None; None itself is a value."""
    if isinstance(value, tuple) and _only_holds(type(value)):
        return next((found for each in value if (found := _foreign(each)) is not None), None)
    return None if type(value) in _PLAIN or _is_known(value) else value


def _only_holds(kind: type) -> bool:
    """Whether it is `tuple`, or a named tuple without methods of its own."""
    return kind is tuple or (kind.__mro__[1:] == (tuple, object) and _names(kind) <= _OF_NAMED_TUPLES)


def _names(kind: type) -> set[str]:
    fields = vars(kind).get("_fields", ())
    return set(vars(kind)) - set(fields)


def _is_known(value: Any) -> bool:
    import torch
    from triton import language as tl
    from triton.runtime.interpreter import InterpretedFunction
    from triton.tools.tensor_descriptor import TensorDescriptor

    if isinstance(value, tl.constexpr):
        return _foreign(value.value) is None
    return isinstance(value, torch.Tensor | torch.dtype | tl.dtype | InterpretedFunction | TensorDescriptor)
