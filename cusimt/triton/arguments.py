"""What a launch may hand to a kernel: tensors, numbers, texts, types, kernels and tuples of them.

Anything else is an object of the host. A compiled kernel could do nothing with it; one that runs as Python
could call or fill it.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

_PLAIN = (bool, int, float, str, type(None))  # but no class derived from one, which may have methods
_OF_ANNOTATIONS = ("__annot", "__orig_bases__")  # what typing.NamedTuple adds to a class begins so


def require_values(bound: Mapping[str, Any]) -> None:
    """Raises TypeError for an argument of a kernel that is an object of the host."""
    for name, value in bound.items():
        found = _foreign(value)
        if found is not None:
            raise TypeError(
                f"argument `{name}` of a kernel is a {type(found).__name__}, and a kernel takes tensors, "
                "numbers, strings, None, types, functions of triton.jit, and tuples of these"
            )


def constants_of(kernel: Any) -> frozenset[str]:
    """The parameters whose annotation says that they are constants, be it as a text: the compiler's rule.

    The interpreter's own rule misses those whose annotation is a text, and makes of a float one of 32 bits.
    """
    return frozenset(name for name, kind in kernel.__annotations__.items() if "constexpr" in str(kind))


def _foreign(value: Any) -> object:
    """The object of the host in `value`, or None; None itself is a value."""
    if isinstance(value, tuple) and _only_holds(type(value)):
        return next((found for each in value if (found := _foreign(each)) is not None), None)
    return None if type(value) in _PLAIN or _is_known(value) else value


def _only_holds(kind: type) -> bool:
    """Whether it is `tuple`, or a named tuple without methods of its own."""
    if kind is tuple:
        return True
    fields = getattr(kind, "_fields", ())
    if kind.__mro__[1:] != (tuple, object) or not fields:
        return False
    added = set(vars(kind)) - set(vars(namedtuple("Plain", fields)))
    return all(name.startswith(_OF_ANNOTATIONS) for name in added)


def _is_known(value: Any) -> bool:
    import torch
    from triton import language as tl
    from triton.runtime.interpreter import InterpretedFunction
    from triton.tools.tensor_descriptor import TensorDescriptor

    if isinstance(value, tl.constexpr):
        return _foreign(value.value) is None
    return isinstance(value, torch.Tensor | torch.dtype | tl.dtype | InterpretedFunction | TensorDescriptor)
