"""softmax(x + bias) over the last dimension, in one kernel, and its gradient.

What it promises, and what a test may therefore check:

- x is (..., columns), with any number of leading dimensions or none, of float16, float32 or float64, on a
  CUDA device, of any size, 0 included, and with any strides. bias is (columns,), on the same device, of the
  same dtype, with any strides.
- The result is a new tensor with shape, dtype and device of x. Its strides are not promised.
- Values are those of ``torch.softmax(x + bias, -1)``, up to rounding: float16 is computed in float32 and
  rounded once at the end; float32 and float64 are computed in their own dtype. The order in which a row is
  added up is not promised. Nothing overflows, however large the values are. A NaN makes its own row NaN and
  no other; -inf becomes 0, and a row that is all -inf becomes NaN.
- Both arguments have a gradient, which is not differentiable again; only requested gradients are computed.
- Neither forward nor backward changes anything that was passed in; earlier results stay as they were.
- The same call gives the same bits, in both directions.
- The work is queued on the current stream of x's device, whichever device is current.
- A call takes a fixed number of launches, whatever the sizes. It leaves no memory allocated except its
  result, and at most one tensor as large as x if a gradient may be requested.
- Any other input is refused with a RuntimeError whose message names the argument at fault: ``x`` or ``bias``.
"""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("bias_softmax", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.bias_softmax

Gradients = tuple[torch.Tensor | None, torch.Tensor | None]


class BiasSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        out = _ops.softmax(x, bias)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> Gradients:
        (out,) = ctx.saved_tensors
        grad_x = _ops.softmax_backward(grad_out, out)
        grad_bias = None
        if ctx.needs_input_grad[1]:
            grad_bias = grad_x.sum_to_size(out.shape[-1:])
        return grad_x if ctx.needs_input_grad[0] else None, grad_bias


def bias_softmax(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """softmax(x + bias) over the last dimension of x; see the top of this file."""
    return BiasSoftmax.apply(x, bias)
