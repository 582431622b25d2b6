import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        match (a.dim(), c):
            case (0, _):
                shape = ()
            case (1, float() | int()):
                shape = (a.numel(),)
            case _:
                shape = tuple(a.shape)
        ctx.shape = shape
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c).view(shape)

    @staticmethod
    def backward(ctx, grad):
        grad = grad.contiguous()
        found = {}
        for name, other in zip("ba", ctx.saved_tensors, strict=True):
            match name:
                case "a" | "b":
                    found[name] = torch.ops.toy_muladd.muladd(grad, other, 0.0)
                case other_name:
                    raise KeyError(other_name)
        return found["a"], found["b"], None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
