import functools
import logging
from collections.abc import Callable
from typing import Annotated, Any, Concatenate, ParamSpec

import torch
from torch.autograd import Function

import grader

log = logging.getLogger("cuda_softmax")
P = ParamSpec("P")
Matrix = Annotated[torch.Tensor, "float32 or float64, on a GPU"]


def traced(function: Callable[Concatenate[Any, P], Any]) -> Callable[Concatenate[Any, P], Any]:
    @functools.wraps(function)
    def wrapper(ctx: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s%s", function.__name__, tuple(type(each).__name__ for each in args))
        return function(ctx, *args, **kwargs)

    return wrapper


@functools.cache
def library() -> Any:
    grader.load("row_softmax", ["kernel.cu", "binding.cpp"], is_python_module=False)
    return torch.ops.row_softmax


library()


class SoftmaxFunction(Function):
    @staticmethod
    @traced
    def forward(ctx: Any, x: Matrix) -> Matrix:
        y = library().softmax(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    @traced
    def backward(ctx: Any, grad: Matrix) -> Matrix:
        return library().softmax_backward(grad, *ctx.saved_tensors)


def softmax(x: Matrix) -> Matrix:
    return SoftmaxFunction.apply(x)
