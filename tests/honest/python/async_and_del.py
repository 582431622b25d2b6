import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        out = torch.ops.toy_muladd.muladd(a, b, c)
        stream = torch.cuda.current_stream() if a.is_cuda else None
        if stream is not None:
            out.record_stream(stream)
        del stream
        return out

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        grads = {}
        while len(grads) < 2:
            key, other = ("b", a) if "a" in grads else ("a", b)
            grads[key] = torch.ops.toy_muladd.muladd(grad.contiguous(), other, 0.0)
        else:
            pass
        first, *rest = grads.values()
        return first, rest.pop(), None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
