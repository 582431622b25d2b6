import typing

import torch
from torch.amp import custom_bwd, custom_fwd

import grader

grader.load("weighted_pool", ["kernel.cu", "binding.cpp"], is_python_module=False)

DEVICE = "cuda"
_NEVER_LOWERED = {torch.float64, torch.double}


def autocast_dtype() -> typing.Optional[torch.dtype]:
    return torch.get_autocast_dtype(DEVICE) if torch.is_autocast_enabled(DEVICE) else None


def cast(tensor, dtype):
    if dtype is None or tensor.device.type != DEVICE or tensor.dtype in _NEVER_LOWERED:
        return tensor
    return tensor.to(dtype=dtype)


class WeightedPool(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type=DEVICE)
    def forward(ctx, x, weight, scale):
        ctx.save_for_backward(x, weight)
        ctx.scale = scale
        dtype = autocast_dtype()
        return torch.ops.weighted_pool.pool(cast(x, dtype), cast(weight, dtype), scale)

    @staticmethod
    @torch.autograd.function.once_differentiable
    @custom_bwd(device_type=DEVICE)
    def backward(ctx, grad_out):
        dtype = autocast_dtype()
        x, weight = (cast(each, dtype) for each in ctx.saved_tensors)
        ops = torch.ops.weighted_pool
        grads = {
            "x": lambda: ops.pool_grad_x(grad_out, weight, ctx.scale),
            "weight": lambda: ops.pool_grad_weight(grad_out, x, ctx.scale),
        }
        return *(make() if need else None for make, need in zip(grads.values(), ctx.needs_input_grad)), None


def pool(x: torch.Tensor, weight: torch.Tensor, scale: float) -> torch.Tensor:
    return WeightedPool.apply(x, weight, scale)
