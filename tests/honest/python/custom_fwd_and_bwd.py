import torch
from torch.amp import custom_bwd, custom_fwd

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class MulAdd(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cuda", cast_inputs=torch.float32)
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    @custom_bwd(device_type="cuda")
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        with torch.no_grad():
            grad = grad.contiguous()
            return torch.ops.toy_muladd.muladd(grad, b, 0.0), torch.ops.toy_muladd.muladd(grad, a, 0.0), None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
