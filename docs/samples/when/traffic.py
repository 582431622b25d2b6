"""How much memory traffic would fusing save? Counts the bytes that operations move: python traffic.py"""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode


def tensors_in(values: Any) -> list[torch.Tensor]:
    values = values if isinstance(values, list | tuple) else [values]
    return [each for each in values if isinstance(each, torch.Tensor)]


def size(tensors: list[torch.Tensor]) -> int:
    return sum(each.numel() * each.element_size() for each in tensors)


# --8<-- [start:count]
class Traffic(TorchDispatchMode):
    """Adds up what each operation that runs reads and writes; a view moves no bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.moved = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        read, written = tensors_in(args), tensors_in(result)
        places = {each.untyped_storage().data_ptr() for each in read}
        if any(each.untyped_storage().data_ptr() not in places for each in written):
            self.moved += size(read) + size(written)
        return result


# --8<-- [end:count]


def softmax(x: torch.Tensor) -> torch.Tensor:
    e = (x - x.amax(1, keepdim=True)).exp()
    return e / e.sum(1, keepdim=True)


X, Y = torch.rand(1024, 1024), torch.rand(1024, 1024)
CASES: dict[str, tuple[Callable[..., torch.Tensor], tuple[torch.Tensor, ...]]] = {
    "softmax, composed of five operations": (softmax, (X,)),
    "bias, then GELU": (lambda x, bias: F.gelu(x + bias, approximate="tanh"), (X, torch.rand(1024))),
    "the softmax of the library": (lambda x: F.softmax(x, dim=1), (X,)),
    "a @ b": (torch.matmul, (X, Y)),
    "a + b": (torch.add, (X, Y)),
}


def ratio(operation: Callable[..., torch.Tensor], arguments: tuple[torch.Tensor, ...]) -> float:
    """The bytes that the operation moves, over the least: each argument once, the result once."""
    with Traffic() as traffic:
        result = operation(*arguments)
    return traffic.moved / size([*arguments, result])


if __name__ == "__main__":
    for name, (operation, arguments) in CASES.items():
        print(f"{name}: {ratio(operation, arguments):.1f}")
